from functools import cache
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact


class RecursiveFunction(Environment[int]):
    """Evaluate a function that calls itself four times."""

    MAX_M_N: int
    M: int
    N: int
    reference_answer: int

    max_difficulty = 45  # at 52, generating a problem takes too long

    template = """
        The function f(m, n) is defined for integers m, n >= 0:
        - f(0, n) = n + 1.
        - If m > 0, then f(m, 0) = f(m - 1, 1).
        - If m > 0 and n > 0, then, with h = floor(m / 2),
          f(m, n) = f(h, f(h, floor(n / 2))) + f(h, f(h, n - 1)).

        Here floor(x) is x rounded down to an integer.

        What is f({M}, {N})?

        Output format: one integer, the value of f({M}, {N}).
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_M_N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_M_N: int) -> Self:
        M, N = rng.randint(1, MAX_M_N), rng.randint(1, MAX_M_N)
        return cls(MAX_M_N=MAX_M_N, M=M, N=N, reference_answer=recursive_value(M, N))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def recursive_value(M: int, N: int) -> int:
    @cache  # local, so that the cache is dropped with the problem
    def f(m: int, n: int) -> int:
        if m == 0:
            return n + 1
        if n == 0:
            return f(m - 1, 1)
        h = m // 2
        return f(h, f(h, n // 2)) + f(h, f(h, n - 1))

    return f(M, N)
