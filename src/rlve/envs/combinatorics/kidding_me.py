from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.work import Work, add_all, add_row, modulo, state

MODULI = (1000000007, 998244353)


class KiddingMe(Environment[int]):
    """Count the matrices that increase to the right and to the upper right, modulo a prime."""

    MAX_N_M: int
    N: int
    M: int
    MOD: int
    reference_answer: int

    max_difficulty = 50  # at 62, generating a problem takes too long

    template = """
        Count the matrices X with {N} rows and {M} columns of integers for which all of the
        following holds. Rows and columns are numbered from 1.
        - 0 <= X[i][j] <= {M} for every entry;
        - X[i][j] < X[i][j+1] wherever both entries exist;
        - X[i][j] < X[i-1][j+1] wherever both entries exist.

        Give the number of matrices modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M, MOD = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M), rng.choice(MODULI)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, MOD=MOD, reference_answer=matrices(N, M, MOD))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        M = self.M
        yield f"A row has {M} of the integers from 0 to {M} in ascending order. So it lacks just"
        yield "one, t, and entry j is j if j > t, otherwise j - 1. If the row above lacks u, the"
        yield "last condition fails where t < j < u. So it says that u <= t + 1."
        yield f"Row i: the ways for i rows whose last one lacks t = 0 to {M}, each the sum of the"
        yield f"entries above with u = 0 to t + 1: one more than for t - 1, none more for t = {M}."
        ways = [1] * (M + 1)
        yield state("Row 1", ways)
        for i in range(2, self.N + 1):
            so_far = accumulate(ways)
            ways = yield from add_row(f"Row {i}", zip(so_far, [*ways[1:], 0], strict=True))
        total = yield from add_all(ways)
        answer = yield from modulo(total, self.MOD)
        yield f"So the number is {answer}"
        return str(answer)


def matrices(N: int, M: int, MOD: int) -> int:
    """The number of matrices modulo MOD.

    A row holds all of 0, ..., M but one. The number a row lacks is at least that of the row above
    minus 1.
    """
    ways = [1] * (M + 1)  # by what the last row lacks
    for _ in range(N - 1):
        up_to = [total % MOD for total in accumulate(ways)]
        ways = [*up_to[1:], up_to[-1]]
    return sum(ways) % MOD
