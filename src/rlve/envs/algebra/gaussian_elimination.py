from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.rejection import redraw
from rlve.text import lines, spaced

RATIOS = (2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3.0)


class GaussianElimination(Environment[list[int]]):
    """Solve a system of linear equations in integers.

    The system is built from a planted solution. If it has others, they are also right.
    """

    N: int
    M: int
    x: list[int]  # a solution
    reference_answer: str
    equations: list[list[int]]  # the coefficients
    results: list[int]

    max_difficulty = 21  # the next level, 186 equations in 62 unknowns, is too long for a prompt
    unique_up_to = None  # several answers can be right

    template = """
        Find integers x0 to x{last} that satisfy all of these equations:

        {equations}

        The integers can be negative, zero or positive. There is a solution; if there are several,
        any of them is right.

        Output format: one line with x0 to x{last} in this order, separated by spaces.
        """

    def prompt(self) -> str:
        equations = zip(self.equations, self.results, strict=True)
        return self.fill(
            last=self.N - 1, equations=lines(f"{linear(row)} = {c}" for row, c in equations)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "M": int(c * N)} for c in RATIOS]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        def coefficient() -> int:
            return rng.randint(1, max(1, N // 5)) if rng.random() < 0.5 else 0

        x = [rng.randint(1, N) for _ in range(N)]
        equations = [redraw(lambda: [coefficient() for _ in range(N)], until=any) for _ in range(M)]
        results = [value(row, x) for row in equations]
        return cls(N=N, M=M, x=x, reference_answer=spaced(x), equations=equations, results=results)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        equations = zip(self.equations, self.results, strict=True)
        return ratio(sum(value(row, answer) == c for row, c in equations), self.M) ** 10


def value(coefficients: list[int], x: list[int]) -> int:
    return sum(a * b for a, b in zip(coefficients, x, strict=True))


def linear(coefficients: list[int]) -> str:
    """Write no zero terms and no spaces: prompts are long enough as it is."""
    return "+".join(f"{c}*x{i}" if c > 1 else f"x{i}" for i, c in enumerate(coefficients) if c)
