"""Problems as pictures: the fields that an environment calls a graph, a grid or the like, drawn.

A picture is one SVG element without scripts or links, in the colour of the text around it, with the
answer in blue. Labels come from problems that anybody may have written, so they are cut
and escaped, and what is too large to be seen is not drawn.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import combinations, pairwise
from math import atan2, cos, hypot, pi, sin
from typing import Any, NamedTuple, TypeAlias

from rlve.contract import AnyEnvironment, Problem
from rlve.foundation.pictures import Bars, Graph, Grid, Intervals, Part, Points

MOST_VERTICES, MOST_CELLS, MOST_ITEMS = 40, 900, 120
LONGEST = 8  # characters of a label
LABELLED, NUMBERED = 14, 40  # points and bars that have labels
CELL = 26  # pixels
APART, WIDEST = 42, 640  # pixels between two vertices of a graph, and across all of it
DENSE = 0.6  # the share of pairs that are joined; then all vertices are on a circle
ACCENT, ON_ACCENT = "var(--accent, #0072b2)", "var(--on-accent, #fff)"
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a6d3b", "#999999")
GAP, HEAD = 24, 20
PAPER = "var(--paper, #fff)"
STYLE = (
    "<style>svg { color: #222 } @media (prefers-color-scheme: dark) "
    "{ svg { color: #ddd; --accent: #6cbcec; --on-accent: #10222e; --paper: #17191b } }</style>"
)

Place: TypeAlias = tuple[float, float]
_Edge: TypeAlias = tuple[int, int, object]


class _Sheet(NamedTuple):
    """A drawing and its size."""

    width: float
    height: float
    parts: list[str]


class TooLargeError(Exception):
    """The problem would not be seen in a picture."""


def has_picture(cls: AnyEnvironment) -> bool:
    """Whether problems of this environment can be drawn."""
    return cls.picture is not None


def draw(problem: Problem, answer: str | None = None, *, alone: bool = False) -> str | None:
    """A problem as SVG, with an answer drawn in if one is given; None if it is not drawn.

    `alone`: for a file of its own, on light and on dark paper.
    """
    declared = problem.picture
    if declared is None:
        return None
    kinds: Sequence[Part] = declared if isinstance(declared, tuple) else (declared,)
    rows = None if answer is None else answer.splitlines()
    try:
        sheets = [_DRAWN[type(kind)](kind, problem, rows) for kind in kinds]
    except TooLargeError:
        return None
    if len(kinds) > 1:
        sheets = [_under(_title(kind), sheet) for kind, sheet in zip(kinds, sheets, strict=True)]
    width = sum(sheet.width for sheet in sheets) + GAP * (len(sheets) - 1)
    height = max(sheet.height for sheet in sheets)
    body, x = [], 0.0
    for sheet in sheets:
        body.append(f'<g transform="translate({x:.0f} 0)">{"".join(sheet.parts)}</g>')
        x += sheet.width + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="The problem as a '
        f'picture" font-family="system-ui, sans-serif" font-size="11">{STYLE * alone}'
        f"{''.join(body)}</svg>"
    )


def _title(kind: Part) -> str:
    """The field that is drawn."""
    fields = dataclasses.asdict(kind)
    drawn = ("parents", "edges", "cells", "points", "intervals", "heights", "x", "low")
    return next(fields[name] for name in drawn if fields.get(name))


def _under(title: str, sheet: _Sheet) -> _Sheet:
    """A drawing below the name of what it shows."""
    head = f'<text x="2" y="12" fill="currentColor" font-weight="600">{escape(title)}</text>'
    moved = f'<g transform="translate(0 {HEAD})">{"".join(sheet.parts)}</g>'
    return _Sheet(max(sheet.width, 7 * len(title)), sheet.height + HEAD, [head, moved])


# What all pictures are made of.


def _label(value: object) -> str:
    text = "".join(char if char.isprintable() else "\ufffd" for char in str(value))
    return escape(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def _text(x: float, y: float, value: object, colour: str = "currentColor") -> str:
    place = f'x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle"'
    return f'<text {place} fill="{colour}">{_label(value)}</text>'


def _line(a: Place, b: Place, *, colour: str | None = None, faint: bool = False) -> str:
    ends = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'
    stroke, wide = (colour, 3) if colour else ("currentColor", 1)
    return f'<line {ends} stroke="{stroke}" stroke-width="{wide}"{_opacity(faint)}/>'


def _rect(
    x: float, y: float, width: float, height: float, fill: str = "none", *, faint: bool = False
) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} fill="{fill}" stroke="currentColor"{_opacity(faint)}/>'


def _opacity(faint: bool) -> str:
    return ' opacity="0.45"' if faint else ""


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _ink(fill: str) -> str:
    """What can be read on this colour."""
    if not fill.startswith("#"):
        return {ACCENT: ON_ACCENT}.get(fill, "currentColor")
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    return "#fff" if 0.3 * red + 0.59 * green + 0.11 * blue < 130 else "#222"


def _numbers(rows: Iterable[str]) -> list[list[int]]:
    """The integers of each line of an answer."""
    return [[int(n) for n in re.findall(r"-?\d{1,9}", row)] for row in rows]


def _flat(rows: Iterable[str]) -> list[int]:
    return [n for row in _numbers(rows) for n in row]


def _few(many: int, most: int) -> int:
    if many > most:
        raise TooLargeError
    return many


def _fills(
    answer: Sequence[str] | None, means: str | None, count: int, first: int
) -> dict[int, str]:
    """The colours of vertices, points, intervals or bars, by what an answer means."""
    if answer is None:
        return {}
    rows = [[n - first for n in row if 0 <= n - first < count] for row in _numbers(answer)]
    match means:
        case "classes":  # a class for each, in the order in which they come up
            named = _flat(answer)
            order = {name: i for i, name in enumerate(dict.fromkeys(named))}
            return {n: _colour(order[name]) for n, name in enumerate(named)}
        case "sets":
            return {n: _colour(i) for i, row in enumerate(rows) for n in row}
        case "path" if len(rows) > 1:  # whose edges have colours
            return {}
        case "vertices" | "path" | "points" | "polygon" | "chosen" | "positions":
            return dict.fromkeys((n for row in rows for n in row), ACCENT)
        case _:
            return {}


# Graphs.


def _graph(kind: Graph, problem: Problem, answer: Sequence[str] | None) -> _Sheet:
    edges = list(_edges(kind, problem))
    highest = max((max(u, v) for u, v, _ in edges), default=-1)
    count = highest + 1 if kind.vertices is None else int(getattr(problem, kind.vertices))
    if highest >= count:
        raise ValueError(f"{type(problem).__name__}: an edge ends at {highest} of {count} vertices")
    _few(count, MOST_VERTICES)
    places = _layout(count, [(u, v) for u, v, _ in _all_edges(kind, problem, edges)])
    fills = _fills(answer, kind.answer, count, kind.first)
    chosen, beside = _answered(kind, answer or (), count)
    known = {(u, v) for u, v, _ in edges} | {(v, u) for u, v, _ in edges if not kind.directed}
    parts: list[str] = []
    for u, v, label in edges:
        colour = chosen.get((u, v)) or (None if kind.directed else chosen.get((v, u)))
        both = kind.directed and (v, u) in known
        parts += _edge(places[u], places[v], label, colour, directed=kind.directed, both=both)
    for (u, v), colour in chosen.items():  # edges that an answer adds
        if (u, v) not in known:
            line = _line(places[u], places[v], colour=colour)
            parts.append(line.replace("<line", '<line stroke-dasharray="5 4"'))
    values = getattr(problem, kind.values) if kind.values else None
    marked = _marked(getattr(problem, kind.marked), kind.first) if kind.marked else set[int]()
    for v, (x, y) in enumerate(places):
        fill = fills.get(v, "none")
        ring = ' stroke-width="3"' if v in marked else ""
        disc = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="11"'
        parts.append(f'{disc} fill="{PAPER}"/>')
        parts.append(f'{disc} fill="{fill}" stroke="currentColor"{ring}/>')
        parts.append(_text(x, y, v + kind.first, _ink(fill)))
        if values is not None and v < len(values):
            parts.append(_text(x + 17, y - 12, values[v]))
        if v in beside:
            parts.append(_text(x - 17, y - 12, beside[v], ACCENT))
    right = max((x for x, _ in places), default=0) + 24
    return _Sheet(right, max((y for _, y in places), default=0) + 24, parts)


def _all_edges(kind: Graph, problem: Problem, edges: list[_Edge]) -> list[_Edge]:
    """The edges of all graphs of a problem with the same vertices, so that they look alike."""
    declared = problem.picture
    if not isinstance(declared, tuple):
        return edges
    graphs = [part for part in declared if isinstance(part, Graph)]
    alike = [part for part in graphs if part.vertices is not None]
    same = [part for part in alike if part.vertices == kind.vertices]
    return [edge for part in same for edge in _edges(part, problem)] or edges


def _edges(kind: Graph, problem: Problem) -> Iterator[_Edge]:
    """(u, v, label), counted from 0."""
    if kind.parents is not None:
        parents = list(getattr(problem, kind.parents))
        whole = kind.vertices is None or len(parents) == int(getattr(problem, kind.vertices))
        for v, row in enumerate(parents, 0 if whole else 1):
            parent, label = row if isinstance(row, tuple) else (row, None)
            if parent is not None and (parent >= kind.first) and v != parent - kind.first:
                yield parent - kind.first, v, label
        return
    for u, row in enumerate(getattr(problem, kind.edges)):
        if isinstance(row, list):  # whether u leads to each other vertex
            yield from ((u, v, None) for v, leads in enumerate(row) if leads)
        elif isinstance(row[1], str):  # a comparison of two vertices
            yield row[0] - kind.first, row[2] - kind.first, row[1]
        else:
            label = ", ".join(map(str, row[2:])) or None
            yield row[0] - kind.first, row[1] - kind.first, label


def _marked(field: Any, first: int) -> set[int]:
    return {n - first for n in ([field] if isinstance(field, int) else field)}


def _answered(
    kind: Graph, answer: Sequence[str], count: int
) -> tuple[dict[tuple[int, int], str], dict[int, int]]:
    """The colours of the edges that an answer names, and what it puts beside vertices."""
    rows = [[n - kind.first for n in row] for row in _numbers(answer)]
    rows = [[n for n in row if 0 <= n < count] for row in rows]
    flat = [n for row in rows for n in row]
    match kind.answer:
        case "order":
            return {}, {n: i for i, n in enumerate(flat, 1)}
        case "values":
            return {}, dict(enumerate(_flat(answer)))
        case "path":
            colours = [_colour(i) if len(rows) > 1 else ACCENT for i in range(len(rows))]
            paths = zip(rows, colours, strict=True)
            return {edge: colour for row, colour in paths for edge in pairwise(row)}, {}
        case "edges":
            return dict.fromkeys(zip(flat[::2], flat[1::2], strict=False), ACCENT), {}
        case _:
            return {}, {}


def _edge(
    a: Place, b: Place, label: object | None, colour: str | None, *, directed: bool, both: bool
) -> Iterator[str]:
    """An edge; one of `both` directions stands aside for the other."""
    length = hypot(b[0] - a[0], b[1] - a[1])
    if not length:
        return
    ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    if both:
        a, b = (a[0] + 4 * uy, a[1] - 4 * ux), (b[0] + 4 * uy, b[1] - 4 * ux)
    yield _line(a, b, colour=colour, faint=colour is None)
    if directed:
        tip = (b[0] - 11 * ux, b[1] - 11 * uy)
        wings = [(tip[0] - 9 * ux + s * 4 * uy, tip[1] - 9 * uy - s * 4 * ux) for s in (1, -1)]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, *wings))
        yield f'<polygon points="{corners}" fill="{colour or "currentColor"}"/>'
    if label is not None:
        yield _text((a[0] + b[0]) / 2 + 8 * uy, (a[1] + b[1]) / 2 - 8 * ux, label)


def _layout(count: int, edges: Sequence[tuple[int, int]]) -> list[Place]:
    """Where the vertices are: what nothing joins stands in a row below the rest."""
    near: list[set[int]] = [set() for _ in range(count)]
    for u, v in edges:
        if u != v:
            near[u].add(v)
            near[v].add(u)
    joined = [v for v in range(count) if near[v]]
    number = {v: i for i, v in enumerate(joined)}
    ours = [{number[u] for u in near[v]} for v in joined]
    is_tree = sum(map(len, ours)) == 2 * (len(ours) - 1) and len(_below(0, ours)) == len(ours)
    places = (_hang(ours) if is_tree else _spread(ours)) if ours else []
    bottom = max((y for _, y in places), default=-10.0) + 44
    found = dict(zip(joined, places, strict=True))
    alone = [v for v in range(count) if not near[v]]
    found |= {v: (24.0 + 38 * i, bottom) for i, v in enumerate(alone)}
    return [found[v] for v in range(count)]


def _below(root: int, near: Sequence[set[int]]) -> dict[int, int]:
    """The vertices that can be reached from a root, with their depths, the nearest first."""
    depths = {root: 0}
    for vertex in (queue := [root]):
        for other in sorted(near[vertex] - depths.keys()):
            depths[other] = depths[vertex] + 1
            queue.append(other)
    return depths


def _hang(near: Sequence[set[int]]) -> list[Place]:
    """A tree: leaves side by side, every other vertex above the middle of its children."""
    depths = _below(0, near)
    x: dict[int, float] = {}
    leaves = 0

    def place(vertex: int) -> None:
        nonlocal leaves
        below = [v for v in sorted(near[vertex]) if depths[v] > depths[vertex]]
        for child in below:
            place(child)
        if below:
            x[vertex] = (x[below[0]] + x[below[-1]]) / 2
        else:
            x[vertex] = 20.0 + 38 * leaves
            leaves += 1

    place(0)
    return [(x[v], 34.0 + 48 * depths[v]) for v in range(len(near))]


def _spread(near: Sequence[set[int]]) -> list[Place]:
    """Any graph: neighbours attract and all repel each other, from a circle on; no chance in it."""
    count = len(near)
    places = [
        (count / 4 * cos(2 * pi * v / count), count / 4 * sin(2 * pi * v / count))
        for v in range(count)
    ]
    for step in range(ROUNDS := 120):
        heat = 0.3 * (1 - step / ROUNDS) * max(1.0, count / 12)
        moved: list[Place] = []
        for v, (x, y) in enumerate(places):
            fx = fy = 0.0
            for u, (ux, uy) in enumerate(places):
                if u == v:
                    continue
                dx, dy = x - ux, y - uy
                apart = max(0.05, hypot(dx, dy))
                force = 1 / apart - (apart**2 if u in near[v] else 0.0)
                force -= 0.12 * apart  # parts that nothing joins stay near
                fx, fy = fx + dx / apart * force, fy + dy / apart * force
            size = max(1e-9, hypot(fx, fy))
            reach = min(heat, size)
            moved.append((x + fx / size * reach, y + fy / size * reach))
        places = moved
    if count > 2 and sum(map(len, near)) > DENSE * count * (count - 1):
        places = [(cos(2 * pi * v / count), sin(2 * pi * v / count)) for v in range(count)]
    left, top = min(x for x, _ in places), min(y for _, y in places)
    wide = max(max(x for x, _ in places) - left, max(y for _, y in places) - top, 1e-9)
    pairs = combinations(places, 2)
    closest = max(1e-9, min((hypot(a[0] - b[0], a[1] - b[1]) for a, b in pairs), default=1.0))
    scale = min(max((120 + 9 * count) / wide, APART / closest), WIDEST / wide)
    return [(24 + (x - left) * scale, 30 + (y - top) * scale) for x, y in places]


# Grids.


def _grid(kind: Grid, problem: Problem, answer: Sequence[str] | None) -> _Sheet:
    cells = _cells(kind, problem)
    if answer and kind.answer == "beside":
        question = _grid(kind, problem, None)
        second = _grid_of(Grid(blank="", solid=""), [_split(line) for line in answer], {})
        moved = f'<g transform="translate({question.width + GAP:.0f} 0)" color="{ACCENT}">'
        parts = [*question.parts, moved, *second.parts, "</g>"]
        width = question.width + GAP + second.width
        return _Sheet(width, max(question.height, second.height), parts)
    written = _written(cells, answer) if answer and kind.answer == "grid" else {}
    return _grid_of(kind, cells, written, problem, answer or ())


def _grid_of(
    kind: Grid,
    cells: Sequence[Sequence[str]],
    written: dict[tuple[int, int], str],
    problem: Problem | None = None,
    answer: Sequence[str] = (),
) -> _Sheet:
    chosen = set(_chosen(kind, answer))
    longest = max((min(LONGEST, len(cell)) for row in cells for cell in row), default=0)
    side = max(CELL, 7 * longest + 8)
    left, top = (side if kind.left else 1), (side if kind.top else 1)
    parts: list[str] = []
    for r, row in enumerate(cells):
        for c, cell in enumerate(row):
            x, y = left + c * side, top + r * side
            is_solid = cell in _words(kind.solid)
            new = written.get((r, c))
            light = (r, c) in chosen or new is not None
            fill = "currentColor" if is_solid else ACCENT if (r, c) in chosen else "none"
            parts.append(_rect(x, y, side, side, fill, faint=is_solid or not light))
            shown = cell if new is None else new
            if shown and shown not in _words(kind.blank) and not is_solid:
                ink = ACCENT if new is not None else "currentColor"
                ink = ON_ACCENT if (r, c) in chosen else ink
                parts.append(_text(x + side / 2, y + side / 2, shown, ink))
    if kind.answer == "moves":
        parts += _moves("".join(answer), left, top, side)
    wide = max(map(len, cells), default=0)
    if problem is not None:
        parts += _around(kind, problem, left, top, wide, len(cells), side)
    right, bottom = (side if kind.right else 1), (side if kind.bottom else 1)
    return _Sheet(left + wide * side + right, top + len(cells) * side + bottom, parts)


def _split(line: str) -> list[str]:
    """The cells of a line: words, or characters."""
    return line.split() if " " in line.strip() else list(line.strip())


def _cells(kind: Grid, problem: Problem) -> list[list[str]]:
    if kind.cells is None:
        rows, columns = _count(kind.rows, problem), _count(kind.columns, problem)
        _few(rows * columns, MOST_CELLS)
        found = [[""] * columns for _ in range(rows)]
    else:
        found: Sequence[Any] = getattr(problem, kind.cells)
        if isinstance(found[0], int):  # all in one list
            columns = _count(kind.columns, problem)
            found = [found[i : i + columns] for i in range(0, len(found), columns)]
    cells = [[str(cell) for cell in row] for row in found]
    _few(sum(map(len, cells)), MOST_CELLS)
    for name, sign in kind.signs:
        for r, c in _places(getattr(problem, name)):
            cells[r - kind.first][c - kind.first] += sign
    return cells


def _count(many: str | int, problem: Problem) -> int:
    return many if isinstance(many, int) else int(getattr(problem, many))


def _places(field: Any) -> Iterator[tuple[int, int]]:
    """The cells that a field names."""
    for r, at in enumerate(field if isinstance(field, list) else [field]):
        match at:
            case int():
                yield 0, at
            case (int() as row, int() as column) if type(at) is tuple:
                yield row, column
            case _:
                yield from ((r, c) for c in at)


def _chosen(kind: Grid, answer: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The cells that an answer names."""
    if kind.answer == "cells":
        flat = [n - kind.first for n in _flat(answer)]
        yield from zip(flat[::2], flat[1::2], strict=False)
    elif kind.answer == "columns":
        yield from enumerate(n - kind.first for n in _flat(answer))
    elif kind.answer == "marks":
        yield from (
            (r, c) for r, row in enumerate(answer) for c, mark in enumerate(row) if mark in "*1"
        )


def _words(text: str) -> tuple[str, ...]:
    """A number, or characters that each stand for themselves."""
    return (text,) if text.lstrip("-").isdigit() else tuple(text)


def _written(cells: Sequence[Sequence[str]], answer: Sequence[str]) -> dict[tuple[int, int], str]:
    """What an answer writes into cells that say something else."""
    lines = map(_split, answer)
    found = {(r, c): word for r, line in enumerate(lines) for c, word in enumerate(line)}
    return {
        (r, c): word
        for (r, c), word in found.items()
        if r < len(cells) and c < len(cells[r]) and cells[r][c] != word
    }


def _moves(moves: str, left: float, top: float, side: float) -> Iterator[str]:
    """A way from the first cell."""
    steps = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}
    here = (left + side / 2, top + side / 2)
    for move in moves.upper():
        if move in steps:
            there = (here[0] + steps[move][0] * side, here[1] + steps[move][1] * side)
            yield _line(here, there, colour=ACCENT)
            here = there


def _around(
    kind: Grid, problem: Problem, left: float, top: float, wide: int, high: int, side: float
) -> Iterator[str]:
    """The numbers beside rows and columns."""
    beside = {kind.left: left - side / 2, kind.right: left + wide * side + side / 2}
    for name, x in beside.items():
        for r, value in enumerate(getattr(problem, name)[:high] if name else ()):
            yield _text(x, top + (r + 0.5) * side, value)
    over = {kind.top: top - side / 2, kind.bottom: top + high * side + side / 2}
    for name, y in over.items():
        for c, value in enumerate(getattr(problem, name)[:wide] if name else ()):
            yield _text(left + (c + 0.5) * side, y, value)


# Points, intervals, bars.


def _scale(values: Iterable[float], size: float, margin: float) -> Callable[[float], float]:
    """From numbers to pixels."""
    known = list(values) or [0.0]
    low, high = min(known), max(known)
    unit = size / (high - low) if high > low else 0.0
    return lambda value: margin + (value - low) * unit


def _rows(problem: Problem, together: str | None, *apart: str | None) -> list[Any]:
    """Pairs of numbers, from one field or from two; not too many."""
    fields = [getattr(problem, name) for name in (together, *apart) if name is not None]
    rows = list(fields[0] if together is not None else zip(*fields, strict=True))
    _few(len(rows), MOST_ITEMS)
    return rows


def _points(kind: Points, problem: Problem, answer: Sequence[str] | None) -> _Sheet:
    rows = _rows(problem, kind.points, kind.x, kind.y)
    grouped = any(isinstance(row, list) for row in rows)
    segments = not grouped and any(len(row) == 4 for row in rows)
    points = [end for row in rows for end in ((row[:2], row[2:]) if segments else (row,))]
    if grouped:
        points = [(x, -n) for n, group in enumerate(rows) for x in group]
    edge = 30.0
    low = [min((point[axis] for point in points), default=0) for axis in (0, 1)]
    high = [max((point[axis] for point in points), default=0) for axis in (0, 1)]
    wide, tall = high[0] - low[0], high[1] - low[1]
    unit = min(360 / max(wide, 1), 260 / max(tall, 1))  # the same along both axes
    width, height = max(60.0, wide * unit) + 2 * edge, max(60.0, tall * unit) + 2 * edge
    places = [
        (edge + (point[0] - low[0]) * unit, height - edge - (point[1] - low[1]) * unit)
        for point in points
    ]
    chosen = _fills(answer, kind.answer, len(places), kind.first)
    parts = [_rect(4, 4, width - 8, height - 8, faint=True)]
    if kind.answer == "polygon" and chosen:
        corners = [places[n] for n in chosen]
        x, y = (sum(place[axis] for place in corners) / len(corners) for axis in (0, 1))
        corners.sort(key=lambda place: atan2(place[1] - y, place[0] - x))
        around = " ".join(f"{px:.1f},{py:.1f}" for px, py in corners)
        parts.append(
            f'<polygon points="{around}" fill="{ACCENT}" fill-opacity="0.15" stroke="{ACCENT}" '
            'stroke-width="2"/>'
        )
    if segments:
        parts += (_line(a, b) for a, b in zip(places[::2], places[1::2], strict=True))
    for n, (px, py) in enumerate(places):
        fill = chosen.get(n, "currentColor")
        parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{fill}"/>')
        if len(places) <= LABELLED or n in chosen:
            place = points[n][:1] if grouped else points[n]
            parts.append(_text(px, py - 11, ", ".join(map(str, place[:2]))))
    return _Sheet(width, height, parts)


def _intervals(kind: Intervals, problem: Problem, answer: Sequence[str] | None) -> _Sheet:
    rows = _rows(problem, kind.intervals, kind.low, kind.high)
    ends = [end for row in rows for end in row[:2]] or [0]
    x = _scale(ends, 300, 40)
    chosen = _fills(answer, kind.answer, len(rows), kind.first)
    parts: list[str] = []
    for n, row in enumerate(rows):
        y = 12.0 + 18 * n
        fill = chosen.get(n, "currentColor")
        start, end = x(row[0]), x(row[1])
        place = f'x="{start - 3:.1f}" y="{y - 4:.1f}" width="{end - start + 6:.1f}" height="8"'
        faint = _opacity(fill == "currentColor")
        parts.append(f'<rect {place} rx="3" fill="{fill}"{faint}/>')
        parts.append(_text(16, y, n + kind.first))
        parts.append(_text(372, y, " ".join(map(str, row))))
    bottom = 12.0 + 18 * len(rows)
    parts.append(_line((40, bottom), (340, bottom), faint=True))
    parts += [_text(x(end), bottom + 12, end) for end in dict.fromkeys((min(ends), max(ends)))]
    return _Sheet(400, bottom + 26, parts)


def _bars(kind: Bars, problem: Problem, answer: Sequence[str] | None) -> _Sheet:
    heights: list[int] = list(getattr(problem, kind.heights))
    _few(len(heights), MOST_ITEMS)
    told = _flat(answer or ()) if kind.answer == "heights" else []
    new = told if len(told) == len(heights) else []
    chosen = _fills(answer, kind.answer, len(heights), kind.first)
    y = _scale([0, *heights, *new], 120, 0)
    numbered = len(heights) <= NUMBERED
    wide = max(20.0, min(34.0, 620 / max(1, len(heights)))) if numbered else 12.0
    wide = max(wide, 7.0 * max((min(LONGEST, len(str(h))) for h in heights), default=0) * numbered)
    parts: list[str] = []
    for n, height in enumerate(heights):
        low, high = sorted((y(0), y(height)))
        fill = chosen.get(n, "currentColor")
        parts.append(
            _rect(4 + n * wide, 126 - high, wide - 4, high - low, fill, faint=n not in chosen)
        )
        if new:
            at = 126 - y(new[n])
            parts.append(_line((4 + n * wide, at), (n * wide + wide, at), colour=ACCENT))
        if numbered:
            parts.append(_text(2 + (n + 0.5) * wide, 136, height))
            index = _text(2 + (n + 0.5) * wide, 152, n + kind.first)
            parts.append(index.replace("<text", '<text opacity="0.6"'))
    zero = 126 - y(0)
    parts.append(_line((2, zero), (2 + wide * len(heights), zero)))
    return _Sheet(8 + wide * len(heights), 162 if numbered else 132, parts)


_DRAWN: dict[type, Callable[[Any, Problem, Sequence[str] | None], _Sheet]] = {
    Graph: _graph,
    Grid: _grid,
    Points: _points,
    Intervals: _intervals,
    Bars: _bars,
}
