from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.grids import Cell, keeps, neighbours
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.blanks import with_blanks
from rlve.text import grid
from rlve.work import Work, fill_grid, state

EMPTY = -1
MOVES_PER_CELL = 20  # after this many, nothing is left of the original path


class Numbrix(Environment[list[list[int]]]):
    """Complete a grid in which consecutive numbers are neighbours.

    Any completion that obeys the rules is right; there can be several. The planted path grows out
    of a snake by random moves, so no search is needed.
    """

    MAX_N_M: int
    sparsity: float  # the share of cells that are emptied
    N: int
    M: int
    matrix: list[list[int]]
    reference_answer: str

    max_difficulty = 30  # at 37, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", blank="-1", answer="grid")

    template = """
        Here is a grid of {N} rows and {M} columns; -1 marks an empty cell:

        {matrix}

        Replace every -1 by an integer and keep all other cells, such that
        - the grid contains every integer from 0 to {last} exactly once;
        - every two consecutive integers x and x + 1 are in cells that share a side (next to each
          other horizontally or vertically).

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} integers, separated by spaces: the completed grid.
        """

    def prompt(self) -> str:
        return self.fill(matrix=grid(self.matrix), last=self.N * self.M - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3, "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, sparsity: float) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        solution = [[0] * M for _ in range(N)]
        for number, (i, j) in enumerate(random_path(rng, N, M)):
            solution[i][j] = number
        return cls(
            MAX_N_M=MAX_N_M,
            sparsity=sparsity,
            N=N,
            M=M,
            matrix=with_blanks(rng, solution, sparsity, EMPTY),
            reference_answer=grid(solution),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=self.M)

    def score(self, answer: list[list[int]]) -> float:
        size = self.N * self.M
        if not keeps(answer, self.matrix, EMPTY):
            return INVALID
        if not is_permutation([value for row in answer for value in row], size):
            return INVALID
        cell_of = {value: (i, j) for i, row in enumerate(answer) for j, value in enumerate(row)}
        breaks = sum(
            not share_a_side(cell_of[value], cell_of[value + 1]) for value in range(size - 1)
        )
        return ratio(1, 1 + breaks) ** 3

    def work(self) -> Work[str | None]:
        size = self.N * self.M
        given = {x for row in self.matrix for x in row}
        missing = [x for x in range(size) if x not in given]
        yield state("All", range(size))
        yield state("Missing", missing)
        yield "Two numbers are at most as many steps apart as they differ by. There is no place for"
        yield "x + 1 or x - 1 if every cell next to x is filled with other numbers."

        def fault(rows: list[list[int]], i: int, j: int) -> str | None:
            value = rows[i][j]
            beside = [rows[x][y] for x, y in neighbours(self.N, self.M, (i, j))]
            for x, row in enumerate(rows):
                for y, other in enumerate(row):
                    if other == value and (x, y) != (i, j):
                        return "used"
                    if other != EMPTY and abs(x - i) + abs(y - j) > abs(other - value):
                        return f"too far from {other}"
            for other in (value - 1, value + 1):
                if 0 <= other < size and other not in beside and EMPTY not in beside:
                    return f"no place for {other}"
            return None

        rows = yield from fill_grid(self.matrix, EMPTY, missing, fault)
        if rows is None:
            return None
        for i, row in enumerate(rows, 1):
            yield state(f"Row {i}", row)
        return grid(rows)


def share_a_side(a: Cell, b: Cell) -> bool:
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1


def random_path(rng: Random, N: int, M: int) -> list[Cell]:
    """A path through all cells, from neighbour to neighbour.

    A move links an end of the path to a cell beside it and cuts the path there (backbite).
    """
    path = [i * M + (j if i % 2 else M - 1 - j) for i in range(N) for j in range(M)]
    beside = [[i * M + j for i, j in neighbours(N, M, divmod(x, M))] for x in range(N * M)]
    for _ in range(MOVES_PER_CELL * N * M):
        if rng.random() < 0.5:
            path.reverse()
        last = path.index(rng.choice(beside[path[-1]])) + 1
        path[last:] = path[: last - 1 : -1]
    return [divmod(place, M) for place in path]
