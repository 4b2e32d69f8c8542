from itertools import accumulate, combinations, pairwise
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import cheapest_blocks, is_increasing
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, redraw, spread
from rlve.text import indexed, spaced

SHORT = 4


class QuadraticFunctionSegmentation(Environment[list[int]]):
    """Cut a sequence into batches, each worth a quadratic function of its sum.

    Cutting into one batch, two batches or single elements is never best. That leaves three ways for
    four elements, so sequences with a single best way are preferred, and the best ways of several
    sequences are made equally likely.
    """

    N: int
    xs: list[int]
    A_coef: int
    B_coef: int
    C_coef: int
    gold_answer: int  # the greatest total worth

    max_difficulty = 30  # at 36, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars("xs", first=1, answer="positions")

    template = """
        A sequence x has {N} integers, numbered from 1 to {N}:

        {xs}

        Cut it into consecutive non-empty batches, as many as you like. They are given by the
        positions of their last elements, end[1] < end[2] < ... < end[k] = {N}: the first batch is
        x[1] to x[end[1]], the second one x[end[1] + 1] to x[end[2]], and so on.

        A batch whose elements have the sum X is worth A * X^2 + B * X + C, where A = {A_coef},
        B = {B_coef} and C = {C_coef}. Make the total worth of the batches as large as possible.
        If several ways to cut have the largest worth, any of them is right.

        Output format: one line with end[1] ... end[k], separated by spaces. The last one is {N}.
        """

    def prompt(self) -> str:
        return self.fill(xs=indexed("x", self.xs, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def product(factors: int) -> int:
            return prod(rng.randint(1, N) for _ in range(factors))

        def draw() -> Self:
            xs = [rng.randint(1, N) for _ in range(N)]
            A, B = -rng.randint(1, N), rng.randint(1, product(3))
            C = rng.randint(-product(5), product(5))
            gold = worth(xs, best_ends(xs, A, B, C), A, B, C)
            return cls(N=N, xs=xs, A_coef=A, B_coef=B, C_coef=C, gold_answer=gold)

        def draw_demanding() -> Self:
            return redraw(draw, until=cls.is_demanding, tries=5000)  # one in 50 at N = 4

        if N > SHORT:
            return draw_demanding()
        return spread(
            rng,
            lambda: prefer(draw_demanding, until=lambda problem: len(problem.optima()) == 1),
            by=cls.optima,
            draws=6,
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if answer[0] < 1 or answer[-1] != self.N or not is_increasing(answer):
            return INVALID
        return ratio(max(self.worth(answer), 0), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_ends(self.xs, self.A_coef, self.B_coef, self.C_coef))

    def worth(self, ends: list[int]) -> int:
        return worth(self.xs, ends, self.A_coef, self.B_coef, self.C_coef)

    def is_demanding(self) -> bool:
        """Whether the best worth is positive, and no simple way to cut reaches it."""
        N = self.N
        simple = [[N], [*range(1, N + 1)], *([end, N] for end in range(1, N))]
        return self.gold_answer > max(0, *map(self.worth, simple))

    def optima(self) -> tuple[tuple[int, ...], ...]:
        """All best ways to cut a short sequence."""
        ways = (
            [*cuts, self.N] for k in range(self.N) for cuts in combinations(range(1, self.N), k)
        )
        return tuple(tuple(ends) for ends in ways if self.worth(ends) == self.gold_answer)


def worth(xs: list[int], ends: list[int], A: int, B: int, C: int) -> int:
    sums = [sum(xs[start:end]) for start, end in pairwise([0, *ends])]
    return sum(A * X * X + B * X + C for X in sums)


def best_ends(xs: list[int], A: int, B: int, C: int) -> list[int]:
    """The ends of the batches; the linear terms have the same total however the sequence is cut."""
    sums = [0, *accumulate(xs)]
    return cheapest_blocks(len(xs), lambda start, end: -A * (sums[end] - sums[start]) ** 2 - C)
