from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Grid
from rlve.rewards import ratio
from rlve.sampling.rejection import prefer, redraw
from rlve.text import lines, spaced, weighted

DENSITIES = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0)
MAX_COEFFICIENT = 4
MAX_SLACK = MAX_COEFFICIENT // 2


class IntegerProgramming(Environment[list[int]]):
    """Find integers that satisfy linear inequalities.

    Every solution is right. Systems solved by zeros are redrawn. The unknowns are unbounded, as
    published, so large integers often help.
    """

    N: int
    M: int
    x: list[int]  # a solution
    reference_answer: str
    inequations: list[list[int]]  # coefficients of the left-hand sides
    results: list[int]  # right-hand sides

    max_difficulty = 35  # at 45, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid("inequations", right="results", blank="0")

    template = """
        Find integers x[0] to x[{last}] that satisfy all of these inequalities:

        {inequalities}

        The integers can be negative, zero or positive. There is a solution; if there are several,
        any of them is right.

        Output format: one line with x[0] to x[{last}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        bounds = zip(self.inequations, self.results, strict=True)
        return self.fill(
            last=self.N - 1, inequalities=lines(f"{written(c)} >= {r}" for c, r in bounds)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = d + 3
        return [{"N": N, "M": int(c * N)} for c in DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        def coefficient() -> int:
            if rng.random() < 0.5:
                return 0
            return rng.choice((-1, 1)) * rng.randint(1, MAX_COEFFICIENT)

        def draw() -> Self:
            x = [rng.randint(-N, N) for _ in range(N)]
            rows = [redraw(lambda: [coefficient() for _ in range(N)], until=any) for _ in range(M)]
            return cls(
                N=N,
                M=M,
                x=x,
                reference_answer=spaced(x),
                inequations=rows,
                results=[value(row, x) - rng.randint(0, MAX_SLACK) for row in rows],
            )

        return prefer(draw, until=lambda problem: max(problem.results) > 0)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        bounds = zip(self.inequations, self.results, strict=True)
        satisfied = sum(value(row, answer) >= r for row, r in bounds)
        return ratio(satisfied, self.M) ** 5


def value(coefficients: list[int], x: list[int]) -> int:
    return sum(c * xi for c, xi in zip(coefficients, x, strict=True))


def written(coefficients: list[int]) -> str:
    return weighted((c, f"x[{i}]") for i, c in enumerate(coefficients))
