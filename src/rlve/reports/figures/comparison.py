"""The pictures of a comparison: curves over training steps, or dots with their intervals."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from rlve.evaluate.compare import ComparedEvaluation, ComparedValue, Comparison
from rlve.reports.figures import (
    INK,
    NAMES_AT_MOST,
    PALETTE,
    PANELS_AT_MOST,
    handles_of,
    in_style,
    new_figure,
    panels,
    percentages,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@in_style
def overview(comparison: Comparison) -> "Figure":
    """Curves over training steps, a line per run; without steps, a dot per evaluation."""
    if not _over_steps(comparison):
        return _dots(comparison, [("", lambda each: each.overall)])
    figure = new_figure(9, 4.6, handles_of(_styles(comparison)))
    axes = figure.subplots()
    _curves(axes, comparison, lambda each: each.overall)
    axes.set(title=f"{comparison.suite}: {comparison.number}", xlabel="training step")
    return figure


@in_style
def by_group(comparison: Comparison) -> "Figure | None":
    """The same by environment or difficulty; None if there are too many for a picture."""
    groups = list(comparison.evaluations[0].groups)
    if not _over_steps(comparison):
        if len(groups) * len(comparison.evaluations) > 4 * NAMES_AT_MOST:
            return None
        return _dots(comparison, [(name, _in_group(name)) for name in groups])
    if len(groups) > PANELS_AT_MOST:
        return None
    figure, grid = panels(groups, handles_of(_styles(comparison)), levels=False)
    for name, axes in zip(groups, grid, strict=True):
        _curves(axes, comparison, _in_group(name))
    return figure


Chosen: TypeAlias = Callable[[ComparedEvaluation], ComparedValue]


def _in_group(name: str) -> Chosen:
    return lambda each: each.groups[name]


def _over_steps(comparison: Comparison) -> bool:
    return any(len(points) > 1 for points in _runs(comparison).values())


def _runs(comparison: Comparison) -> dict[str, list[ComparedEvaluation]]:
    """The checkpoints of each run, in order; evaluations without a step are left out."""
    found: dict[str, list[ComparedEvaluation]] = {}
    for each in comparison.evaluations:
        if each.step is not None:
            found.setdefault(each.run, []).append(each)
    return found


def _styles(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """The lines of runs and, dotted, of evaluations without steps."""
    names = [*_runs(comparison), *(e.name for e in comparison.evaluations if e.step is None)]
    dashes = ("-", "--")
    return {
        name: {
            "color": PALETTE[index % len(PALETTE)],
            "linestyle": dashes[index // len(PALETTE) % 2] if name in _runs(comparison) else ":",
            "linewidth": 2.0 if name in _runs(comparison) else 1.4,
        }
        for index, name in enumerate(names)
    }


def _curves(axes: "Axes", comparison: Comparison, chosen: Chosen) -> None:
    styles = _styles(comparison)
    for run, points in _runs(comparison).items():
        steps = [each.step or 0 for each in points]
        values = [chosen(each) for each in points]
        low, high = zip(*(value.interval for value in values), strict=True)
        style = styles[run]
        axes.plot(steps, [v.value for v in values], marker="o", markersize=3.5, **style)
        axes.fill_between(steps, low, high, color=style["color"], alpha=0.15, linewidth=0)
    for each in comparison.evaluations:
        if each.step is None:
            axes.axhline(chosen(each).value, **styles[each.name])
    percentages(axes.yaxis)


def _dots(comparison: Comparison, groups: Sequence[tuple[str, Chosen]]) -> "Figure":
    """A line of dots with intervals for each group, one dot per evaluation."""
    many = comparison.evaluations
    colours: Mapping[str, str] = {
        each.name: PALETTE[index % len(PALETTE)] for index, each in enumerate(many)
    }
    dots = {
        name: {"color": colour, "marker": "o", "linestyle": ""} for name, colour in colours.items()
    }
    height = 0.18 * len(many) + 0.12
    figure = new_figure(9, 1.0 + height * len(groups), handles_of(dots))
    axes = figure.subplots()
    for line, (_, chosen) in enumerate(reversed(groups)):
        for index, each in enumerate(many):
            value = chosen(each)
            low, high = value.interval
            at = line + 0.8 * ((len(many) - 1 - index + 0.5) / len(many) - 0.5)
            axes.plot([low, high], [at, at], color=colours[each.name], linewidth=1.4)
            axes.plot([value.value], [at], "o", markersize=4, color=colours[each.name])
    axes.set(title=f"{comparison.suite}: {comparison.number}", ylim=(-0.6, len(groups) - 0.4))
    names = [plain(name) for name, _ in reversed(groups)]
    axes.set_yticks(range(len(groups)) if any(names) else [], names if any(names) else [])
    axes.tick_params(axis="y", labelsize=8, length=0, labelcolor=INK)
    percentages(axes.xaxis)
    return figure
