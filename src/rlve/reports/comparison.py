"""The page that compares evaluations: tables, pictures, and what they say in a sentence."""

# Matplotlib leaves its **kwargs untyped, which makes every call to it partially unknown.
# pyright: reportUnknownMemberType=false

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from rlve.evaluate.compare import Compared, Comparison, Value
from rlve.reports.figures import INK, LOOK, NAMES_AT_MOST, PALETTE, PANELS_AT_MOST, new_figure, png
from rlve.reports.pages import count, document, picture, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Tables.


def headings(comparison: Comparison) -> tuple[str, ...]:
    """Of the table of all evaluations."""
    against = f"against {comparison.baseline}"
    return ("evaluation", "samples", comparison.number, "95% interval", against, "95% interval")


def rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """All evaluations."""
    return [
        (each.name, f"{each.samples:,}", *_cells(each.overall)) for each in comparison.evaluations
    ]


def group_headings(comparison: Comparison) -> tuple[str, ...]:
    """Of the table by environment or difficulty."""
    return (comparison.by, "questions", "evaluation", *headings(comparison)[2:])


def group_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """All evaluations in each of the groups; a group is named in its first row."""
    found: list[tuple[str, ...]] = []
    for group in comparison.evaluations[0].groups:
        for index, each in enumerate(comparison.evaluations):
            value = each.groups[group]
            first = (group, f"{value.questions:,}") if not index else ("", "")
            found.append((*first, each.name, *_cells(value)))
    return found


def _cells(value: Value) -> tuple[str, ...]:
    difference = interval = ""
    if value.difference is not None and value.difference_interval is not None:
        difference = _points(value.difference)
        interval = " to ".join(map(_points, value.difference_interval))
    low, high = value.interval
    return f"{value.value:.1%}", f"{low:.1%} to {high:.1%}", difference, interval


def _points(difference: float) -> str:
    """A difference of percentages, with its sign, in points."""
    return f"{round(100 * difference, 1) + 0.0:+.1f}"  # + 0.0: there is no -0.0


# The page.


def page(comparison: Comparison) -> str:
    """One HTML file with the tables and pictures; names are escaped."""
    questions = comparison.evaluations[0].overall.questions
    groups = comparison.evaluations[0].groups
    title = f"{count(len(comparison.evaluations), 'evaluation')} on {comparison.suite}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="headline">{escape(sentence(comparison))}</p>',
        picture(png(overview(comparison)), f"{comparison.number} of all evaluations"),
        table(headings(comparison), rows(comparison)),
        f"<p>The same {count(questions, 'question')} were asked. Differences are in percentage "
        "points. Intervals, also the bands and bars in the pictures, are 95% bootstrap intervals; "
        "those of differences resample questions in pairs.</p>",
        *(f"<p>Mind: {escape(note)}.</p>" for note in comparison.notes),
    ]
    if len(groups) > 1:
        body.append(f"<h2>By {comparison.by}</h2>")
        drawn = by_group(comparison)
        if drawn is not None:
            body.append(picture(png(drawn), f"{comparison.number} by {comparison.by}"))
        numbers = table(group_headings(comparison), group_rows(comparison))
        body.append(f"<details><summary>Numbers</summary>{numbers}</details>")
    return document(title, body)


def sentence(comparison: Comparison) -> str:
    """What the comparison says, in a sentence."""
    others = [e for e in comparison.evaluations if e.name != comparison.baseline]
    if not others:
        only = comparison.evaluations[0]
        return f"{only.name}: {comparison.number} {only.overall.value:.1%}."
    best = max(others, key=lambda each: each.overall.value)
    low, high = best.overall.difference_interval or (0.0, 0.0)
    verdict = (
        "more than chance explains easily"
        if low > 0
        else "less, by more than chance explains easily"
        if high < 0
        else "which chance can explain"
    )
    base = next(e for e in comparison.evaluations if e.name == comparison.baseline)
    return (
        f"{best.name} has {comparison.number} {best.overall.value:.1%}, {base.name} "
        f"{base.overall.value:.1%}: {_points(best.overall.difference or 0.0)} points "
        f"({_points(low)} to {_points(high)}), {verdict}."
    )


def overview(comparison: Comparison) -> "Figure":
    """Curves over training steps, a line for each run; or, without steps, a dot for each."""
    import matplotlib as mpl

    with mpl.rc_context(LOOK):
        if not _over_steps(comparison):
            return _dots(comparison, [("", lambda each: each.overall)])
        figure = new_figure(9, 4.6, _handles(comparison))
        axes = figure.subplots()
        _curves(axes, comparison, lambda each: each.overall)
        axes.set(title=f"{comparison.suite}: {comparison.number}", xlabel="training step")
    return figure


def by_group(comparison: Comparison) -> "Figure | None":
    """The same for each environment or difficulty; None if they are too many for a picture."""
    import matplotlib as mpl

    groups = list(comparison.evaluations[0].groups)
    with mpl.rc_context(LOOK):
        if not _over_steps(comparison):
            if len(groups) * len(comparison.evaluations) > 4 * NAMES_AT_MOST:
                return None
            return _dots(comparison, [(name, _in_group(name)) for name in groups])
        if len(groups) > PANELS_AT_MOST:
            return None
        columns = min(4, len(groups))
        lines = math.ceil(len(groups) / columns)
        figure = new_figure(max(2.9 * columns, 6), 0.5 + 2.0 * lines, _handles(comparison))
        grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        every: list[Axes] = list(grid.flat)
        for axes in every[len(groups) :]:
            axes.set_visible(False)
        for index, (name, axes) in enumerate(zip(groups, every, strict=False)):
            _curves(axes, comparison, _in_group(name))
            axes.set_title(_plain(name), fontsize=min(9, 270 / len(name)))
            if index + columns >= len(groups):
                axes.set_xlabel("training step")
                axes.tick_params(labelbottom=True)
    return figure


Chosen: TypeAlias = Callable[[Compared], Value]


def _in_group(name: str) -> Chosen:
    return lambda each: each.groups[name]


def _over_steps(comparison: Comparison) -> bool:
    return any(len(points) > 1 for points in _runs(comparison).values())


def _runs(comparison: Comparison) -> dict[str, list[Compared]]:
    """The checkpoints of each run, in order; what has no step is not among them."""
    found: dict[str, list[Compared]] = {}
    for each in comparison.evaluations:
        if each.step is not None:
            found.setdefault(each.run, []).append(each)
    return found


def _styles(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """Of runs and, dotted, of what has no steps."""
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


def _handles(comparison: Comparison) -> "list[Line2D]":
    from matplotlib.lines import Line2D

    styles = _styles(comparison).items()
    return [Line2D([], [], label=_plain(name), **style) for name, style in styles]


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
    _percent(axes.yaxis)


def _dots(comparison: Comparison, groups: Sequence[tuple[str, Chosen]]) -> "Figure":
    """A line of dots with intervals for each group, one dot for each evaluation."""
    from matplotlib.lines import Line2D

    many = comparison.evaluations
    colours: Mapping[str, str] = {
        each.name: PALETTE[index % len(PALETTE)] for index, each in enumerate(many)
    }
    handles = [
        Line2D([], [], label=_plain(name), color=colour, marker="o", linestyle="")
        for name, colour in colours.items()
    ]
    height = 0.18 * len(many) + 0.12
    figure = new_figure(9, 1.0 + height * len(groups), handles)
    axes = figure.subplots()
    for line, (_, chosen) in enumerate(reversed(groups)):
        for index, each in enumerate(many):
            value = chosen(each)
            low, high = value.interval
            at = line + 0.8 * ((len(many) - 1 - index + 0.5) / len(many) - 0.5)
            axes.plot([low, high], [at, at], color=colours[each.name], linewidth=1.4)
            axes.plot([value.value], [at], "o", markersize=4, color=colours[each.name])
    axes.set(title=f"{comparison.suite}: {comparison.number}", ylim=(-0.6, len(groups) - 0.4))
    names = [_plain(name) for name, _ in reversed(groups)]
    axes.set_yticks(range(len(groups)) if any(names) else [], names if any(names) else [])
    axes.tick_params(axis="y", labelsize=8, length=0, labelcolor=INK)
    _percent(axes.xaxis)
    return figure


def _percent(axis: Any) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(xmax=1, decimals=None))


def _plain(text: str) -> str:
    """As it is: matplotlib takes what is between two dollars for a formula."""
    return text.replace("$", r"\$")
