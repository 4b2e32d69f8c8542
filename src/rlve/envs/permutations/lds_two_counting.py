from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness


class LDSTwo_Counting(Environment[int]):
    """Count the permutations with one element fixed and no decreasing subsequence of length 3."""

    N: int
    X: int
    Y: int
    reference_answer: int

    max_difficulty = 45  # at 55, answers are too long to parse

    template = """
        Count the permutations A[1], A[2], ..., A[{N}] of the integers 1 to {N} for which

        - A[{X}] = {Y}, and
        - there are no positions a < b < c with A[a] > A[b] > A[c].

        Output format: one integer, the exact count.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        X, Y = rng.randint(1, N), rng.randint(1, N)
        return cls(N=N, X=X, Y=Y, reference_answer=permutations_without_descents(N, X, Y))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def permutations_without_descents(n: int, x: int, y: int) -> int:
    """The permutations of 1 .. n that map x to y and have no decreasing subsequence of length 3.

    The steps of the prefix maxima are a lattice path from (0, 0) to (n, n) that does not cross the
    diagonal, and they determine the permutation. If x <= y, the path passes from (x - 1, y - 1) to
    (x, y); otherwise that of the inverse permutation does, from (y - 1, x - 1) to (y, x).
    """
    return lattice_paths(x - 1, y - 1) * lattice_paths(n - x, n - y)


def lattice_paths(a: int, b: int) -> int:
    """The lattice paths from (0, 0) to (a, b) that do not cross the diagonal (ballot numbers)."""
    low = min(a, b)
    return comb(a + b, low) - (comb(a + b, low - 1) if low else 0)
