"""What static/charts.js draws: curves over steps or difficulties, and heat maps.

A value that was not measured is None and leaves a gap.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal, TypeAlias

import msgspec

Values: TypeAlias = Sequence[float | None]
Curve: TypeAlias = tuple[str, Mapping[int, float]]  # a name, and a value at each level
Scale: TypeAlias = Literal["share", "level", "number"]


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """A curve."""

    name: str
    values: list[float | None]
    colour: int = 0  # index into the palette
    faint: bool = False  # drawn faintly behind its average
    stairs: bool = False
    dashed: bool = False
    points: bool = False


class Chart(msgspec.Struct, frozen=True, kw_only=True, tag="chart", tag_field="kind"):
    """Curves over the same x values."""

    title: str
    x: list[float]
    along: str  # what x is
    series: list[Series]
    scale: Scale = "number"
    target: float | None = None  # a dotted line across
    note: str = ""


class HeatMap(msgspec.Struct, frozen=True, kw_only=True, tag="heat", tag_field="kind"):
    """A row for each name, a column for each step."""

    title: str
    x: list[float]
    along: str
    names: list[str]
    rows: list[list[int]]
    note: str = ""


Drawing: TypeAlias = Chart | HeatMap


def averaged(values: Values, parts: int = 30) -> list[float | None]:
    """The mean of the values around each step, where there are any."""
    reach = max(1, len(values) // (2 * parts))
    sums = [0.0, *accumulate(0.0 if v is None else v for v in values)]
    counts = [0, *accumulate(v is not None for v in values)]
    means: list[float | None] = []
    for i in range(len(values)):
        low, high = max(0, i - reach), min(i + reach + 1, len(values))
        count = counts[high] - counts[low]
        means.append(rounded((sums[high] - sums[low]) / count) if count else None)
    return means


def rounded(value: float | None) -> float | None:
    """The value to as many digits as can be seen."""
    return None if value is None else float(f"{value:.4g}")


def noisy(name: str, values: Values, colour: int = 0) -> list[Series]:
    """A noisy curve: its average, and the values themselves behind it."""
    raw = [rounded(value) for value in values]
    return [
        Series(name, raw, colour=colour, faint=True),
        Series(name, averaged(values), colour=colour),
    ]


def over_levels(title: str, curves: Sequence[Curve], **options: Any) -> Chart:
    """Curves over difficulties, each with the levels it has."""
    levels = sorted({level for _, curve in curves for level in curve})
    return Chart(
        title=title,
        x=[float(level) for level in levels],
        along="difficulty",
        series=[
            Series(name, [rounded(curve.get(d)) for d in levels], colour=colour, points=True)
            for colour, (name, curve) in enumerate(curves)
        ],
        **options,
    )
