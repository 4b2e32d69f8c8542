"""The page that shows a training run: one HTML file with its pictures inside.

write_report(Path("runs/nano"))       even during the run
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from rlve.errors import UserError
from rlve.reports import accuracy
from rlve.reports.concerns import as_lines, concerns
from rlve.reports.figures import PANELS_AT_MOST, png
from rlve.reports.figures import training as pictures
from rlve.reports.pages import Rows, duration, join_words, render, write_page
from rlve.run_folders import checkpoint_at
from rlve.text import quantity
from rlve.train.history import GroupSample, History, RunHistory, read_history

TOLD_AT_MOST = 6  # environments that are mentioned one by one
SAMPLED_AT_MOST = 6

H = TypeVar("H", bound="RunHistory[Any, Any]")


def write_report(folder: Path) -> Path:
    """Write the report of a run into its folder."""
    return write_page(folder, page(check_begun(read_history(folder))))


def check_begun(history: H) -> H:
    """The history of any run; a UserError if there is nothing in it to report."""
    if not history.steps:
        raise UserError(f"{history.folder} has no finished step to report yet")
    return history


def tell(folder: Path) -> str:
    """What the run in a folder did, what was learnt, and what deserves a look."""
    history = read_history(folder)
    return "\n\n".join(filter(None, (headline(history), as_lines(concerns(history)))))


def page(history: History) -> str:
    """The page as text."""
    prompts = sum(step.prompts for step in history.steps)
    tokens = sum(step.tokens for step in history.steps)
    counts = {"prompts": prompts, "rollouts": prompts * history.group, "tokens sampled": tokens}
    adapts, has_drawn = history.environments, any(step.drawn for step in history.steps)
    return render(
        "training.html",
        **opening(history, counts, tokens),
        title=f"Training {model_name(history.config)}",
        headline=headline(history),
        concerns=concerns(history),
        staircase=png(pictures.staircase(history)) if adapts else None,
        last=history.steps[-1],
        told=TOLD_AT_MOST,
        environments=_environments(history),
        many=len(adapts) > PANELS_AT_MOST,
        drawn=png(pictures.drawn(history)) if adapts and has_drawn else None,
        overview=png(pictures.overview(history)),
        time=png(pictures.time(history.steps)),
        samples=choose_samples(history),
    )


def opening(history: "RunHistory[Any, Any]", counts: dict[str, int], tokens: int) -> dict[str, Any]:
    """What the page of any run begins with: a few numbers, and what was learnt."""
    seconds, records = history.seconds, history.validations
    return {
        "history": history,
        "shown": {
            "steps": f"{history.steps[-1].step:,}",
            "time": duration(seconds),
            **{name: f"{number:,}" for name, number in counts.items()},
            "tokens per second": f"{tokens / seconds:,.0f}" if seconds else "-",
        },
        "curve": png(accuracy.curve(records)) if records else None,
        "levels": accuracy.by_level(records) if records else None,
    }


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


def choose_samples(history: History) -> list[GroupSample]:
    """A few problems to show: the last of each environment, and the first if there is room."""
    first: dict[str, GroupSample] = {}
    last: dict[str, GroupSample] = {}
    for sample in history.samples:
        first.setdefault(sample.environment, sample)
        last[sample.environment] = sample
    bounds = history.steps[-1].bounds
    names = sorted(last, key=lambda name: -bounds.get(name, (0, 0))[1])[:SAMPLED_AT_MOST]
    samples: list[GroupSample] = []
    for name in names:
        if len(names) * 2 <= SAMPLED_AT_MOST and first[name] is not last[name]:
            samples.append(first[name])
        samples.append(last[name])
    return samples


def _environments(history: History) -> Rows:
    """How far each environment has come."""
    rows: list[tuple[str, ...]] = []
    for name, (low, high) in history.steps[-1].bounds.items():
        before = 0 if history.adaptive else history.steps[0].bounds[name][1]
        was, now = _early_and_late([s.accuracy_at_high_of.get(name) for s in history.steps])
        rows.append((name, str(before), str(high), f"{low} to {high}", _share(was), _share(now)))
    headings = ("environment", "first h", "h now", "range now", "accuracy at first h", "at h now")
    return Rows(headings, sorted(rows, key=lambda row: -int(row[2])))


def _early_and_late(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """The means over the first and the last tenth of the values that are not None."""
    known = [value for value in values if value is not None]
    tenth = max(1, len(known) // 10)
    return (fmean(known[:tenth]), fmean(known[-tenth:])) if known else (None, None)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
