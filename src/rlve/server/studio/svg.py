"""Charts as inline SVG, for where scripts do not run: mail, print, a strict browser.

A plain copy of what static/charts.js draws, in the colours of static/studio.css.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import floor, log10

from markupsafe import Markup

from rlve.server.studio.charts import Axis, Chart, Drawings, HeatMap, Scale, Series

WIDTH, HEIGHT = 520, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 8, 22  # around the curves
POINTS = 150  # at most, of a curve
CELLS = 100  # at most, of a row of a heat map
ROWS = 60  # at most, of a heat map


def draw_all(drawn: Drawings) -> Markup:
    """All charts of a page, one after another."""
    figures = [_figure(each, drawn.axes) for each in drawn.charts.values()]
    return Markup("".join(figures))  # noqa: S704  whatever a file says is escaped below


def _figure(drawing: Chart | HeatMap, axes: Mapping[str, Axis]) -> str:
    body = _heat(drawing, axes) if isinstance(drawing, HeatMap) else _curves(drawing, axes)
    note = f'<p class="note">{escape(drawing.note)}</p>' if drawing.note else ""
    return (
        f'<figure class="chart"><h3 class="title">{escape(drawing.title)}</h3>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(drawing.title)}">'
        f"{body}</svg>{_legend(drawing)}{note}</figure>"
    )


def _legend(drawing: Chart | HeatMap) -> str:
    if isinstance(drawing, HeatMap):
        return ""
    names = (
        f'<span class="k{each.colour % 12}">{escape(each.name)}'
        f"{_latest(each.values, drawing.scale)}</span>"
        for each in drawing.series
    )
    band = f"<span>{escape(drawing.band)}</span>" if drawing.band else ""
    return f'<p class="legend-line">{" ".join(names)} {band}</p>'


def _latest(values: Sequence[float | None], scale: Scale) -> str:
    last = next((value for value in reversed(values) if value is not None), None)
    return "" if last is None else f" {write(last, scale)}"


def write(value: float, scale: Scale) -> str:
    """A value beside an axis."""
    if scale == "share":
        return f"{100 * value:.3g}%"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


class _Frame:
    """Where values are in the picture."""

    def __init__(self, x: Sequence[float], low: float, high: float) -> None:
        self.first, self.last = min(x), max(x)
        if self.first == self.last:
            self.first, self.last = self.first - 1, self.last + 1
        self.low, self.high = low, high if high > low else low + 1

    def x(self, value: float) -> float:
        share = (value - self.first) / (self.last - self.first)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _curves(chart: Chart, axes: Mapping[str, Axis]) -> str:
    xs = [chart.x or axes[each.axis].step for each in chart.series]
    shown = _stacked(chart) if chart.stacked else chart.series
    known = [
        value
        for each in shown
        for column in (each.values, each.low, each.high)
        for value in column
        if value is not None
    ]
    low, high = _ends(known, chart)
    frame = _Frame([x for column in xs for x in column] or [0.0], low, high)
    parts = list(_ticks(frame, chart.scale))
    if chart.target is not None:
        y = frame.y(chart.target)
        parts.append(f'<path class="target" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
    pairs = list(zip(xs, shown, strict=True))
    for x, each in reversed(pairs) if chart.stacked else pairs:
        parts += _curve(frame, x, each, chart)
    return "".join(parts)


def _stacked(chart: Chart) -> list[Series]:
    sums = [0.0] * max(len(each.values) for each in chart.series)
    made: list[Series] = []
    for each in chart.series:
        sums = [total + (value or 0.0) for total, value in zip(sums, each.values, strict=True)]
        made.append(Series(each.name, list(sums), colour=each.colour))
    return made


def _ends(known: Sequence[float], chart: Chart) -> tuple[float, float]:
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    if chart.scale == "share":
        return 0.0, 1.0 if not chart.series[0].bars else max(high, 0.05)
    if low >= 0:
        low = 0.0
    return low, high


def _curve(frame: _Frame, x: Sequence[float], series: Series, chart: Chart) -> Iterator[str]:
    every = max(1, -(-len(x) // POINTS))
    at = sorted({*range(0, len(x), every), len(x) - 1} - {-1})
    points = [(frame.x(x[i]), frame.y(v)) for i in at if (v := series.values[i]) is not None]
    colour = f"k{series.colour % 12}"
    if series.bars:
        width = round(max(1.0, (WIDTH - LEFT - RIGHT) / len(x) - 1), 1)
        for px, py in points:
            place = f'x="{px - width / 2:.1f}" y="{py}" width="{width}"'
            yield f'<rect class="{colour} fill" {place} height="{frame.y(frame.low) - py:.1f}"/>'
        return
    if chart.stacked and points:
        base = frame.y(0.0)
        around = f"{_path(points)}L{points[-1][0]} {base}L{points[0][0]} {base}Z"
        yield f'<path class="{colour} fill" d="{around}"/>'
        return
    if series.low and not chart.x:
        yield f'<path class="{colour} band" d="{_band(frame, x, series, at)}"/>'
    elif series.low:
        for i in at:
            if (low := series.low[i]) is not None and (high := series.high[i]) is not None:
                whisker = f"M{frame.x(x[i])} {frame.y(low)}V{frame.y(high)}"
                yield f'<path class="{colour} line" d="{whisker}"/>'
    if series.line:
        yield f'<path class="{colour} line" d="{_path(points, stairs=series.stairs)}"/>'
    if series.points:
        for px, py in points:
            yield f'<circle class="{colour} fill" cx="{px}" cy="{py}" r="3"/>'


def _path(points: Sequence[tuple[float, float]], *, stairs: bool = False) -> str:
    if not points:
        return ""
    (x, y), *rest = points
    joined = (f"H{px}V{py}" if stairs else f"L{px} {py}" for px, py in rest)
    return f"M{x} {y}{''.join(joined)}"


def _band(frame: _Frame, x: Sequence[float], series: Series, at: Sequence[int]) -> str:
    edges = [
        [(frame.x(x[i]), frame.y(v)) for i in at if (v := column[i]) is not None]
        for column in (series.low, series.high)
    ]
    return f"{_path([*edges[0], *reversed(edges[1])])}Z" if edges[0] else ""


def _ticks(frame: _Frame, scale: Scale) -> Iterator[str]:
    for value in _round_values(frame.low, frame.high, 4):
        y = frame.y(value)
        yield f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{LEFT - 5}" y="{y + 4}" text-anchor="end">{write(value, scale)}</text>'
    for value in _round_values(frame.first, frame.last, 6):
        x = frame.x(value)
        yield f'<text x="{x}" y="{HEIGHT - 6}" text-anchor="middle">{write(value, "number")}</text>'


def _round_values(low: float, high: float, many: int) -> list[float]:
    """About so many round values between two others."""
    raw = (high - low) / many
    size = 10 ** floor(log10(raw))
    each = next(size * step for step in (1, 2, 5, 10) if size * step >= raw)
    first = -(-low // each)
    return [each * (first + i) for i in range(many + 2) if each * (first + i) <= high * (1 + 1e-9)]


def _heat(heat: HeatMap, axes: Mapping[str, Axis]) -> str:
    step = axes[heat.axis].step
    every, each = max(1, -(-len(step) // CELLS)), max(1, -(-len(heat.rows) // ROWS))
    names, rows = heat.names[::each], heat.rows[::each]
    top = heat.top or max((v for row in heat.rows for v in row if v is not None), default=1) or 1
    wide = (WIDTH - LEFT - RIGHT) / max(1, -(-len(step) // every))
    high = (HEIGHT - TOP - BOTTOM) / max(1, len(rows))
    parts: list[str] = []
    for y, (name, row) in enumerate(zip(names, rows, strict=True)):
        if len(rows) <= 12:
            place = f'x="{LEFT - 5}" y="{TOP + (y + 0.6) * high:.1f}"'
            parts.append(f'<text {place} text-anchor="end">{escape(name[:9])}</text>')
        for x, value in enumerate(row[::every]):
            if value:
                place = f'x="{LEFT + x * wide:.1f}" y="{TOP + y * high:.1f}"'
                size = f'width="{wide + 0.3:.1f}" height="{high:.1f}"'
                shade = f'opacity="{min(1.0, value / top):.2f}"'
                parts.append(f'<rect class="k0 fill" {place} {size} {shade}/>')
    if step:
        ends = f"step {step[0]:,.0f} to {step[-1]:,.0f}; darkest: {write(top, heat.scale)}"
        parts.append(f'<text x="{LEFT}" y="{HEIGHT - 6}">{ends}</text>')
    return "".join(parts)
