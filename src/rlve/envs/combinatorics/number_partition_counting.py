from itertools import accumulate
from math import isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer


class NumberPartitionCounting(Environment[int]):
    """Count the partitions of a number into a given number of parts.

    Numbers with a single partition are drawn again: else the answer would mostly be 1 at d = 0.
    """

    MAX_N: int
    N: int
    K: int
    reference_answer: int

    template = """
        In how many ways can {N} be written as a sum of exactly {K} positive integers? The order of
        the integers does not matter, and the same integer can occur several times.

        Output format: one positive integer, the exact number of ways.
        """
    max_difficulty = 22  # counting takes seconds beyond

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        def draw() -> tuple[int, int]:
            N = rng.randint(1, MAX_N)
            return N, rng.randint(1, N)

        # With K = 1, K = N - 1 or K = N there is a single partition.
        N, K = prefer(draw, lambda drawn: 1 < drawn[1] < drawn[0] - 1)
        return cls(MAX_N=MAX_N, N=N, K=K, reference_answer=count_partitions(N - K, K))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def count_partitions(n: int, most: int) -> int:
    """The partitions of n into at most `most` parts, in O(n^1.5) additions.

    Those whose Durfee square, the largest k with k parts of at least k, has side k are counted by
    the series t(k) = x^(k*k) * (1 - x^(most - k + 1)) ... (1 - x^most) / ((1 - x) ... (1 - x^k))^2.
    The sum of the t(k) is taken by Horner's rule.
    """
    series: list[int] = []
    for k in range(min(most, isqrt(n)), 0, -1):
        # Now series[i - 1] is the coefficient of x^i in the sum of t(j) / t(k) over all j > k.
        series = [1, *series][: n - k * k + 1]
        series += [0] * (n - k * k + 1 - len(series))
        cut = most - k + 1
        series[cut:] = [a - b for a, b in zip(series[cut:], series, strict=False)]
        for start in range(k):
            series[start::k] = accumulate(accumulate(series[start::k]))
        series = [0] * (2 * k - 2) + series
    return [1, *series][n]
