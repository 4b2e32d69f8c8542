"""What deserves a look in a run: numbers far from the typical ones, and what to do about them.

docs/metrics.md explains the numbers, and has the same advice in more words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from rlve.intervals import Interval, over_environments, over_problems
from rlve.train.history import Accuracy, History, StepMetrics

FEWEST_STEPS = 20  # in a shorter run, a tenth of it is too little to judge by

Value: TypeAlias = Callable[[StepMetrics], float | None]


def concerns(history: History) -> list[str]:
    """What was seen and what may help, a few sentences each; none if the run is too short."""
    if len(history.steps) < FEWEST_STEPS:
        return []
    found = [text for check in _CHECKS if (text := check(history)) is not None]
    late = _late(history)
    for limit in _LIMITS:
        mean = _mean(late, limit.value)
        if mean is not None and mean > limit.highest:
            found.append(limit.text.format(mean))
    return found


def as_lines(texts: Sequence[str]) -> str:
    """The concerns as lines of text; empty if there are none."""
    return "\n".join(("Worth a look:", *(f"- {text}" for text in texts))) if texts else ""


def _late(history: History) -> list[StepMetrics]:
    return history.steps[-(len(history.steps) // 10) :]


def _mean(steps: Sequence[StepMetrics], value: Value) -> float | None:
    """The mean over the steps that have a value; None if none has."""
    known = [found for step in steps if (found := value(step)) is not None]
    return fmean(known) if known else None


def _signal(history: History) -> str | None:
    late = _late(history)
    prompts = sum(step.prompts for step in late)
    effective = sum((step.effective_prompt_ratio or 0.0) * step.prompts for step in late)
    share = effective / prompts if prompts else 1.0
    if share >= 0.2:
        return None
    accuracy = _mean(late, lambda step: step.accuracy) or 0.0
    if accuracy >= 0.9:
        advice = "Nearly all problems drawn are solved: add environments or harder levels."
    elif accuracy <= 0.1:
        advice = (
            "Hardly any problem drawn is solved: teach the model first (rlve teach), or train on "
            "easier environments."
        )
    else:
        advice = (
            "Some problems are solved every time and the others hardly ever: compare them (rlve "
            "rollouts), and add environments."
        )
    return (
        f"At the end, {share:.0%} of the prompts have signal; for the others, all outputs get the "
        f"same reward. {advice}"
    )


def _variety(history: History) -> str | None:
    early = _mean(history.steps[: len(history.steps) // 10], lambda step: step.entropy)
    late = _mean(_late(history), lambda step: step.entropy)
    if early is None or late is None or late >= min(0.05, early / 4):
        return None
    return (
        f"Outputs hardly vary any more: their entropy fell from {early:.2g} to {late:.2g} nats, so "
        "little is tried that is new. Lower --update.learning-rate, or train on more environments "
        "or levels at once."
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


def _test_problems(history: History) -> str | None:
    fell = _worst_fall(history, held_out=False)
    if fell is None:
        return None
    return (
        f"Accuracy on test problems fell by {fell}. Lower --update.learning-rate, enlarge the "
        "batch (--rollout.problems), or widen --data.window if levels are being forgotten."
    )


def _elsewhere(history: History) -> str | None:
    fell = _worst_fall(history, held_out=True)
    if fell is None:
        return None
    return (
        f"On environments that are not trained on, accuracy fell by {fell}: the policy is "
        "specialising. Train on more environments."
    )


def _worst_fall(history: History, *, held_out: bool) -> str | None:
    """The largest fall from the first to the last measurement that is more than chance."""
    if len(history.validations) < 2:
        return None
    first, last = history.validations[0], history.validations[-1]
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
    return f"{-100 * change:.1f} points at temperature {temperature:g}"


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


_CHECKS: tuple[Callable[[History], str | None], ...] = (
    _test_problems,
    _elsewhere,
    _signal,
    _variety,
    _judging,
    _too_long,
)


@dataclass(frozen=True)
class _Limit:
    """A number that should stay below a limit."""

    value: Value
    highest: float
    text: str  # with a place for its mean over the last tenth of the run


_LIMITS = (
    _Limit(
        lambda step: step.ill_formed,
        0.1,
        "At the end, {:.0%} of the outputs have no readable answer. Read some (rlve rollouts): "
        "change --policy.format or --policy.stop-strings, or teach the form (rlve teach).",
    ),
    _Limit(
        lambda step: step.truncated,
        0.1,
        "At the end, {:.0%} of the outputs reach the response limit before they are finished. "
        "Raise --rollout.max-tokens, or do not train on them (--rollout.overlong mask).",
    ),
    _Limit(
        lambda step: step.staleness,
        4,
        "At the end, the groups of a batch were started {:.1f} steps ago on average, by an older "
        "policy. Lower --rollout.oversample, or set --rollout.max-staleness.",
    ),
    _Limit(
        lambda step: step.sampler_gap,
        0.1,
        "The sampler and the update disagree: log-probabilities differ by {:.2g} on average. "
        "Compare with --rollout.engine in-process, or try another --policy.dtype or "
        "--policy.attention.",
    ),
)
