from functools import cache
from math import factorial
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import set_bits
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.rewards import closeness
from rlve.sampling.rejection import redraw
from rlve.text import joined, lines

MAX_CELLS = 49
MAX_SETS = 40_000  # how many sets of cells counting may visit


class GridLocalMinimumCounting(Environment[int]):
    """Count the ways to number the cells of a grid so that given cells are the local minima.

    Sides whose product exceeds 49 are redrawn, as the number of cases explodes: from d = 4 on,
    grids grow longer but not much larger.
    """

    MAX_N_M: int
    N: int
    M: int
    grid: list[list[str]]
    reference_answer: int

    max_difficulty = 700  # at 865, no problem is found
    picture = Grid()

    template = """
        A grid has {N} rows and {M} columns. Its cells are filled with the integers 1 to {cells},
        each of them exactly once. A cell is a local minimum if its number is smaller than the
        numbers of all its neighbours. The neighbours of a cell are the up to 8 cells of the grid
        that touch it horizontally, vertically or diagonally; a cell at the border just has fewer.

        In this picture of the grid each cell is X or a dot:

        {grid}

        Count the ways to fill the grid so that every X is a local minimum and no dot is one.

        Output format: one integer, the exact number of ways.
        """

    def prompt(self) -> str:
        return self.fill(cells=self.N * self.M, grid=lines(map(joined, self.grid)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = redraw(
            lambda: (rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)),
            until=lambda sides: sides[0] * sides[1] <= MAX_CELLS,
            tries=10_000,
        )
        around = neighbourhoods(N, M)
        marked = redraw(
            lambda: minima(rng.sample(range(N * M), N * M), around),
            until=lambda marked: sets_to_visit(marked, around) <= MAX_SETS,
        )
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            grid=[["X" if marked >> i * M + j & 1 else "." for j in range(M)] for i in range(N)],
            reference_answer=fillings(marked, around),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def neighbourhoods(N: int, M: int) -> list[int]:
    """Each cell and its neighbours, as a bit mask; the cells are numbered row by row."""
    return [
        sum(
            1 << near * M + by
            for near in range(max(0, i - 1), min(N, i + 2))
            for by in range(max(0, j - 1), min(M, j + 2))
        )
        for i in range(N)
        for j in range(M)
    ]


def minima(numbers: list[int], around: list[int]) -> int:
    """The local minima, as a bit mask."""
    return sum(
        1 << cell
        for cell, near in enumerate(around)
        if numbers[cell] == min(numbers[other] for other in set_bits(near))
    )


def unreached(marked: int, around: list[int]) -> int:
    """The cells that are neither marked nor next to a marked cell."""
    cells = (1 << len(around)) - 1
    for cell in set_bits(marked):
        cells &= ~around[cell]
    return cells


def sets_to_visit(marked: int, around: list[int]) -> int:
    """How many sets of marked or unreached cells have no two neighbours."""

    @cache
    def count(cells: int) -> int:
        if not cells:
            return 1
        rest = cells & cells - 1
        first = (cells ^ rest).bit_length() - 1
        return count(rest) + count(rest & ~around[first])

    return 2 ** marked.bit_count() * count(unreached(marked, around))


def fillings(marked: int, around: list[int]) -> int:
    """The number of ways to fill the grid so that its local minima are exactly the marked cells.

    Let f(S) be the number of ways in which the cells of S, and possibly others, are minima. The
    smallest number in and around S is then at a cell y of S, and over all ways it is equally often
    at each cell in and around S. So f(S) is the sum of f(S - y) over all y in S, divided by how
    many cells are in and around S. Neighbours of a marked cell cannot be minima; for the others,
    use inclusion and exclusion.

    A set S has some marked cells, which are numbered from 0 here so that they make a number, and
    some others, so that f is a list for each set of others.
    """
    smaller: list[list[int]] = [[]]  # by marked cells: the same without one of them
    reached = [0]  # by marked cells: these and the cells around them
    for k, cell in enumerate(set_bits(marked)):
        smaller += [[i, *(j | 1 << k for j in less)] for i, less in enumerate(smaller)]
        reached += [near | around[cell] for near in reached]
    others = {0: 0}  # each set of others, and the cells in and around it; subsets come first
    for cell in set_bits(unreached(marked, around)):
        others |= {
            chosen | 1 << cell: near | around[cell]
            for chosen, near in others.items()
            if not near >> cell & 1
        }
    nothing = [factorial(len(around))] + [0] * (len(smaller) - 1)
    ways: dict[int, list[int]] = {}
    count = 0
    for chosen, near in others.items():
        before = [ways[chosen ^ 1 << cell] for cell in set_bits(chosen)]
        totals = map(sum, zip(*before, strict=True)) if before else nothing
        f: list[int] = []
        for total, less, area in zip(totals, smaller, reached, strict=True):
            cells = (near | area).bit_count() or 1
            f.append((total + sum([f[i] for i in less])) // cells)
        count += (-1) ** chosen.bit_count() * f[-1]
        ways[chosen] = f
    return count
