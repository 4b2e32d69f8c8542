from functools import cache
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.work import Work, add


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

    def work(self) -> Work[str]:
        values: dict[tuple[int, int], int] = {}

        def f(m: int, n: int) -> Work[int]:
            """The value of f(m, n), which is written down the first time it is needed."""
            if (m, n) in values:
                return values[m, n]
            if m == 0:
                value = n + 1
                yield f"f(0, {n}) = {n} + 1 = {value}"
            elif n == 0:
                yield f"f({m}, 0) = f({m} - 1, 1), {m} - 1 = {m - 1}"
                value = yield from f(m - 1, 1)
                yield f"So f({m}, 0) = {value}"
            else:
                h, half = m // 2, n // 2
                yield f"f({m}, {n}): h = {m} // 2 = {h}, {n} // 2 = {half}, {n} - 1 = {n - 1}"
                yield f"f({m}, {n}) = f({h}, f({h}, {half})) + f({h}, f({h}, {n - 1}))"
                p = yield from f(h, half)
                first = yield from f(h, p)
                q = yield from f(h, n - 1)
                second = yield from f(h, q)
                yield f"First part: f({h}, {half}) = {p}, f({h}, {p}) = {first}"
                yield f"Second part: f({h}, {n - 1}) = {q}, f({h}, {q}) = {second}"
                value = yield from add(first, second)
                yield f"So f({m}, {n}) = {value}"
            values[m, n] = value
            return value

        return str((yield from f(self.M, self.N)))


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
