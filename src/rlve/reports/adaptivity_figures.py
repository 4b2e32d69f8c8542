"""The pictures of the adaptivity experiment; static ranges are dashed."""

# Matplotlib leaves its **kwargs untyped, which makes every call to it partially unknown.
# pyright: reportUnknownMemberType=false

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

from rlve.reports.figures import INK, LOOK, PALETTE, array, moving_average, new_figure, whole_levels
from rlve.studies.adaptivity import ADAPTIVE, Plan, label
from rlve.studies.adaptivity_results import AdaptivityResults, common

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def curves(results: AdaptivityResults) -> "Figure":
    """The paper's Figure 3, a row for each environment; what it cost; and h, where it adapts."""
    import matplotlib as mpl
    from matplotlib.ticker import EngFormatter, PercentFormatter

    names = results.environments()
    with mpl.rc_context(LOOK):
        figure = new_figure(16, 3.1 * len(names) + 0.3, _handles(results))
        grid = figure.subplots(len(names), 4, squeeze=False)
        for name, (accuracy, cost, ratio, high) in zip(names, grid, strict=True):
            for setting in results.settings(name):
                style = _style(results.plan, setting)
                cells = results.cells(name, setting)
                measured = [
                    {e.step: e.accuracy for e in results.evaluations[cell]} for cell in cells
                ]
                _band(accuracy, measured, style, marker="o")
                totals = [results.sampled(cell) for cell in cells]
                spent = {at: fmean(t[at] for t in totals) for at in common(totals)}
                _band(cost, measured, style, marker="o", places=spent)
                effective = [
                    {r.step: r.effective_prompt_ratio for r in results.steps[cell]}
                    for cell in cells
                ]
                _band(ratio, effective, style, smooth=True)
                if setting == ADAPTIVE:
                    levels = [{0: 0, **{r.step: r.high for r in results.steps[c]}} for c in cells]
                    _band(high, levels, style)
            accuracy.set_ylabel(name, fontweight="bold")
            accuracy.set(ylim=(0, None))
            cost.set(ylim=(0, None), xlim=(0, None))
            cost.xaxis.set_major_formatter(EngFormatter(sep=""))
            ratio.set(ylim=(-0.02, 1.02))
            high.set(ylim=(-0.2, max(1.2, high.get_ylim()[1])))
            whole_levels(high)
            for axes in (accuracy, cost, ratio):
                axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
            for axes in (accuracy, ratio, high):
                axes.set_xlim(0, max(1, *(e[-1].step for e in results.evaluations.values())))
        step, top = "training step", results.plan.test.levels
        for column, (title, below) in enumerate(
            (
                (f"Accuracy on d in [0, {top})", step),
                ("The same, by its cost", "tokens sampled"),
                ("Effective prompt ratio", step),
                ("Highest difficulty h", step),
            )
        ):
            grid[0][column].set_title(title)
            grid[-1][column].set_xlabel(below)
    return figure


def levels(results: AdaptivityResults) -> "Figure":
    """Accuracy by difficulty, in the end and at the start."""
    import matplotlib as mpl
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    names = results.environments()
    start: dict[str, Any] = {"color": INK, "linestyle": ":", "linewidth": 1.5}
    with mpl.rc_context(LOOK):
        handles = [*_handles(results), Line2D([], [], label="at the start", **start)]
        figure = new_figure(max(9, 6.5 * len(names)), 3.4, handles)
        grid = figure.subplots(1, len(names), squeeze=False)[0]
        for name, axes in zip(names, grid, strict=True):
            step = results.compared_at(name)
            first = results.evaluations[results.cells(name)[0]][0]
            axes.plot(range(len(first.by_level)), first.by_level, **start)
            for setting in results.settings(name):
                by_level = [
                    dict(enumerate(results.measured(cell, step).by_level))
                    for cell in results.cells(name, setting)
                ]
                _band(axes, by_level, _style(results.plan, setting), marker="o")
            axes.set(title=f"{name}: accuracy after step {step:,}", xlabel="difficulty d")
            axes.set_ylim(-0.02, 1.02)
            axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    return figure


Curve: TypeAlias = Mapping[int, float | None]


def _band(
    axes: "Axes",
    runs: Sequence[Curve],
    style: dict[str, Any],
    *,
    smooth: bool = False,
    marker: str = "",
    places: Mapping[int, float] | None = None,
) -> None:
    """The mean over runs, and behind it the range of their values.

    `places` says where steps are on the axis, if not where their numbers are.
    """
    import numpy as np

    at = sorted(common(runs))
    if not at:
        return
    values = np.array([array([run[step] for step in at]) for run in runs])
    if smooth:
        values = np.array([moving_average(row, 15) for row in values])
    # A step may have had no prompts in any run.
    seen = [index for index in range(len(at)) if not np.isnan(values[:, index]).all()]
    values, at = values[:, seen], [at[index] for index in seen]
    where = at if places is None else [places[step] for step in at]
    if len(runs) > 1:
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        axes.fill_between(where, low, high, color=style["color"], alpha=0.13, linewidth=0)
    axes.plot(where, np.nanmean(values, axis=0), marker=marker, markersize=3.5, **style)


def _handles(results: AdaptivityResults) -> list[Any]:
    from matplotlib.lines import Line2D

    shown = {s for name in results.environments() for s in results.settings(name)}
    return [
        Line2D([], [], label=label(setting), **_style(results.plan, setting))
        for setting in results.plan.settings
        if setting in shown
    ]


def _style(plan: Plan, setting: str) -> dict[str, Any]:
    index = plan.settings.index(setting)
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": "-" if setting == ADAPTIVE else "--",
        "linewidth": 2.2 if setting == ADAPTIVE else 1.6,
    }
