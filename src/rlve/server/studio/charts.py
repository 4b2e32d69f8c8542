"""What static/charts.js draws: curves over a run or over difficulties, and heat maps.

A value that was not measured is None and leaves a gap. Values are sent as they were measured, and
smoothed in the browser, where one sees by how much. Only where there are more than can be drawn,
each point is the mean of several steps, and the chart says of how many.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from statistics import fmean
from typing import Any, Literal, TypeAlias

import msgspec

Values: TypeAlias = Sequence[float | None]
Curve: TypeAlias = tuple[str, Mapping[int, float]]  # a name, and a value at each level
Scale: TypeAlias = Literal["share", "level", "number"]

POINTS = 2400  # of all curves of a chart, about


class Axis(msgspec.Struct, frozen=True):
    """Where the values of a run are: after how many steps, tokens and seconds."""

    step: list[float]
    tokens: list[float]
    seconds: list[float]


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """A curve."""

    name: str
    values: list[float | None]
    colour: int = 0  # index into the palette
    axis: str = ""  # the key of its Axis; empty if the chart has its own x
    low: list[float | None] = []  # a band around it
    high: list[float | None] = []
    stairs: bool = False
    dashed: bool = False
    points: bool = False


class Chart(msgspec.Struct, frozen=True, kw_only=True, tag="chart", tag_field="kind"):
    """Curves over a run or, if it has an x of its own, over that."""

    title: str
    series: list[Series]
    section: str = ""
    x: list[float] = []
    along: str = "step"  # what x is
    scale: Scale = "number"
    target: float | None = None  # a dotted line across
    note: str = ""


class HeatMap(msgspec.Struct, frozen=True, kw_only=True, tag="heat", tag_field="kind"):
    """A row for each name, a column for each step."""

    title: str
    axis: str
    names: list[str]
    rows: list[list[float | None]]
    section: str = ""
    scale: Scale = "level"
    what: str = "h"
    note: str = ""


Drawing: TypeAlias = Chart | HeatMap


class Drawings(msgspec.Struct, frozen=True):
    """All charts of a page, with the axes that they share."""

    axes: dict[str, Axis] = {}
    charts: dict[str, Drawing] = {}
    runs: dict[str, str] = {}
    """The ids of runs by the keys of their axes: a click on a step leads to its rollouts."""


def round_off(value: float | None) -> float | None:
    """The value to as many digits as can be seen."""
    return None if value is None else float(f"{value:.4g}")


def steps_per_point(steps: int, curves: int = 1) -> int:
    """How many steps a point stands for, if there are so many steps in each of so many curves."""
    return max(1, ceil(steps * curves / POINTS))


def thin(values: Values, each: int) -> list[float | None]:
    """The mean of every so many values."""
    if each == 1:
        return [round_off(value) for value in values]
    means: list[float | None] = []
    for begin in range(0, len(values), each):
        known = [value for value in values[begin : begin + each] if value is not None]
        means.append(round_off(fmean(known)) if known else None)
    return means


def thin_last(values: Sequence[Any], each: int) -> list[Any]:
    """The last of every so many values."""
    ends = range(each, len(values) + each, each)
    return [values[min(end, len(values)) - 1] for end in ends]


def over_levels(
    title: str,
    curves: Sequence[Curve],
    colours: Sequence[int] = (),
    levels: Sequence[int] = (),
    **options: Any,
) -> Chart:
    """Curves over difficulties: those given, or all that any of the curves has."""
    shades = list(colours) or list(range(len(curves)))
    levels = levels or sorted({level for _, curve in curves for level in curve})
    return Chart(
        title=title,
        x=[float(level) for level in levels],
        along="difficulty",
        series=[
            Series(name, [round_off(curve.get(d)) for d in levels], colour=colour, points=True)
            for colour, (name, curve) in zip(shades, curves, strict=True)
        ],
        **options,
    )


def alone(name: str, chart: Chart | None) -> Drawings:
    """A page with one chart."""
    return Drawings(charts={} if chart is None else {name: chart})
