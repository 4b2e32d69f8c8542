"""A training run in words and tables: what it did, what was learnt, what deserves a look."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from rlve.foundation.run_folders import checkpoint_at
from rlve.reports import accuracy
from rlve.reports.accuracy import with_interval
from rlve.reports.concerns import as_lines, concerns
from rlve.reports.pages import Rows, duration, join_words
from rlve.text import quantity
from rlve.train.history import History, RunHistory, StepMetrics, read_history

TOLD_AT_MOST = 6  # environments that are mentioned one by one


def tell(folder: Path) -> str:
    """What the run in a folder did, what was learnt, and what deserves a look."""
    history = read_history(folder)
    return "\n\n".join(filter(None, (headline(history), as_lines(concerns(history)))))


def headline(history: History) -> str:
    """What the run did, and what was learnt, in a few sentences."""
    if not history.validations:
        return climb(history)
    return f"{climb(history)} {accuracy.sentence(history.validations)}"


def climb(history: History) -> str:
    """How difficult the problems became, in a sentence or two."""
    steps = history.steps
    begin = beginning(history)
    bounds = {name: steps[-1].bounds[name] for name in history.environments}
    if not history.adaptive:
        was, now = _early_and_late([step.accuracy for step in steps])
        where = ""
        if bounds:
            low = min(low for low, _ in bounds.values())
            high = max(high for _, high in bounds.values())
            where = f" on difficulties {low} to {high}"
        return f"{begin} went from {_share(was)} to {_share(now)} accuracy{where}."
    high = {name: h for name, (_, h) in bounds.items()}
    risen = sorted((name for name in high if high[name]), key=lambda name: -high[name])
    if len(high) > TOLD_AT_MOST:
        if not risen:
            return f"{begin} mastered no level of its {len(high)} environments."
        most = risen[0]
        return (
            f"{begin} climbed in {len(risen)} of {len(high)} environments: h went from 0 to "
            f"{fmean(high.values()):.1f} on average, and to {high[most]} in {most}."
        )
    climbed = join_words([f"to {high[name]} in {name}" for name in risen])
    text = f"{begin} mastered no level."
    if risen:
        text = f"{begin} climbed from difficulty 0 {climbed}."
    for name in high:
        if not high[name]:
            was, now = _early_and_late([step.accuracy_at_high_of.get(name) for step in steps])
            change = (
                f"went from {_share(was)} to {_share(now)}" if was != now else f"is {_share(now)}"
            )
            text += f" {name} is still at 0; its accuracy there {change}."
    return text


def beginning(history: "RunHistory[Any, Any]") -> str:
    """The words with which a sentence on any run begins."""
    steps = quantity(len(history.steps), "step")
    return f"In {steps} and {duration(history.seconds)}, {model_name(history.config)}"


def model_name(config: Mapping[str, Any]) -> str:
    """The policy's name without the folders above it; of a checkpoint, that of its run."""
    model = Path(config.get("policy", {}).get("model", "a policy"))
    found = checkpoint_at(model)
    return (found.run if found else model).name


def climbs(history: History) -> Rows:
    """How far each environment has come."""
    rows: list[tuple[str, ...]] = []
    for name, (low, high) in history.steps[-1].bounds.items():
        before = 0 if history.adaptive else history.steps[0].bounds[name][1]
        measured = [step for step in history.steps if name in step.accuracy_at_high_of]
        tenth = max(1, len(measured) // 10)
        was, now = (_at_high(part, name) for part in (measured[:tenth], measured[-tenth:]))
        rows.append((name, str(before), str(high), f"{low} to {high}", was, now))
    headings = ("environment", "first h", "h now", "range now", "accuracy at first h", "at h now")
    return Rows(headings, sorted(rows, key=lambda row: -int(row[2])))


def _at_high(steps: Sequence[StepMetrics], name: str) -> str:
    """An environment's accuracy at h over some steps, with its interval and number of problems."""
    if not steps:
        return "-"
    share = fmean(step.accuracy_at_high_of[name] for step in steps)
    return with_interval(share, problems_at_high(steps, [name]))


def problems_at_high(steps: Sequence[StepMetrics], names: Sequence[str] | None = None) -> int:
    """How many problems of some environments, or of all, accuracy at h is measured on."""
    return sum(
        step.drawn[name][max(step.drawn[name])]
        for step in steps
        for name in (step.accuracy_at_high_of if names is None else names)
        if step.drawn.get(name)
    )


def _early_and_late(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """The means over the first and the last tenth of the values that are not None."""
    known = [value for value in values if value is not None]
    tenth = max(1, len(known) // 10)
    return (fmean(known[:tenth]), fmean(known[-tenth:])) if known else (None, None)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
