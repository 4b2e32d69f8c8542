from itertools import product
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import equal_cells, neighbours
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import ratio
from rlve.sampling.rejection import prefer
from rlve.text import joined, lines, spaced
from rlve.work import Work, state


class GridParityConstruction(Environment[list[str]]):
    """Construct a 0/1 matrix from the parity of the ones in and around every cell.

    Any matrix with these parities is right; there can be several. Planted matrices whose entries
    are all equal are redrawn.
    """

    MAX_N_M: int
    N: int
    M: int
    parity: list[list[int]]
    reference_answer: str

    max_difficulty = 250  # at 310, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid("parity", answer="beside")

    template = """
        The parity of a cell in a matrix of zeros and ones is the sum modulo 2 of its own entry and
        of the entries above, below, left and right of it, as far as they are inside the matrix.

        Construct a matrix of zeros and ones with {N} rows and {M} columns whose cells have these
        parities:

        {parity}

        There is at least one such matrix; any of them is accepted.

        Output format: {N} lines of {M} characters, each 0 or 1, without separators: the matrix.
        """

    def prompt(self) -> str:
        return self.fill(parity=lines(map(joined, self.parity)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def planted() -> list[list[int]]:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            p = rng.random()  # the probability of a one
            return [[int(rng.random() < p) for _ in range(M)] for _ in range(N)]

        matrix = prefer(planted, until=lambda rows: len({x for row in rows for x in row}) == 2)
        return cls(
            MAX_N_M=MAX_N_M,
            N=len(matrix),
            M=len(matrix[0]),
            parity=parities(matrix),
            reference_answer=lines(map(joined, matrix)),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M, characters="01")

    def score(self, answer: list[str]) -> float:
        actual = parities([[int(x) for x in row] for row in answer])
        return ratio(equal_cells(actual, self.parity), self.N * self.M) ** 5

    def work(self) -> Work[str | None]:
        yield "The first row fixes all: the entry below a cell is its parity plus its own entry and"
        yield "those to its left, to its right and above it, mod 2. Try first rows in turn; what"
        yield "comes below the last row must be all 0."
        for first in product((0, 1), repeat=self.M):
            rows: list[list[int]] = [list(first)]
            while len(rows) <= self.N:
                rows.append(next_row(rows, self.parity[len(rows) - 1]))
            *rows, after = rows
            written = f"{' / '.join(map(spaced, rows))}, then {spaced(after)}"
            if not any(after):
                yield f"Rows {written}: fits"
                yield state("So the rows are", map(joined, rows))
                return lines(map(joined, rows))
            yield f"Rows {written}: no"
        return None


def next_row(rows: list[list[int]], parity: list[int]) -> list[int]:
    """The row that gives the cells of the last row these parities."""
    above = rows[-2] if len(rows) > 1 else [0] * len(parity)
    padded = [0, *rows[-1], 0]
    return [(parity[j] + sum(padded[j : j + 3]) + above[j]) % 2 for j in range(len(parity))]


def parities(matrix: list[list[int]]) -> list[list[int]]:
    N, M = len(matrix), len(matrix[0])
    return [
        [
            (matrix[i][j] + sum(matrix[x][y] for x, y in neighbours(N, M, (i, j)))) % 2
            for j in range(M)
        ]
        for i in range(N)
    ]
