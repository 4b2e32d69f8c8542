from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.graphs import random_arcs
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, say, state

DENSITIES = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0)
MAX_SLACK = 5


class DifferenceConstraintSystem(Environment[list[int]]):
    """Find integers whose differences respect given bounds.

    Every solution is right. Systems that equal integers would solve are redrawn.
    """

    N: int
    M: int  # how many constraints were asked for
    x: list[int]  # a solution
    reference_answer: str
    inequations: list[tuple[int, int]]  # (i, j): x[i] - x[j] is at most
    results: list[int]  # this

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph("inequations", directed=True, answer="values")

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
            last=self.N - 1,
            inequalities=lines(f"x[{i}] - x[{j}] <= {c}" for (i, j), c in bounds),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "M": int(m * N)} for m in DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        def draw() -> Self:
            x = [rng.randint(-N, N) for _ in range(N)]
            pairs = random_arcs(rng, N, min(M, N * (N - 1)))
            results = [x[i] - x[j] + rng.randint(0, MAX_SLACK) for i, j in pairs]
            return cls(
                N=N,
                M=M,
                x=x,
                reference_answer=spaced(x),
                inequations=pairs,
                results=results,
            )

        return prefer(draw, until=lambda problem: min(problem.results) < 0)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        bounds = zip(self.inequations, self.results, strict=True)
        kept = sum(answer[i] - answer[j] <= c for (i, j), c in bounds)
        return ratio(kept, len(self.results)) ** 5

    def work(self) -> Work[str]:
        yield "Begin with zeros, and go through the inequalities in rounds, until all hold. Where"
        yield "x[i] - x[j] <= c fails, lower x[i] to x[j] + c. Only the last round lists all."
        x = [0] * self.N
        pairs = [(i, j, c) for (i, j), c in zip(self.inequations, self.results, strict=True)]
        turn = 1
        while any(x[i] - x[j] > c for i, j, c in pairs):
            yield state(f"Round {turn}, x", x)
            for i, j, c in pairs:
                if x[i] - x[j] > c:
                    gap = yield from say("-", x[i], x[j])
                    lower = yield from say("+", x[j], c)
                    yield f"x[{i}] - x[{j}]: {gap} > {c}, lower x[{i}] to {lower}"
                    x[i] = x[j] + c
            turn += 1
        yield state(f"Round {turn}, x", x)
        for i, j, c in pairs:
            yield f"x[{i}] - x[{j}]: {yield from say('-', x[i], x[j])} <= {c}"
        yield state("So all hold, and x is", x)
        return spaced(x)
