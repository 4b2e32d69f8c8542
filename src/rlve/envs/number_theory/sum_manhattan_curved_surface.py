from math import isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import quotient_blocks, squares_to, sum_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to, multiply, say


class SumManhattan_CurvedSurface(Environment[int]):
    """Sum the squared Manhattan norms of the integer points on the surfaces xyz = k."""

    MAX_A_B: int
    A: int
    B: int
    reference_answer: int

    max_difficulty = 25  # at 31, generating a problem takes too long

    template = """
        For a positive integer k, let P(k) be the sum of (|x| + |y| + |z|)^2 over all ordered
        triples of integers (x, y, z) with x * y * z = k. The integers may be negative, and triples
        that differ only in the order of their entries are different.

        Compute {wanted}.

        Output format: one integer, the exact value.
        """

    def prompt(self) -> str:
        several = f"the sum of P(k) over all integers k with {self.A} <= k <= {self.B}"
        return self.fill(wanted=f"P({self.A})" if self.A == self.B else several)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B: int) -> Self:
        A = rng.randint(1, MAX_A_B)
        B = rng.randint(A, MAX_A_B)
        # None or two of x, y and z are negative, so each positive triple counts four times.
        total = 4 * (positive_sum(B) - positive_sum(A - 1))
        return cls(MAX_A_B=MAX_A_B, A=A, B=B, reference_answer=total)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "List the positive x <= y <= z with x * y * z = k: try all x with x * x * x <= k, and"
        yield "all y >= x with x * y * y <= k; keep those with an integer z."
        yield "Different orders count, and so do 4 choices of signs: none or two of them negative."
        total = 0
        for k in range(self.A, self.B + 1):
            for x, y, z in triples(k):
                orders = {1: 1, 2: 3, 3: 6}[len({x, y, z})]
                size = x + y + z
                yield f"k = {k}: {x}, {y} and {k} / ({x} * {y}) = {z}, orders: {orders}"
                yield f"{x} + {y} + {z} = {size}"
                value = yield from multiply(size, size)
                total = yield from add_to(
                    total, orders * value, (yield from say("*", orders, value))
                )
        yield f"Four times: {yield from say('*', 4, total)}"
        return str(4 * total)


def triples(k: int) -> list[tuple[int, int, int]]:
    """The positive integers x <= y <= z with product k."""
    return [
        (x, y, k // x // y)
        for x in range(1, isqrt(k) + 1)
        if k % x == 0
        for y in range(x, isqrt(k // x) + 1)
        if k // x % y == 0
    ]


def positive_sum(n: int) -> int:
    """The sum of (x + y + z)^2 over positive triples with x * y * z <= n, in about n^(3/4) steps.

    By symmetry that is the sum of 3 * x^2 + 6 * x * y.
    """
    return sum((last - first + 1) * pair_sum(n // first) for first, last in quotient_blocks(n, n))


def pair_sum(m: int) -> int:
    """The sum of 3 * x^2 + 6 * x * y over positive pairs with x * y <= m."""
    total = 0
    for first, last in quotient_blocks(m, m):
        most = m // first
        total += 3 * (squares_to(last) - squares_to(first - 1)) * most
        total += 6 * (sum_to(last) - sum_to(first - 1)) * sum_to(most)
    return total
