"""What deserves a look in a run: signs that it is not learning, and numbers far from typical ones.

Pure functions from a run's records to sentences that say what was seen and what may help. Signs
that it is not learning come from its latest steps, so they are told while it runs; the rest is
judged when there is enough of it. docs/metrics.md explains the numbers, and has the same advice in
more words.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from rlve.intervals import Interval, over_environments, over_problems
from rlve.reports.pages import join_words
from rlve.train.history import Accuracy, History, StepMetrics, ValidationRecord

FEWEST_STEPS = 20  # in a shorter run, a tenth of it is too little to judge by
LATEST = 5  # steps; signs that a run is not learning must last
FEWEST_LATEST = 3  # of them must have a value
HARDLY_VARIES = 0.02  # nats; after thorough teaching, three of four prompts then have no signal
SAME_ANSWER = 0.9  # of the problems of an environment
FEWEST_PROBLEMS = 16  # of an environment, for that; they are gathered over
STEPS_OF_PROBLEMS = 20
MORE_GUESSED = 0.1  # of the reward, over as many steps, while
HARDLY_MORE = 0.02  # of the rollouts at h are correct in addition,
HARDLY_HIGHER = 0.1  # and h rises by less, in the mean of all environments

Value: TypeAlias = Callable[[StepMetrics], float | None]


def alarms(
    steps: Sequence[StepMetrics], validations: Sequence[ValidationRecord] = ()
) -> dict[str, str]:
    """Signs that a run is not learning, by kind: what was seen, and what may help."""
    found = {
        "accuracy": _fall(validations),
        "elsewhere": _fall(validations, held_out=True),
        "signal": _no_signal(steps),
        "variety": _no_variety(steps),
        "form": _no_form(steps),
        "answers": _one_answer(steps),
        "guesses": _more_guesses(steps),
    }
    return {kind: text for kind, text in found.items() if text is not None}


def concerns(history: History) -> list[str]:
    """Those signs, and whatever else is far from typical at the end of a run of some length."""
    found = alarms(history.steps, history.validations)
    if len(history.steps) >= FEWEST_STEPS:
        late = _late(history.steps)
        for kind, check in _CHECKS.items():
            if kind not in found and (text := check(history)) is not None:
                found[kind] = text
        for limit in _LIMITS:
            mean = _mean(late, limit.value)
            if limit.kind not in found and mean is not None and mean > limit.highest:
                found[limit.text] = limit.text.format(mean)
    return list(found.values())


def as_lines(texts: Sequence[str]) -> str:
    """The concerns as lines of text; empty if there are none."""
    return "\n".join(("Worth a look:", *(f"- {text}" for text in texts))) if texts else ""


def _late(steps: Sequence[StepMetrics]) -> Sequence[StepMetrics]:
    return steps[-(len(steps) // 10) :]


def _mean(steps: Sequence[StepMetrics], value: Value, fewest: int = 1) -> float | None:
    """The mean over the steps that have a value; None if these are too few."""
    known = [found for step in steps if (found := value(step)) is not None]
    return fmean(known) if len(known) >= fewest else None


def _latest(steps: Sequence[StepMetrics], value: Value) -> float | None:
    return _mean(steps[-LATEST:], value, FEWEST_LATEST)


def _no_signal(steps: Sequence[StepMetrics]) -> str | None:
    without: list[StepMetrics] = []
    for step in reversed(steps):
        if step.prompts and step.effective_prompt_ratio:
            break
        without.append(step)
    prompts = sum(step.prompts for step in without)
    if len(without) < FEWEST_LATEST or not prompts:
        return None
    return (
        f"In the last {len(without)} steps none of the {prompts:,} prompts had signal: all outputs "
        f"for a problem got the same reward, so nothing was learnt. {_without_signal(without)}"
    )


def _signal(history: History) -> str | None:
    late = _late(history.steps)
    prompts = sum(step.prompts for step in late)
    effective = sum((step.effective_prompt_ratio or 0.0) * step.prompts for step in late)
    share = effective / prompts if prompts else 1.0
    if share >= 0.2:
        return None
    return (
        f"At the end, {share:.0%} of the prompts have signal; for the others, all outputs get the "
        f"same reward. {_without_signal(late)}"
    )


def _without_signal(steps: Sequence[StepMetrics]) -> str:
    """What to do in steps with little or no signal."""
    accuracy = _mean(steps, lambda step: step.accuracy) or 0.0
    if accuracy >= 0.9:
        return "Nearly all problems drawn are solved: add environments or harder levels."
    if accuracy <= 0.1:
        return (
            "Hardly any problem drawn is solved: teach the model first (rlve teach), or train on "
            "easier environments."
        )
    return (
        "Some problems are solved every time and the others hardly ever: compare them (rlve "
        "rollouts), and add environments."
    )


def _no_variety(steps: Sequence[StepMetrics]) -> str | None:
    entropy = _latest(steps, lambda step: step.entropy)
    if entropy is None or entropy >= HARDLY_VARIES:
        return None
    return (
        f"Outputs hardly vary: their entropy is {entropy:.2g} nats, so nothing new is tried. "
        "Start from a model that was taught more lightly, keep entropy up "
        "(--update.entropy-target), or train on more environments or levels at once."
    )


def _variety(history: History) -> str | None:
    early = _mean(history.steps[: len(history.steps) // 10], lambda step: step.entropy)
    late = _mean(_late(history.steps), lambda step: step.entropy)
    if early is None or late is None or late >= min(0.05, early / 4):
        return None
    return (
        f"Outputs hardly vary any more: their entropy fell from {early:.2g} to {late:.2g} nats, so "
        "little is tried that is new. Lower --update.learning-rate, keep entropy up "
        "(--update.entropy-target), or train on more environments or levels at once."
    )


def _no_form(steps: Sequence[StepMetrics]) -> str | None:
    cut_off = _latest(steps, lambda step: step.truncated)
    if cut_off is not None and cut_off >= 0.5:
        return (
            f"{cut_off:.0%} of the latest outputs were cut off at the response limit, and count as "
            "wrong. Raise --rollout.max-tokens, or do not train on them (--rollout.overlong mask)."
        )
    ill_formed = _latest(steps, lambda step: step.ill_formed)
    if ill_formed is not None and ill_formed >= 0.5:
        return (
            f"{ill_formed:.0%} of the latest outputs have no readable answer. Read some (rlve "
            "rollouts): change --policy.format or --policy.stop-strings, or teach the form (rlve "
            "teach)."
        )
    return None


def _one_answer(steps: Sequence[StepMetrics]) -> str | None:
    """The environments that get one answer to nearly all problems, and rewards for it."""
    problems: Counter[str] = Counter()
    given: dict[str, Counter[str]] = {}
    earned: dict[tuple[str, str], float] = {}
    for step in steps[-STEPS_OF_PROBLEMS:]:
        problems.update({name: sum(levels.values()) for name, levels in step.drawn.items()})
        for name, answers in step.same_answers.items():
            for answer, (number, reward) in answers.items():
                given.setdefault(name, Counter())[answer] += number
                earned[name, answer] = earned.get((name, answer), 0.0) + number * reward
    found: list[str] = []
    for name, answers in given.items():
        [(answer, number)] = answers.most_common(1)
        reward = earned[name, answer] / number
        # One that is always right belongs to problems that are all alike, not to a guess.
        if number >= max(FEWEST_PROBLEMS, SAME_ANSWER * problems[name]) and 0 < reward < 1:
            found.append(
                f"{name} ({answer!r} to {number} of {problems[name]}, reward {reward:.2f})"
            )
    if not found:
        return None
    return (
        f"Nearly all problems get the same answer, and it pays, in {join_words(found)}. Read some "
        "(rlve rollouts); train on rewards of 0 and 1 (--rollout.signal correct), or leave the "
        "environment out of --data.environments."
    )


def _more_guesses(steps: Sequence[StepMetrics]) -> str | None:
    """Whether more of the reward is what guessing earns, while nothing more is solved at h."""
    window = steps[-STEPS_OF_PROBLEMS:]

    def change(value: Value) -> float | None:
        was, now = _latest(window[:LATEST], value), _latest(window, value)
        return None if was is None or now is None else now - was

    share = change(lambda step: step.unearned)
    solved = change(lambda step: step.accuracy_at_high)
    risen = change(lambda step: fmean(h for _, h in step.bounds.values()) if step.bounds else None)
    if len(window) < STEPS_OF_PROBLEMS or share is None or solved is None or risen is None:
        return None
    if share < MORE_GUESSED or solved > HARDLY_MORE or risen > HARDLY_HIGHER:
        return None
    now = _latest(window, lambda step: step.unearned)
    return (
        f"In the last {len(window)} steps, the share of the reward that guessing would have earned "
        f"rose by {100 * share:.0f} points, to {now:.0%}, but accuracy at h did not. Read some "
        "outputs (rlve rollouts); take from rewards what guessing earns (--rollout.earned), or "
        "train on rewards of 0 and 1 (--rollout.signal correct)."
    )


def _judging(history: History) -> str | None:
    failed: dict[tuple[str, str], int] = {}
    for step in history.steps:
        for name, kinds in step.failures.items():
            for kind, number in kinds.items():
                failed[name, kind] = failed.get((name, kind), 0) + number
    outputs = sum(step.prompts for step in history.steps) * history.group
    if not failed or sum(failed.values()) <= 0.01 * outputs:
        return None
    name, kind = max(failed, key=lambda each: failed[each])
    advice = f"rlve check {name} may find the fault."
    if kind == "deadline":
        advice = "The machine is busy, or --rollout.deadline is too short."
    return (
        f"{sum(failed.values()) / outputs:.0%} of the outputs could not be judged, most often in "
        f"{name} ({kind}). {advice}"
    )


def _too_long(history: History) -> str | None:
    redrawn = history.steps[-1].redrawn
    lost = sum(kinds.get("too long", 0) for kinds in redrawn.values())
    kept = sum(step.prompts for step in history.steps)
    if lost <= kept:
        return None
    return (
        f"{lost / (lost + kept):.0%} of the problems drawn were too long, and replaced. Raise "
        "--data.max-prompt-tokens, or choose environments or levels with shorter prompts."
    )


def _fall(validations: Sequence[ValidationRecord], *, held_out: bool = False) -> str | None:
    """The largest fall from the first to the last measurement that is more than chance."""
    if len(validations) < 2:
        return None
    first, last = validations[0], validations[-1]
    names, interval = (
        (last.held_out, _over_environments) if held_out else (last.trained, _over_problems)
    )
    falls = [
        (change.estimate, now.temperature)
        for was, now in zip(first.measured, last.measured, strict=True)
        if (change := interval(_changes(was, now, names))) is not None and change.high < 0
    ]
    if not falls:
        return None
    change, temperature = min(falls)
    fell = f"fell by {-100 * change:.1f} points at temperature {temperature:g}"
    if held_out:
        return (
            f"On environments that are not trained on, accuracy {fell}: the policy is "
            "specialising. Train on more environments."
        )
    return (
        f"Accuracy on test problems {fell}. Lower --update.learning-rate, enlarge the batch "
        "(--rollout.problems), or widen --data.window if levels are being forgotten."
    )


Changes: TypeAlias = Sequence[Sequence[Sequence[int]]]
"""By environment, level and problem: -1 if it is no longer solved, 1 if it now is, otherwise 0."""


def _changes(was: Accuracy, now: Accuracy, names: Sequence[str]) -> Changes:
    return [
        [
            [int(b) - int(a) for a, b in zip(row, now.solved[name][level], strict=True)]
            for level, row in was.solved[name].items()
        ]
        for name in names
        if name in was.solved
    ]


def _over_problems(changes: Changes) -> Interval | None:
    """For environments trained on: their problems are a sample."""
    return over_problems([row for levels in changes for row in levels]) if changes else None


def _over_environments(changes: Changes) -> Interval | None:
    """For held-out environments, which are a sample themselves; None unless accuracy fell."""
    means = [fmean(map(fmean, levels)) for levels in changes]
    # The bootstrap takes a tenth of a second, which a page that is often redrawn would notice.
    return over_environments(means) if sum(means) < 0 else None


_CHECKS: dict[str, Callable[[History], str | None]] = {
    "signal": _signal,
    "variety": _variety,
    "judging": _judging,
    "prompts": _too_long,
}


@dataclass(frozen=True)
class _Limit:
    """A number that should stay below a limit."""

    kind: str
    value: Value
    highest: float
    text: str  # with a place for its mean over the last tenth of the run


_LIMITS = (
    _Limit(
        "form",
        lambda step: step.ill_formed,
        0.1,
        "At the end, {:.0%} of the outputs have no readable answer. Read some (rlve rollouts): "
        "change --policy.format or --policy.stop-strings, or teach the form (rlve teach).",
    ),
    _Limit(
        "form",
        lambda step: step.truncated,
        0.1,
        "At the end, {:.0%} of the outputs reach the response limit before they are finished. "
        "Raise --rollout.max-tokens, or do not train on them (--rollout.overlong mask).",
    ),
    _Limit(
        "staleness",
        lambda step: step.staleness,
        4,
        "At the end, the groups of a batch were started {:.1f} steps ago on average, by an older "
        "policy. Lower --rollout.oversample, or set --rollout.max-staleness.",
    ),
    _Limit(
        "sampler",
        lambda step: step.sampler_gap,
        0.1,
        "The sampler and the update disagree: log-probabilities differ by {:.2g} on average. "
        "Compare with --rollout.engine in-process, or try another --policy.dtype or "
        "--policy.attention.",
    ),
)
