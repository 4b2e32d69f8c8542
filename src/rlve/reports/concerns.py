"""What deserves a look in a run: signs that it is not learning, and numbers far from typical ones.

Pure functions from a run's records to sentences that say what was seen and what may help. Signs
that it is not learning come from its latest steps, so they are told while it runs; the rest is
judged when there is enough of it. The sentences are templates/concerns.txt; docs/metrics.md
explains the numbers, and has the same advice in more words.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from statistics import fmean
from typing import Any, TypeAlias

from rlve.foundation.intervals import change_interval, over_environments
from rlve.reports.accuracy import problems_turned
from rlve.reports.pages import join_words, templates
from rlve.train.history import Accuracy, Cell, History, StepMetrics, ValidationRecord

FEWEST_STEPS = 20  # in a shorter run, a tenth of it is too little to judge by
LATEST = 5  # steps; signs that a run is not learning must last
FEWEST_LATEST = 3  # of them must have a value
HARDLY_VARIES = 0.02  # nats; after thorough teaching, three of four prompts then have no signal
SAME_ANSWER = 0.9  # of the problems of an environment
FEWEST_PROBLEMS = 16  # of an environment, for that; they are gathered over
STEPS_OF_PROBLEMS = 20
MOSTLY_SEEN = 0.5  # of problems came up before
MOST_NAMED = 3  # levels
ADVICE = "docs/troubleshooting.md"

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
        "problems": _repeats(steps),
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
        for name, (kind, highest) in _LIMITS.items():
            mean = _mean(late, attrgetter(name))
            if kind not in found and mean is not None and mean > highest:
                found[name] = _tell(name, value=mean)
    return list(found.values())


def _tell(template: str, **values: Any) -> str:
    return str(getattr(templates().get_template("concerns.txt").module, template)(**values)).strip()


def as_lines(texts: Sequence[str]) -> str:
    """The concerns as lines of text; empty if there are none."""
    lines = ("Worth a look:", *(f"- {text}" for text in texts), f"More is in {ADVICE}.")
    return "\n".join(lines) if texts else ""


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
    accuracy = _mean(without, lambda step: step.accuracy) or 0.0
    return _tell("no_signal", steps=len(without), prompts=prompts, accuracy=accuracy)


def _signal(history: History) -> str | None:
    late = _late(history.steps)
    prompts = sum(step.prompts for step in late)
    effective = sum((step.effective_prompt_ratio or 0.0) * step.prompts for step in late)
    share = effective / prompts if prompts else 1.0
    if share >= 0.2:
        return None
    accuracy = _mean(late, lambda step: step.accuracy) or 0.0
    return _tell("signal", share=share, accuracy=accuracy)


def _no_variety(steps: Sequence[StepMetrics]) -> str | None:
    entropy = _latest(steps, lambda step: step.entropy)
    if entropy is None or entropy >= HARDLY_VARIES:
        return None
    return _tell("no_variety", entropy=entropy)


def _no_form(steps: Sequence[StepMetrics]) -> str | None:
    for name in ("truncated", "ill_formed"):
        share = _latest(steps, attrgetter(name))
        if share is not None and share >= 0.5:
            return _tell(name, value=share)
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
    return _tell("one_answer", where=join_words(found))


def _repeats(steps: Sequence[StepMetrics]) -> str | None:
    """The levels most of whose latest problems had come up before."""
    drawn, repeated = _problems(steps[-STEPS_OF_PROBLEMS:])
    few = {
        cell
        for cell, number in repeated.items()
        if drawn[cell] >= FEWEST_PROBLEMS and number > MOSTLY_SEEN * drawn[cell]
    }
    if not few:
        return None
    drawn, repeated = _problems(steps)
    different = sorted((drawn[cell] - repeated[cell], *cell) for cell in few)
    found = [
        f"{name} at difficulty {difficulty} ({number} different ones in {drawn[name, difficulty]})"
        for number, name, difficulty in different
    ]
    return _tell("repeats", where=found[:MOST_NAMED], more=len(found) - MOST_NAMED)


def _problems(steps: Sequence[StepMetrics]) -> tuple[Counter[Cell], Counter[Cell]]:
    """By environment and level, the problems drawn, and those that had come up before."""
    drawn, repeated = Counter[Cell](), Counter[Cell]()
    for step in steps:
        for counted, levels in ((drawn, step.drawn), (repeated, step.repeated)):
            for name, numbers in levels.items():
                for level, number in numbers.items():
                    counted[name, level] += number
    return drawn, repeated


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
    return _tell("judging", share=sum(failed.values()) / outputs, name=name, kind=kind)


def _too_long(history: History) -> str | None:
    redrawn = history.steps[-1].redrawn
    lost = sum(kinds.get("too long", 0) for kinds in redrawn.values())
    kept = sum(step.prompts for step in history.steps)
    if lost <= kept:
        return None
    return _tell("too_long", share=lost / (lost + kept))


def _fall(validations: Sequence[ValidationRecord], *, held_out: bool = False) -> str | None:
    """The largest fall from the first to the last measurement that is more than chance."""
    if len(validations) < 2:
        return None
    first, last = validations[0], validations[-1]
    names = last.held_out if held_out else last.trained
    fell = _fell_over_environments if held_out else _fell_over_problems
    found = [
        (now.mean(names) - was.mean(names), now.temperature)
        for was, now in zip(first.measured, last.measured, strict=True)
        if names and fell(was, now, names)
    ]
    if not found:
        return None
    change, temperature = min(found)
    return _tell("fall_elsewhere" if held_out else "fall", change=change, temperature=temperature)


def _fell_over_problems(was: Accuracy, now: Accuracy, names: Sequence[str]) -> bool:
    """For environments trained on: their problems are a sample."""
    problems = sum(len(marks) for name in names for marks in was.solved.get(name, {}).values())
    return problems > 0 and change_interval(*problems_turned(was, now, names), problems)[1] < 0


def _fell_over_environments(was: Accuracy, now: Accuracy, names: Sequence[str]) -> bool:
    """For held-out environments, which are a sample themselves."""
    changes = [now.mean([name]) - was.mean([name]) for name in names]
    # The bootstrap takes a tenth of a second, which a page that is often redrawn would notice.
    found = over_environments(changes) if sum(changes) < 0 else None
    return found is not None and found.high < 0


_CHECKS: dict[str, Callable[[History], str | None]] = {
    "signal": _signal,
    "judging": _judging,
    "prompts": _too_long,
}


# What should stay below a limit, on average over the last tenth of a run; and its kind, of which
# there may be a sign already.
_LIMITS = {
    "ill_formed": ("form", 0.1),
    "truncated": ("form", 0.1),
    "staleness": ("staleness", 4),
    "sampler_gap": ("sampler", 0.1),
}
