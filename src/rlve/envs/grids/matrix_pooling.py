from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import equal_cells
from rlve.answers import integer_rows
from rlve.errors import Unparseable
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.text import grid, spaced
from rlve.work import Work


class MatrixPooling(Environment[list[list[int]]]):
    """Find the maximum of every square block of a matrix: max pooling with stride 1."""

    MAX_N_M: int
    N: int
    M: int
    K: int  # side of the blocks
    matrix: list[list[int]]
    gold_answer: list[list[int]]
    reference_answer: str

    max_difficulty = 25  # at 32, a prompt exceeds 32,000 characters
    picture = Grid("matrix", answer="beside")

    template = """
        A matrix X has {N} rows, numbered from 0 to {last_row}, and {M} columns, numbered from 0 to
        {last_column}:

        {matrix}

        Apply max pooling with a kernel of {K} rows and {K} columns, stride 1 and no padding. The
        result is the matrix Y with {rows} rows and {columns} columns in which Y[i][j] is the
        largest of the entries X[i + a][j + b] with 0 <= a < {K} and 0 <= b < {K}.

        Output format: {rows} lines of {columns} integers, separated by spaces: the matrix Y.
        """

    def prompt(self) -> str:
        return self.fill(
            last_row=self.N - 1,
            last_column=self.M - 1,
            rows=self.N - self.K + 1,
            columns=self.M - self.K + 1,
            matrix=grid(self.matrix),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(3, MAX_N_M), rng.randint(3, MAX_N_M)
        K = rng.randint(2, min(N, M) - 1)
        matrix = [[rng.randint(0, N * M) for _ in range(M)] for _ in range(N)]
        gold = block_maxima(matrix, K)
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            K=K,
            matrix=matrix,
            gold_answer=gold,
            reference_answer=grid(gold),
        )

    def parse(self, text: str) -> list[list[int]]:
        rows = integer_rows(text)
        height, width = self.N - self.K + 1, self.M - self.K + 1
        if len(rows) != height or any(len(row) != width for row in rows):
            raise Unparseable(f"not {height} lines of {width} integers")
        return rows

    def score(self, answer: list[list[int]]) -> float:
        cells = (self.N - self.K + 1) * (self.M - self.K + 1)
        return ratio(equal_cells(answer, self.gold_answer), cells) ** 5

    def work(self) -> Work[str]:
        yield f"First the largest of {self.K} entries side by side, at each position of each row:"
        across = [window_maxima(row, self.K) for row in self.matrix]
        for i, (row, largest) in enumerate(zip(self.matrix, across, strict=True)):
            yield f"Row {i}, {spaced(row)}: {spaced(largest)}"
        yield f"Then the largest of {self.K} of these one below another:"
        Y: list[list[int]] = []
        for i in range(self.N - self.K + 1):
            columns = list(zip(*across[i : i + self.K], strict=True))
            Y.append([max(column) for column in columns])
            yield f"Y row {i}: " + ", ".join(
                f"max({', '.join(map(str, column))}) = {max(column)}" for column in columns
            )
        return grid(Y)


def block_maxima(matrix: list[list[int]], K: int) -> list[list[int]]:
    """First take the maxima of K entries side by side, then of K such maxima below each other."""
    across = [window_maxima(row, K) for row in matrix]
    down = [window_maxima(column, K) for column in zip(*across, strict=True)]
    return [list(row) for row in zip(*down, strict=True)]


def window_maxima(values: list[int] | tuple[int, ...], K: int) -> list[int]:
    return [max(values[i : i + K]) for i in range(len(values) - K + 1)]
