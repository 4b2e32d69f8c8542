"""The pictures of an experiment: a row for each comparison, a colour for each way of training."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rlve.reports.figures import (
    INK,
    PALETTE,
    array,
    handles_of,
    in_style,
    moving_average,
    new_figure,
    percentages,
    whole_levels,
    whole_numbers,
)
from rlve.studies.comparison import Summary, comparisons, ways
from rlve.studies.experiments import Cell, brief
from rlve.studies.records import Results, Which, common
from rlve.studies.settings import ADAPTIVE, adapts, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

START: dict[str, Any] = {"color": INK, "linestyle": ":", "linewidth": 1.5}


class Way(NamedTuple):
    """A way of training, as it is drawn."""

    label: str
    style: dict[str, Any]
    cells: list[Cell]


@in_style
def curves(results: Results) -> "Figure":
    """Accuracy, its cost, the effective prompt ratio, and h if it adapts, over the steps."""
    from matplotlib.ticker import EngFormatter

    rows = _rows(results)
    step = "training step"
    titles = [(f"Accuracy on d in [0, {results.plan.test.levels})", step)]
    if results.plan.test.held_out:
        titles.insert(0, ("Accuracy on held-out environments", step))
    titles += [("On what is trained, by its cost", "tokens sampled")]
    titles += [("Effective prompt ratio", step), ("Highest difficulty h, mean", step)]
    figure = new_figure(4 * len(titles), 3.1 * len(rows) + 0.3, handles_of(_shown(rows)))
    grid = figure.subplots(len(rows), len(titles), squeeze=False)
    for (name, drawn), every in zip(rows, grid, strict=True):
        *measured, cost, ratio, high = every
        for way in drawn:
            for axes, which in zip(measured[::-1], ("trained", "held out"), strict=False):
                shares = [results.accuracies(cell, which) for cell in way.cells]
                _band(axes, shares, way.style, marker="o")
            totals = [results.sampled(cell) for cell in way.cells]
            spent = {at: fmean(t[at] for t in totals) for at in common(totals)}
            accuracy = [results.accuracies(cell, "trained") for cell in way.cells]
            _band(cost, accuracy, way.style, marker="o", places=spent)
            _band(ratio, [results.ratios(cell) for cell in way.cells], way.style, smooth=True)
            if adapts(way.cells[0].setting):
                _band(high, [results.highs(cell) for cell in way.cells], way.style)
        every[0].set_ylabel(name, fontweight="bold")
        cost.set(ylim=(0, None), xlim=(0, None))
        cost.xaxis.set_major_formatter(EngFormatter(sep=""))
        ratio.set(ylim=(-0.02, 1.02))
        high.set(ylim=(-0.05, max(1.2, high.get_ylim()[1])))
        whole_levels(high)
        last = max(1, *(each[-1].step for each in results.measured.values()))
        for axes in (*measured, ratio, high):
            axes.set_xlim(0, last)
        measured[-1].set_ylim(0, None)  # accuracy on held-out environments changes little
        for axes in (*measured, cost, ratio):
            percentages(axes.yaxis)
    for column, (title, below) in enumerate(titles):
        grid[0][column].set_title(title)
        grid[-1][column].set_xlabel(below)
    return figure


@in_style
def levels(results: Results) -> "Figure":
    """Accuracy by difficulty, at the end and at the start."""
    rows = _rows(results)
    kinds: list[Which] = ["trained", "held out"] if results.plan.test.held_out else ["trained"]
    handles = handles_of(_shown(rows) | {"at the start": START})
    figure = new_figure(6.5 * len(kinds), 3.4 * len(rows), handles)
    grid = figure.subplots(len(rows), len(kinds), squeeze=False)
    for (name, drawn), every in zip(rows, grid, strict=True):
        step = results.compared_at([cell for way in drawn for cell in way.cells])
        for axes, which in zip(every, kinds, strict=True):
            same = which == "held out" or len({w.cells[0].trained_on for w in drawn}) == 1
            for way in drawn if not same else drawn[:1]:
                first = results.measured[way.cells[0]][0].by_level(which)
                style = START if same else START | {"color": way.style["color"]}
                axes.plot([*first], [*first.values()], **style)
            for way in drawn:
                shares = [results.at(cell, step).by_level(which) for cell in way.cells]
                _band(axes, shares, way.style, marker="o")
            title = f"{which.capitalize()}: accuracy after step {step:,}"
            axes.set(title=f"{name}. {title}" if name else title, xlabel="difficulty d")
            axes.set_ylim(0, None)
            percentages(axes.yaxis)
            whole_numbers(axes.xaxis, steps=[1, 2, 5, 10])
    return figure


@in_style
def changes(results: Results, summaries: Sequence[Summary]) -> "Figure":
    """The change of accuracy from the start, with its interval, and each seed as a cross."""
    rows = _rows(results)
    kinds: list[Which] = ["trained", "held out"] if results.plan.test.held_out else ["trained"]
    figure = new_figure(6.5 * len(kinds), 3.0 * len(rows), [])
    grid = figure.subplots(len(rows), len(kinds), squeeze=False)
    for (name, drawn), every in zip(rows, grid, strict=True):
        for axes, which in zip(every, kinds, strict=True):
            for place, way in enumerate(drawn):
                found = next(
                    each
                    for each in summaries
                    if (each.trained_on, each.setting) == way.cells[0][:2]
                )
                outcome = found.trained if which == "trained" else found.held_out
                if outcome is None:
                    continue
                colour = way.style["color"]
                ends = zip(outcome.start, outcome.end, strict=True)
                for start, end in ends:
                    axes.plot(place, 100 * (end - start), "x", color=colour, alpha=0.6)
                if outcome.change is not None:
                    mean, low, high = (100 * each for each in outcome.change)
                    axes.errorbar(
                        place, mean, [[mean - low], [high - mean]], fmt="o", color=colour,
                        capsize=5,
                    )  # fmt: skip
            axes.axhline(0, color=INK, linewidth=0.9, linestyle=":")
            axes.set_xticks(range(len(drawn)), [way.label for way in drawn])
            axes.set_xlim(-0.5, len(drawn) - 0.5)
            axes.set_ylabel("percentage points")
            title = f"{which.capitalize()}: change of accuracy"
            axes.set_title(f"{name}. {title}" if name else title)
    return figure


@in_style
def spread(results: Results) -> "Figure | None":
    """The share of environments that have reached each h; None if no setting adapts."""
    adapting = [
        way
        for _, drawn in _rows(results)
        for way in drawn
        if adapts(way.cells[0].setting) and len(results.highest(way.cells[0], 0)) > 1
    ]
    if not adapting:
        return None
    figure = new_figure(max(6.0, 4.0 * len(adapting)), 3.2, [])
    grid = figure.subplots(1, len(adapting), squeeze=False, sharey=True)[0]
    for way, axes in zip(adapting, grid, strict=True):
        step = results.compared_at(way.cells)
        counts = Counter[int]()
        for cell in way.cells:
            counts.update(results.highest(cell, step).values())
        of = range(max(counts) + 1)
        total = sum(counts.values())
        axes.bar(of, [counts[high] / total for high in of], color=way.style["color"])
        trained_on, setting, _ = way.cells[0]
        name = brief(trained_on) if setting == ADAPTIVE else label(setting)
        axes.set(title=f"{name}, step {step:,}", xlabel="h")
        whole_numbers(axes.xaxis)
        percentages(axes.yaxis, 0)
    grid[0].set_ylabel("environments")
    return figure


def _rows(results: Results) -> list[tuple[str, list[Way]]]:
    """The rows of a picture: the name of each comparison, and its ways of training."""
    plan = results.plan
    several = len(plan.settings) > 1
    rows: list[tuple[str, list[Way]]] = []
    for rivals in comparisons(results):
        drawn = [
            Way(
                label(setting) if several else trained_on,
                _style(
                    plan.settings.index(setting) if several else plan.trained_on.index(trained_on),
                    setting,
                ),
                cells,
            )
            for (trained_on, setting), cells in ways(rivals).items()
        ]
        rows.append((brief(rivals[0].trained_on) if several else "", drawn))
    return rows


def _style(index: int, setting: str) -> dict[str, Any]:
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": "-" if adapts(setting) else "--",
        "linewidth": 2.2 if setting == ADAPTIVE else 1.6,
    }


def _shown(rows: Sequence[tuple[str, Sequence[Way]]]) -> dict[str, dict[str, Any]]:
    return {way.label: way.style for _, drawn in rows for way in drawn}


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
