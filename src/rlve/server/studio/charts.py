"""What static/charts.js draws: curves over a run or over difficulties, and heat maps.

A value that was not measured is None and leaves a gap. Values are sent as they were measured, and
smoothed in the browser, where one sees by how much. Only where there are more than can be drawn,
each point is the mean of several steps, and the chart says of how many.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from statistics import fmean
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from rlve.foundation.intervals import wilson

Values: TypeAlias = Sequence[float | None]
Shares: TypeAlias = tuple[str, Mapping[int, "Share"]]  # a name, and an accuracy at each level
Scale: TypeAlias = Literal["share", "level", "number"]

POINTS = 2400  # of all curves of a chart, about
COLUMNS = 120  # of a heat map, at most,
CELLS = 20_000  # and cells, about
BINS = 40  # of a histogram
FEW = 5  # problems; levels of fewer are points that no line joins
INTERVAL = "95% interval over problems"


class Share(NamedTuple):
    """An accuracy, with its 95% interval where that is known, and of how many problems it is."""

    value: float
    low: float | None = None
    high: float | None = None
    problems: int = 0  # 0 if that is not known
    temperature: float | None = None

    def __str__(self) -> str:
        text = f"{self.value:.1%}"
        if self.low is not None and self.high is not None:
            text += f" ({100 * self.low:.1f} to {100 * self.high:.1f})"
        return f"{text}, n = {self.problems:,}" if self.problems else text


def share_of(values: Sequence[float]) -> Share:
    """The mean of the shares of several problems; each counts equally.

    Wilson's interval: with few problems, or if all agree, it still has a width.
    """
    return Share(*wilson(fmean(values), len(values)), len(values))


def mean_share(shares: Iterable[Share]) -> Share:
    """All problems together."""
    values: list[float] = []
    for share in shares:
        values += [share.value] * share.problems
    return share_of(values)


class Axis(msgspec.Struct, frozen=True):
    """Where the values of a run are: after how many steps, tokens and seconds."""

    step: Sequence[float]
    tokens: Sequence[float]
    seconds: Sequence[float]


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """A curve."""

    name: str
    values: list[float | None]
    colour: int = 0  # index into the palette
    axis: str = ""  # the key of its Axis; empty if the chart has its own x
    low: list[float | None] = []  # a band around it or, of single points, whiskers
    high: list[float | None] = []
    stairs: bool = False
    dashed: bool = False
    points: bool = False
    line: bool = True  # False for points that nothing joins
    bars: bool = False
    counts: list[int] = []  # how many problems each point is the mean of


class Chart(msgspec.Struct, frozen=True, kw_only=True, tag="chart", tag_field="kind"):
    """Curves over a run or, if it has an x of its own, over that."""

    title: str
    series: list[Series]
    section: str = ""
    x: list[float] = []
    along: str = "step"  # what x is
    scale: Scale = "number"
    target: float | None = None  # a dotted line across,
    target_name: str = ""  # and what it is
    marks: list[float] = []  # steps at which something happened: dotted lines upwards
    band: str = ""  # what the bands or whiskers are
    stacked: bool = False  # whether each curve stands on the one before
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
    by: Literal["environment", "difficulty"] = "environment"  # what a row is
    top: float = 1.0  # the value of the brightest colour
    note: str = ""

    @property
    def height(self) -> tuple[int, int]:
        """How high it is in pixels, and every which row has room for its name."""
        rows = len(self.names)
        high = min(720, max(min(14 * rows, 224), 4 * rows))
        return high, ceil(13 * rows / high)


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


def steps_per_column(steps: int, rows: int) -> int:
    """How many steps a column of a heat map stands for."""
    return max(1, ceil(steps / COLUMNS), ceil(steps * rows / CELLS))


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


def measured(name: str, shares: Sequence[Share | None], **options: Any) -> Series:
    """A curve of accuracies, with their intervals where these are known."""
    values, low, high = (
        [None if share is None else round_off(share[i]) for share in shares] for i in range(3)
    )
    ends = {"low": low, "high": high} if any(value is not None for value in low) else {}
    return Series(name, values, points=True, **ends, **options)


def accuracy_over_levels(
    title: str,
    curves: Sequence[Shares],
    colours: Sequence[int] = (),
    note: str = "",
    band: str = INTERVAL,
) -> Chart:
    """Accuracies over difficulties: points with whiskers, and a line unless a level has few."""
    shades = list(colours) or list(range(len(curves)))
    levels = sorted({level for _, curve in curves for level in curve})
    series: list[Series] = []
    for colour, (name, curve) in zip(shades, curves, strict=True):
        shares = [curve.get(level) for level in levels]
        counts = [share.problems if share else 0 for share in shares]
        line = all(count >= FEW for count, share in zip(counts, shares, strict=True) if share)
        series.append(measured(name, shares, colour=colour, line=line, counts=counts))
    return Chart(
        title=title,
        x=[float(level) for level in levels],
        along="difficulty",
        series=series,
        scale="share",
        band=band,
        note=note,
    )


def histogram(
    title: str, values: Sequence[float], ends: tuple[float, float], **options: Any
) -> Chart:
    """How often values are where: the share of them in each of so many equal parts."""
    low, high = ends
    width = (high - low) / BINS or 1.0
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int((value - low) / width)))] += 1
    return Chart(
        title=title,
        x=[low + (i + 0.5) * width for i in range(BINS)],
        series=[Series("outputs", [round_off(c / len(values)) for c in counts], bars=True)],
        scale="share",
        **options,
    )


def alone(name: str, chart: Chart | None) -> Drawings:
    """A page with one chart."""
    return Drawings(charts={} if chart is None else {name: chart})
