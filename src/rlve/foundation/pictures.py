"""What can be seen in a problem: which of its fields are a graph, a grid, points, intervals, bars.

An environment says so in one line, such as `picture = Graph(answer="path")`, and draws nothing
itself: rlve.reports.pictures does. Names are those of fields. `first` is the number of the first
vertex, cell, point, interval or bar in the fields and in answers. `answer` says how an answer is
drawn in.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Graph:
    """Vertices and edges; a tree hangs from its root."""

    edges: str = "edges"  # (u, v) or (u, v, label); or rows that say whether u leads to v
    vertices: str | None = "N"  # how many there are; None: up to the highest that has an edge
    parents: str | None = None  # instead of edges: of each vertex, or of each but the first
    first: int = 0
    directed: bool = False
    values: str | None = None  # a value for each vertex
    marked: str | None = None  # special vertices: a list, or one
    answer: Literal["edges", "path", "vertices", "order", "values", "classes", "sets"] | None = None
    """Pairs of ends; vertices along a path, one a line; chosen ones; all of them in an order; a
    number or a class for each vertex; or a line for each class."""


@dataclass(frozen=True)
class Grid:
    """Rows of cells; without `cells`, they are empty.

    An answer is a grid of what is in them, or another one to stand beside it, or one that marks
    some with * or 1; or their rows and columns; or the column of one cell of each row; or moves
    from the first cell, U, D, L and R.
    """

    cells: str | None = "grid"  # rows of characters, words or numbers; or all in one list
    rows: str | int = "N"  # how many there are, if there are no cells
    columns: str | int = "M"
    signs: tuple[tuple[str, str], ...] = ()
    """What cells say that a field names: one (row, column), a list of them, the columns of a single
    row, or those of each row."""
    blank: str = "."  # cells that say this, or one of these characters, are empty
    solid: str = "#"  # cells that say this, or one of these characters, are filled
    left: str | None = None  # a number before each row
    right: str | None = None
    top: str | None = None
    bottom: str | None = None
    first: int = 0
    answer: Literal["grid", "beside", "marks", "cells", "columns", "moves"] | None = None


@dataclass(frozen=True)
class Points:
    """Points in the plane, or segments; or groups of points on a line, one below the other."""

    points: str | None = "points"  # (x, y); or (x1, y1, x2, y2); or a list for each group
    x: str | None = None  # or their coordinates one by one
    y: str | None = None
    first: int = 0
    answer: Literal["points", "polygon"] | None = None


@dataclass(frozen=True)
class Intervals:
    """Intervals of numbers, one below the other."""

    intervals: str | None = "intervals"  # (low, high) or (low, high, label)
    low: str | None = None  # or their ends one by one
    high: str | None = None
    first: int = 0
    answer: Literal["chosen", "classes"] | None = None


@dataclass(frozen=True)
class Bars:
    """A sequence of numbers as heights."""

    heights: str = "A"
    first: int = 0
    answer: Literal["positions", "heights"] | None = None


Part: TypeAlias = Graph | Grid | Points | Intervals | Bars
Picture: TypeAlias = Part | tuple[Part, ...]  # several are drawn side by side
