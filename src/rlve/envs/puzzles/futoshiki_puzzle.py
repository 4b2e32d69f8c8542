from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell, keeps
from rlve.algorithms.latin_squares import is_latin_square
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.blanks import with_blanks
from rlve.sampling.latin_squares import random_latin_square
from rlve.text import grid, lines
from rlve.work import Work, fill_grid, state

EMPTY = -1


class FutoshikiPuzzle(Environment[list[list[int]]]):
    """Complete a Latin square whose cells satisfy given inequalities.

    Any completion that satisfies them is right; there can be several. The planted square is nearly
    uniform among all Latin squares.
    """

    N: int
    sparsity: float  # the share of cells that are emptied
    matrix: list[list[int]]
    inequalities: list[tuple[int, int, int, int]]  # (x1, y1, x2, y2): the first cell is smaller
    reference_answer: str

    max_difficulty = 35  # at 45, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", blank="-1", answer="grid")

    template = """
        Here is a grid of {N} rows and {N} columns; -1 marks an empty cell:

        {matrix}

        Replace every -1 by an integer from 0 to {last} and keep all other cells, such that
        - each row contains every integer from 0 to {last} exactly once;
        - each column contains every integer from 0 to {last} exactly once;
        - the inequalities below hold, where c[i][j] is the cell in row i and column j, both counted
          from 0, from the top and from the left.

        {inequalities}

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {N} integers, separated by spaces: the completed grid.
        """

    def prompt(self) -> str:
        inequalities = [f"c[{i}][{j}] < c[{x}][{y}]" for i, j, x, y in self.inequalities]
        return self.fill(
            last=self.N - 1, matrix=grid(self.matrix), inequalities=lines(inequalities)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3, "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, N: int, sparsity: float) -> Self:
        solution = random_latin_square(rng, N)
        return cls(
            N=N,
            sparsity=sparsity,
            matrix=with_blanks(rng, solution, sparsity, EMPTY),
            inequalities=[
                (*smaller, *larger) for smaller, larger in random_inequalities(rng, solution)
            ],
            reference_answer=grid(solution),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=self.N)

    def score(self, answer: list[list[int]]) -> float:
        if not is_latin_square(answer) or not keeps(answer, self.matrix, EMPTY):
            return INVALID
        satisfied = sum(answer[i][j] < answer[x][y] for i, j, x, y in self.inequalities)
        return ratio(satisfied, len(self.inequalities)) ** 5

    def work(self) -> Work[str | None]:
        yield "Fill cells that only one integer fits; where there is none, try."
        about: dict[Cell, list[tuple[int, int, int, int]]] = {}
        for a, b, x, y in self.inequalities:
            for cell in ((a, b), (x, y)):
                about.setdefault(cell, []).append((a, b, x, y))

        def fault(rows: list[list[int]], i: int, j: int) -> str | None:
            value = rows[i][j]
            if rows[i].count(value) > 1:
                return "row"
            if [row[j] for row in rows].count(value) > 1:
                return "column"
            for a, b, x, y in about.get((i, j), ()):
                small, large = rows[a][b], rows[x][y]
                if (i, j) == (a, b) and value >= (self.N - 1 if large == EMPTY else large):
                    return f"< {shown((x, y))}"
                if (i, j) == (x, y) and value <= (0 if small == EMPTY else small):
                    return f"> {shown((a, b))}"
            return None

        rows = yield from fill_grid(self.matrix, EMPTY, range(self.N), fault, name=shown)
        if rows is None:
            return None
        for i, row in enumerate(rows):
            yield state(f"Row {i}", row)
        return grid(rows)


def random_inequalities(rng: Random, square: list[list[int]]) -> list[tuple[Cell, Cell]]:
    """From 1 to 2n pairs of cells, the first with the smaller value, uniform among all pairs.

    Each value is in n cells, so a pair of values and a number below n * n stand for one pair.
    """
    n = len(square)
    cells = [[(i, row.index(value)) for i, row in enumerate(square)] for value in range(n)]
    values = list(combinations(range(n), 2))
    pairs = range(len(values) * n * n)
    chosen: list[tuple[Cell, Cell]] = []
    for number in rng.sample(pairs, rng.randint(1, min(len(pairs), 2 * n))):
        small, large = values[number // (n * n)]
        chosen.append((cells[small][number // n % n], cells[large][number % n]))
    return chosen


def shown(cell: Cell) -> str:
    return f"c[{cell[0]}][{cell[1]}]"
