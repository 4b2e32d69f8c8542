"""The pictures of a training run."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rlve.metrics import Table, chart_names, read_metrics, step_table
from rlve.reports.figures import (
    INK,
    PALETTE,
    PANELS_AT_MOST,
    array,
    draw_smooth,
    handles_of,
    heat_maps,
    in_style,
    moving_average,
    new_figure,
    panels,
    percentages,
    target_line,
    whole_levels,
    whole_numbers,
    write_at_end,
    write_beside,
)
from rlve.reports.pages import duration
from rlve.train.history import PHASES, History, StepMetrics, TimedStep, phases

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

COLUMNS = 3
AT_HIGH = "accuracy_at_high"
TOGETHER_AT_MOST = 7  # environments that share one picture, each in its colour
ALL_TOGETHER = PALETTE[0]
BINS = 120  # columns of steps in a picture of what was drawn


@in_style
def staircase(history: History) -> "Figure":
    """h over the steps, by environment: in one picture, in panels, or as rows of a heat map."""
    names = history.environments
    if len(names) <= TOGETHER_AT_MOST:
        return _stairs(history, names)
    if len(names) <= PANELS_AT_MOST:
        return _panels(history, names)
    steps = from_the_start(history)
    high = array([[step.bounds[name][1] for name in names] for step in steps]).T
    mean = high[:, -1].mean()
    title = f"h by environment, {mean:.1f} on average in the end"
    ends = (steps[0].step, steps[-1].step)
    return heat_maps(names, {title: high}, ends, what="highest difficulty h")


@in_style
def drawn(history: History) -> "Figure":
    """The difficulties drawn, step by step: the darker, the more groups."""
    import numpy as np
    from matplotlib.colors import PowerNorm

    steps = history.steps
    top = max((level for s in steps for levels in s.drawn.values() for level in levels), default=0)
    bins = min(len(steps), BINS)
    shares = np.zeros((top + 1, bins))
    for index, step in enumerate(steps):
        for levels in step.drawn.values():
            for level, groups in levels.items():
                shares[level, index * bins // len(steps)] += groups
    shares /= np.maximum(shares.sum(axis=0), 1)
    figure = new_figure(11, 3.4, [])
    axes = figure.subplots()
    image = axes.imshow(
        shares,
        aspect="auto",
        origin="lower",
        cmap="Blues",
        norm=PowerNorm(0.5, vmin=0),  # so that the few rehearsed groups are visible
        extent=(steps[0].step - 0.5, steps[-1].step + 0.5, -0.5, top + 0.5),
    )
    axes.set(title="Difficulties drawn", xlabel="training step", ylabel="difficulty")
    axes.grid(visible=False)
    whole_levels(axes)
    all_steps(axes, steps)
    figure.colorbar(image, ax=axes, label="share of groups", format="{x:.0%}", pad=0.01)
    return figure


@in_style
def overview(history: History) -> "Figure":
    """Every metric that has a chart, over the steps; accuracy at h also by environment."""
    steps = history.steps
    names = history.environments
    styles = _styles(names) if len(names) <= TOGETHER_AT_MOST else {}
    apart = [AT_HIGH] if styles else []
    shown = handles_of(styles) if len(styles) > 1 else []
    figure, grid = charts(step_table(), steps, handles=shown, apart=apart)
    accuracy = grid[AT_HIGH]
    for name, style in styles.items():
        values = array([step.accuracy_at_high_of.get(name) for step in steps])
        # A step has few problems at the h of one environment, so only the trend is shown.
        at = array([step.step for step in steps])
        draw_smooth(accuracy, at, values, style, shaded=False, parts=8)
    if not names:
        accuracy.set_title("Accuracy")
    if history.adaptive and (goal := history.curriculum.goal):
        target_line(accuracy, goal[1], f"{goal[0]} {goal[1]:g}")
    return figure


@in_style
def overview_of(table: Table, steps: Sequence[TimedStep]) -> "Figure":
    """Every metric of a table that has a chart, over the steps."""
    return charts(table, steps)[0]


def charts(
    table: Table,
    steps: Sequence[TimedStep],
    *,
    handles: "Sequence[Line2D]" = (),
    apart: Sequence[str] = (),
) -> "tuple[Figure, dict[str, Axes]]":
    """A chart for each metric of the table that has one; those of `apart` are left empty."""
    names = chart_names(table)
    rows = math.ceil(len(names) / COLUMNS)
    figure = new_figure(11, 3.2 * rows + 0.3, handles)
    grid: list[Axes] = list(figure.subplots(rows, COLUMNS, sharex=True, squeeze=False).flat)
    for axes in grid[len(names) :]:
        axes.set_visible(False)
    drawn = dict(zip(names, grid, strict=False))
    for name, axes in drawn.items():
        row = table[name]
        if name not in apart:
            curve(axes, steps, read_metrics(table, name, steps))
        axes.set(title=row.title, ylabel=row.unit)
        if row.is_share:
            axes.set_ylim(-0.02, 1.02)
            percentages(axes.yaxis)
        elif axes.get_ylim()[0] > 0:
            axes.set_ylim(bottom=0)
        all_steps(axes, steps)
    for axes in grid[max(0, len(names) - COLUMNS) : len(names)]:
        axes.set_xlabel("step")
        axes.tick_params(labelbottom=True)
    return figure, drawn


@in_style
def time(steps: Sequence[TimedStep], names: Sequence[str] = PHASES) -> "Figure":
    """The seconds of each step, stacked by phase, and the total of each phase."""
    import numpy as np
    from matplotlib.ticker import StrMethodFormatter

    by_phase = phases(steps, names)
    whole = sum(map(sum, by_phase.values())) or 1.0
    by_phase = {p: values for p, values in by_phase.items() if sum(values) > 0.002 * whole}
    spent = {phase: sum(values) for phase, values in by_phase.items()}
    figure = new_figure(11, 3.4, [])
    over, total = figure.subplots(1, 2, width_ratios=(2.2, 1))
    colours = dict(zip(names, (*PALETTE[:4], PALETTE[7]), strict=True))
    at = [step.step for step in steps]
    smooth = np.array([moving_average(array(values)) for values in by_phase.values()])
    if by_phase:
        over.stackplot(at, smooth, colors=[colours[p] for p in by_phase], alpha=0.9)
    over.set(title="Seconds per step", xlabel="training step", ylim=(0, None))
    over.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    all_steps(over, steps)
    shown = list(reversed(by_phase))
    total.barh(shown, [spent[p] for p in shown], color=[colours[p] for p in shown], height=0.6)
    for row, phase in enumerate(shown):
        text = f"{duration(spent[phase])}, {spent[phase] / whole:.0%}"
        write_beside(total, text, (spent[phase], row))
    total.set(title="In all", xlim=(0, max(spent.values(), default=1.0) * 1.6 or 1.0))
    total.set_xticks([])
    total.grid(visible=False)
    total.spines["bottom"].set_visible(False)
    total.tick_params(axis="y", length=0)
    return figure


def from_the_start(history: History) -> list[StepMetrics]:
    """The steps, preceded by one for the start, where h is 0 if it adapts."""
    first = history.steps[0]
    bounds = {name: (0, 0) if history.adaptive else first.bounds[name] for name in first.bounds}
    return [StepMetrics(step=first.step - 1, bounds=bounds), *history.steps]


def _stairs(history: History, names: Sequence[str]) -> "Figure":
    steps = from_the_start(history)
    figure = new_figure(11, 4.4, [])
    axes = figure.subplots()
    ends: dict[str, float] = {}
    apart = 0.07  # environments at the same level would hide each other
    for index, (name, style) in enumerate(_styles(names).items()):
        offset = apart * (index - (len(names) - 1) / 2)
        high = array([step.bounds[name][1] for step in steps]) + offset
        at = array([step.step for step in steps])
        axes.step(at, high, where="post", **style)
        risen = [i for i in range(1, len(steps)) if high[i] > high[i - 1]]
        axes.plot(at[risen], high[risen], "o", color=style["color"], markersize=5)
        ends[name] = float(high[-1])
    top = max(high for step in steps for _, high in step.bounds.values())
    axes.set_ylim(-0.4, max(top, 1) + 0.4)
    axes.set(title="Highest difficulty h", xlabel="training step", ylabel="difficulty")
    whole_levels(axes)
    all_steps(axes, steps)
    gap = (max(top, 1) + 0.8) * 0.06  # the height of a label
    place = -1e9
    for name, end in sorted(ends.items(), key=lambda item: item[1]):
        place = max(place + gap, end)
        text = f"{name}  {history.steps[-1].bounds[name][1]}"
        colour = _styles(names)[name]["color"]
        write_at_end(axes, text, place, fontweight="bold", color=colour)
    return figure


def _panels(history: History, names: Sequence[str]) -> "Figure":
    steps = from_the_start(history)
    figure, grid = panels(names, [])
    at = array([step.step for step in steps])
    for name, axes in zip(names, grid, strict=True):
        low = array([step.bounds[name][0] for step in steps])
        high = array([step.bounds[name][1] for step in steps])
        axes.fill_between(at, low, high, step="post", color=ALL_TOGETHER, alpha=0.15, linewidth=0)
        axes.step(at, high, where="post", color=ALL_TOGETHER, linewidth=2.0)
    return figure


def curve(axes: "Axes", steps: Sequence[TimedStep], values: Sequence[float | None]) -> None:
    """A value of every step."""
    style = {"color": INK, "linewidth": 2.0}
    draw_smooth(axes, array([step.step for step in steps]), array(values), style, shaded=True)


def all_steps(axes: "Axes", steps: Sequence[TimedStep]) -> None:
    """Make the axis span exactly the run."""
    axes.set_xlim(steps[0].step - 0.5, steps[-1].step + 0.5)
    whole_numbers(axes.xaxis, steps=[1, 2, 5, 10])


def _styles(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    return {
        name: {"color": PALETTE[index % len(PALETTE)], "linewidth": 2.0}
        for index, name in enumerate(names)
    }
