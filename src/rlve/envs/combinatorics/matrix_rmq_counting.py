from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.combinatorics import fillings_with_maxima
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.text import counted, lines


class MatrixRMQCounting(Environment[int]):
    """Count the matrices in which given rectangles have given maxima."""

    N: int
    H: int
    W: int
    M: int  # the largest entry allowed
    constraints: list[tuple[int, int, int, int, int]]  # (x1, y1, x2, y2, v), 1-based, inclusive
    MOD: int
    reference_answer: int

    max_difficulty = 200  # at 250, generating a problem takes too long

    template = """
        Consider the matrices with {rows} and {columns} whose entries are integers from 1 to
        {M}. Rows and columns are numbered from 1, and all ranges include both ends.

        Count the matrices that satisfy all of these conditions on the largest entry of a
        rectangle:

        {conditions}

        Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        conditions = lines(
            f"rows {x1} to {x2}, columns {y1} to {y2}: the largest entry is exactly {v}"
            for x1, y1, x2, y2, v in self.constraints
        )
        return self.fill(
            rows=counted(self.H, "row"),
            columns=counted(self.W, "column"),
            conditions=conditions,
            largest=self.MOD - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        H, W = rng.randint(1, 2 * N), rng.randint(1, 2 * N)
        M = rng.randint(1, (2 * N) ** 2)
        hidden = [[rng.randint(1, M) for _ in range(W)] for _ in range(H)]
        constraints: list[tuple[int, int, int, int, int]] = []
        for _ in range(N):
            height, width = rng.randint(1, H), rng.randint(1, W)
            x, y = rng.randint(1, H - height + 1), rng.randint(1, W - width + 1)
            rows = hidden[x - 1 : x - 1 + height]
            v = max(max(row[y - 1 : y - 1 + width]) for row in rows)
            constraints.append((x, y, x + height - 1, y + width - 1, v))
        MOD = rng.randint(2, 10**6)
        maxima = [(rectangle(W, x1, y1, x2, y2), v) for x1, y1, x2, y2, v in constraints]
        return cls(
            N=N,
            H=H,
            W=W,
            M=M,
            constraints=constraints,
            MOD=MOD,
            reference_answer=fillings_with_maxima(H * W, M, maxima, MOD),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def rectangle(W: int, x1: int, y1: int, x2: int, y2: int) -> int:
    """The cells of a rectangle as a bit mask; rows have W cells, numbered row by row."""
    row = (1 << y2) - (1 << (y1 - 1))
    return sum(row << W * x for x in range(x1 - 1, x2))
