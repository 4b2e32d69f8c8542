"""Charts as inline SVG, for where scripts do not run: mail, print, a strict browser.

A plain copy of what static/charts.js draws at first, in the colours of static/studio.css: the same
values, smoothing, ranges and captions. A heat map is a picture of a few kilobytes.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from html import escape
from math import ceil, floor, log10
from struct import pack
from typing import NamedTuple
from zlib import compress, crc32

from markupsafe import Markup

from rlve.server.studio.charts import Axis, Chart, Drawing, Drawings, HeatMap, Scale, Series, Values

WIDTH, HEIGHT = 520, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 8, 22  # around the curves
POINTS = 150  # at most, of a curve
BANDS = 4  # those of more curves would hide each other
AUTO = 100  # longer runs are smoothed
VIRIDIS = ("440154", "472c7a", "3b518b", "2c718e", "21908d", "27ad81", "5cc863", "aadc32", "fde725")
SHADES = 255  # of a heat map
SMALL, LARGE = 1e-3, 1e6  # numbers beyond these are written with exponents
RISES = "Dotted lines upwards: h rose."


def draw_all(drawn: Drawings, sections: Mapping[str, str] = {}, level: int = 3) -> Markup:
    """All charts of a page, in its sections."""
    placed: dict[str, dict[str, Drawing]] = {name: {} for name in ("", *sections)}
    for name, each in drawn.charts.items():
        placed[each.section if each.section in placed else ""][name] = each
    reach = usual_reach(drawn.axes)
    told = f"Curves are means of {2 * reach + 1} values, with each value behind them."
    parts = [f'<p class="note">{told}</p>'] if reach else []
    for name, charts in placed.items():
        if not charts:
            continue
        key = " key" if name == "key" else ""
        figures = (_figure(*each, drawn.axes, reach, level) for each in charts.items())
        inner = f'<div class="charts{key}">{"".join(figures)}</div>'
        if title := sections.get(name):
            is_open = "" if name == "constant" else " open"
            head = f"<summary><h2>{escape(title)}</h2></summary>"
            inner = f'<details class="section"{is_open}>{head}{inner}</details>'
        parts.append(inner)
    return Markup("".join(parts))  # noqa: S704  whatever a file says is escaped


def usual_reach(axes: Mapping[str, Axis]) -> int:
    """How many values on either side are in the mean that a point is, unless one asks otherwise."""
    steps = max((len(axis.step) for axis in axes.values()), default=0)
    return min(50, floor(steps / 60 + 0.5)) if steps > AUTO else 0


def smoothed(values: Values, reach: int) -> Values:
    """The mean of the known values within reach on either side; gaps stay gaps."""
    means: list[float | None] = []
    for i, value in enumerate(values):
        known = [v for v in values[max(0, i - reach) : i + reach + 1] if v is not None]
        means.append(None if value is None else sum(known) / len(known))
    return means


def caption(chart: Drawing) -> str:
    """What stands below a chart."""
    if isinstance(chart, HeatMap):
        return chart.note
    lines = bool(chart.x) and any(each.low for each in chart.series)
    band = f"{'Lines' if lines else 'Band'}: {chart.band}." if chart.band else ""
    return " ".join(filter(None, (band, RISES if chart.marks else "", chart.note)))


def write(value: float, scale: Scale) -> str:
    """A value in a legend or beside an axis."""
    if scale == "share":
        return f"{round(1000 * value) / 10:g}%"
    if scale == "level":
        return f"{round(value, 2):g}"
    if value == 0 or SMALL <= abs(value) < LARGE:
        return f"{Decimal(f'{value:.4g}'):,f}"
    digits, power = f"{value:.3e}".split("e")  # there is no room for its zeros
    return f"{float(digits):g}e{int(power)}"


class _Curve(NamedTuple):
    """A curve as it is drawn."""

    series: Series
    x: Sequence[float]
    values: Values  # where it is drawn: if curves are stacked, above the others
    raw: Values  # what was smoothed
    low: Values
    high: Values

    def latest(self, scale: Scale) -> str:
        """Its last value as it was measured, with its interval."""
        own = self.series.values
        i = max((i for i, value in enumerate(own) if value is not None), default=0)
        ends = [column[i] for column in (self.series.low, self.series.high) if column]
        value, *around = [write(v, scale) for v in (own[i], *ends) if v is not None]
        return f" {value} ({' to '.join(around)})" if around else f" {value}"


def arrange(chart: Chart, axes: Mapping[str, Axis], reach: int) -> list[_Curve]:
    """The curves of a chart, as they are drawn."""
    curves: list[_Curve] = []
    for each in reversed(chart.series) if chart.stacked else chart.series:
        x = chart.x or axes[each.axis].step
        near = 0 if chart.x or each.stairs or each.points else reach
        own, low, high = (smoothed(column, near) for column in (each.values, each.low, each.high))
        values = own
        if chart.stacked:
            below = curves[-1].values if curves else [0.0] * len(own)
            values = [(v or 0.0) + (b or 0.0) for v, b in zip(own, below, strict=True)]
        raw = each.values if near and not chart.stacked else []
        curves.append(_Curve(each, x, values, raw, low, high))
    return curves[::-1] if chart.stacked else curves


def _figure(name: str, drawing: Drawing, axes: Mapping[str, Axis], reach: int, level: int) -> str:
    title, whole = escape(drawing.title), ""
    if isinstance(drawing, HeatMap):
        body, whole = _heat(drawing, axes[drawing.axis].step), " whole"
    else:
        curves = arrange(drawing, axes, reach)
        latest = ["" if drawing.x else each.latest(drawing.scale) for each in curves]
        legend = " ".join(
            f'<span class="k{each.series.colour % 12}">{escape(each.series.name)}{last}</span>'
            for each, last in zip(curves, latest, strict=True)
        )
        body = (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
            f'{"".join(_curves(drawing, axes, curves))}</svg><p class="legend-line">{legend}</p>'
        )
    head = f'<h{level} class="title">{title}</h{level}>'
    note = f'<p class="note">{escape(caption(drawing))}</p>'
    return f'<figure class="chart{whole}" id="chart-{escape(name)}">{head}{body}{note}</figure>'


class _Frame(NamedTuple):
    """Where values are in the picture."""

    across: tuple[float, float]
    up: tuple[float, float]

    def x(self, value: float) -> float:
        first, last = self.across
        return round(LEFT + (value - first) / (last - first) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        low, high = self.up
        return round(HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)


def extent(chart: Chart, axes: Mapping[str, Axis]) -> tuple[float, float]:
    """From where to where a chart is drawn; all charts of a run lie over the same stretch."""
    known = chart.x or [x for axis in axes.values() for x in axis.step[:: len(axis.step) - 1 or 1]]
    low, high = min(known, default=0), max(known, default=0)
    room = 0.3 if chart.x and chart.series[0].low else 0.0
    if chart.series[0].bars:
        room = (chart.x[1] - chart.x[0]) / 2
    return (low - room, high + room) if room or low < high else (low - 1, high + 1)


def ends(chart: Chart, curves: Sequence[_Curve]) -> tuple[float, float]:
    """From which value to which a chart is drawn: what is in it, and 0 if that is not far."""
    columns = [col for each in curves for col in (each.values, each.raw, each.low, each.high)]
    known = [value for column in columns for value in column if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if chart.scale == "level":
        return 0.0, max(1, ceil(high)) + 0.2
    if chart.target is not None:
        low, high = min(low, chart.target), max(high, chart.target)
    share = chart.scale == "share"
    room = max(0.08 * (high - low), 0.005 if share else 0.0) or 0.08 * abs(high) or 1.0
    near = chart.stacked or chart.series[0].bars or low < (0.25 if share else 0.6) * high
    low, high = 0.0 if low >= 0 and near else low - room, high + room
    return (max(0.0, low), min(1.0, high)) if share else (low, high)


def _curves(chart: Chart, axes: Mapping[str, Axis], curves: Sequence[_Curve]) -> Iterator[str]:
    frame = _Frame(extent(chart, axes), ends(chart, curves))
    yield from _ticks(frame, chart.scale)
    if chart.target is not None:
        y = frame.y(chart.target)
        told = f"{chart.target_name or 'goal'} {write(chart.target, chart.scale)}"
        yield f'<path class="target" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        yield f'<text class="over" x="{LEFT + 4}" y="{y - 3}">{escape(told)}</text>'
    for mark in chart.marks:
        yield f'<path class="mark" d="M{frame.x(mark)} {TOP}V{HEIGHT - BOTTOM}"/>'
    if not chart.x and sum(bool(each.low) for each in curves) > BANDS:
        curves = [each._replace(low=[], high=[]) for each in curves]
    for place, each in enumerate(curves):
        aside = 6 * (place - (len(curves) - 1) / 2) if chart.x and each.low else 0.0
        yield from _curve(frame, each, chart, aside)


def _curve(frame: _Frame, curve: _Curve, chart: Chart, aside: float) -> Iterator[str]:
    series, x = curve.series, curve.x

    def points(values: Values) -> list[tuple[float, float]]:
        known = [(x[i], value) for i, value in enumerate(values) if value is not None]
        every = max(1, ceil(len(known) / POINTS))
        some = [*known[:-1:every], *known[-1:]]
        return [(round(frame.x(at) + aside, 1), frame.y(value)) for at, value in some]

    drawn, colour = points(curve.values), f"k{series.colour % 12}"
    if series.bars:
        width = round(max(1.0, (WIDTH - LEFT - RIGHT) / len(x) - 1), 1)
        for px, py in drawn:
            place = f'x="{px - width / 2:.1f}" y="{py}" width="{width}"'
            yield f'<rect class="{colour} fill" {place} height="{frame.y(0.0) - py:.1f}"/>'
        return
    if chart.stacked:
        base = frame.y(0.0)
        around = f"{_path(drawn)}L{drawn[-1][0]} {base}L{drawn[0][0]} {base}Z"
        yield f'<path class="{colour} fill" d="{around}"/>'
        return
    if curve.low and chart.x:
        for (px, low), (_, high) in zip(points(curve.low), points(curve.high), strict=True):
            yield f'<path class="{colour} line" d="M{px} {low}V{high}"/>'
    elif curve.low:
        around = _path([*points(curve.low), *reversed(points(curve.high))])
        yield f'<path class="{colour} band" d="{around}Z"/>'
    if curve.raw:
        yield f'<path class="{colour} line faint" d="{_path(points(curve.raw))}"/>'
    if series.line:
        dashed = " dashed" if series.dashed else ""
        path = _path(drawn, stairs=series.stairs)
        yield f'<path class="{colour} line{dashed}" d="{path}"/>'
    if series.points or len(drawn) == 1:
        for px, py in drawn:
            yield f'<circle class="{colour} fill" cx="{px}" cy="{py}" r="3"/>'


def _path(points: Sequence[tuple[float, float]], *, stairs: bool = False) -> str:
    (x, y), *rest = points
    around = zip(points, rest, [*rest[1:], (0.0, -1.0)], strict=False)
    needed = [here for last, here, following in around if not last[1] == here[1] == following[1]]
    joined = (f"H{px}V{py}" if stairs else f"L{px} {py}" for px, py in needed)
    return f"M{x} {y}{''.join(joined)}"


def _ticks(frame: _Frame, scale: Scale) -> Iterator[str]:
    for value in _round_values(*frame.up, 4):
        y = frame.y(value)
        yield f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{LEFT - 5}" y="{y + 4}" text-anchor="end">{write(value, scale)}</text>'
    for value in _round_values(*frame.across, 6):
        x = frame.x(value)
        yield f'<text x="{x}" y="{HEIGHT - 6}" text-anchor="middle">{value:,.9g}</text>'


def _round_values(low: float, high: float, many: int) -> list[float]:
    """About so many round values between two others."""
    raw = (high - low) / many
    size = 10 ** floor(log10(raw))
    each = next(size * step for step in (1, 2, 5, 10) if size * step >= raw)
    first = -(-low // each)
    return [each * (first + i) for i in range(many + 2) if each * (first + i) <= high * (1 + 1e-9)]


def _heat(heat: HeatMap, steps: Sequence[float]) -> str:
    height, every = heat.height
    names = "".join(f"<li>{escape(name)}</li>" for name in heat.names[::every])
    picture = b64encode(_picture(heat)).decode()
    return (
        f'<div class="heat-map"><ol>{names}</ol><img class="heat" alt="{escape(heat.title)}"'
        f' height="{height}" src="data:image/png;base64,{picture}"></div><p class="legend-bar">0'
        f'<span class="shades"></span>{write(heat.top, heat.scale)}'
        f"<span>step {steps[0]:,.0f} to {steps[-1]:,.0f}</span></p>"
    )


def _picture(heat: HeatMap) -> bytes:
    """The cells of a heat map as a PNG: a byte for each, which stands for a shade; 0 for a gap."""
    rows = (
        bytes(0 if v is None else 1 + round((SHADES - 1) * min(1.0, v / heat.top)) for v in row)
        for row in heat.rows
    )
    chunks = (
        b"IHDR" + pack(">2I5B", len(heat.rows[0]), len(heat.rows), 8, 3, 0, 0, 0),
        b"PLTE\0\0\0" + b"".join(_shade(i / (SHADES - 1)) for i in range(SHADES)),
        b"tRNS\0",
        b"IDAT" + compress(b"".join(b"\0" + row for row in rows), 9),
        b"IEND",
    )
    packed = (pack(">I", len(each) - 4) + each + pack(">I", crc32(each)) for each in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def _shade(share: float) -> bytes:
    place, part = divmod(min(0.9999, share) * (len(VIRIDIS) - 1), 1)
    low, high = (bytes.fromhex(VIRIDIS[int(place) + i]) for i in (0, 1))
    return bytes(round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
