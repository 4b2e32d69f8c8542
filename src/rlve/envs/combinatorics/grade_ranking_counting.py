from math import comb, prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.text import counted, indexed

MODULI = (1000000007, 998244353)


class GradeRankingCounting(Environment[int]):
    """Count the matrices in which row 0 has given ranks and dominates a given number of rows.

    The numbers are read off a random matrix, so the count before the modulus is positive. At d = 0
    most answers would be 3, so several are drawn, and each of their answers is equally likely.
    """

    MAX_N_M: int
    N: int
    M: int
    MOD: int
    U: list[int]  # the largest value of each column
    R: list[int]  # how many rows are above row 0 in each column
    K: int
    reference_answer: int

    max_difficulty = 30  # at 38, generating a problem takes too long

    template = """
        Count the matrices A with {N} rows and {M} columns of integers for which all of the
        following hold. Rows and columns are numbered from 0.
        1. For every row i and column j, 1 <= A[i][j] <= U[j].
        2. In every column j, exactly R[j] of the rows below row 0 have A[i][j] > A[0][j].
        3. Row 0 dominates exactly {rows} below it. It dominates row i if A[i][j] <= A[0][j] for
           every column j.

        U: {U}
        R: {R}

        Give the number of matrices modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(
            rows=counted(self.K, "row"),
            U=indexed("U", self.U),
            R=indexed("R", self.R),
            last=self.MOD - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        return spread(
            rng, lambda: cls.draw(rng, MAX_N_M), by=lambda problem: problem.reference_answer
        )

    @classmethod
    def draw(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        losers = set(rng.sample(range(1, N), rng.randint(0, N - 1)))
        U = [rng.randint(1, N) for _ in range(M)]
        first = [rng.randint(1, high) for high in U]
        others = [
            [rng.randint(1, f if i in losers else u) for f, u in zip(first, U, strict=True)]
            for i in range(1, N)
        ]
        above = [[x > f for x, f in zip(row, first, strict=True)] for row in others]
        R = [sum(column) for column in zip(*above, strict=True)]
        K = sum(not any(row) for row in above)
        MOD = rng.choice(MODULI)
        gold = matrices(N, U, R, K) % MOD
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, MOD=MOD, U=U, R=R, K=K, reference_answer=gold)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def matrices(N: int, U: list[int], R: list[int], K: int) -> int:
    """The number of matrices: which rows are above row 0 in each column, times their values.

    Each row that is not dominated is above row 0 in some column: inclusion and exclusion over the
    rows that are above it in none.
    """
    free = N - 1 - K
    patterns = comb(N - 1, K) * sum(
        (-1) ** missed * comb(free, missed) * prod(comb(free - missed, r) for r in R)
        for missed in range(free + 1)
    )
    values = prod(
        sum(v ** (N - 1 - r) * (high - v) ** r for v in range(1, high + 1))
        for high, r in zip(U, R, strict=True)
    )
    return patterns * values
