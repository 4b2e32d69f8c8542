from itertools import accumulate
from operator import itemgetter, mul
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer
from rlve.text import spaced
from rlve.work import Work, add_row


class NumberPartitionCounting(Environment[int]):
    """Count the partitions of a number into a given number of parts.

    Numbers with a single partition are redrawn; otherwise the answer at d = 0 would usually be 1.
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
    max_difficulty = 22  # beyond it, counting takes seconds

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

    def work(self) -> Work[str]:
        N, K = self.N, self.K
        n = N - K
        yield (
            f"Take 1 from each integer: {N} - {K} = {n} is the sum "
            f"of at most {K} positive integers."
        )
        yield f"Draw these as rows of dots. The columns add up to {n} as well, with at most {K}"
        none = f", of which none is above {n}" if n < K else ""
        yield f"dots each. So count the sums of integers up to {K}{none}."
        yield f"Row j: the ways to write 0 to {n} with integers up to j, as the entry above"
        yield "plus the entry of the same row that is j places further left."
        row = [1] * (n + 1)
        yield f"Row 1: {spaced(row)}"
        for j in range(2, min(K, n) + 1):
            left = [0] * (n + 1)
            for i in range(j, n + 1):
                left[i] = row[i - j] + left[i - j]
            row = yield from add_row(f"Row {j}", zip(row, left, strict=True))
        yield f"The last entry is {row[n]}, so the number of ways is {row[n]}"
        return str(row[n])


def count_partitions(n: int, most: int) -> int:
    """The partitions of n into at most `most` parts: as many as into parts of at most `most`.

    Their series is that of all partitions times (1 - x^i) for each part i above `most`. That
    product is the sum of (-1)^j x^(j * most + j (j + 1) / 2) / ((1 - x) ... (1 - x^j)) over all j,
    computed by Horner's rule.
    """
    terms = 0
    while (terms + 1) * most + (terms + 1) * (terms + 2) // 2 <= n:
        terms += 1
    series = [0] * (n + 1 - terms * most - terms * (terms + 1) // 2)
    series[0] = (-1) ** terms
    for j in range(terms, 0, -1):
        for start in range(j):
            series[start::j] = accumulate(series[start::j])
        series = [(-1) ** (j - 1), *[0] * (most + j - 1), *series]
    return sum(map(mul, series, partition_numbers(n + 1)[n::-1]))


_known = [1, 1, 2, 3, 5, 7, 11]


def partition_numbers(count: int) -> list[int]:
    """At least this many partition numbers, of 0, 1, 2, ..., by Euler's recurrence.

    p(n) = p(n - 1) + p(n - 2) - p(n - 5) - p(n - 7) + ..., with the pentagonal numbers. They are
    kept, as every problem of a level needs them.
    """
    numbers = _known.copy()  # other threads may be extending it
    added: list[int] = []  # their positions, from the end of the list
    taken: list[int] = []
    k = 1
    while len(numbers) < count:
        for pentagonal in (k * (3 * k - 1) // 2, k * (3 * k + 1) // 2):
            if len(numbers) < pentagonal:
                plus, minus = itemgetter(*added), itemgetter(*taken)
                while len(numbers) < min(pentagonal, count):
                    numbers.append(sum(plus(numbers)) - sum(minus(numbers)))
            (added if k % 2 else taken).append(-pentagonal)
        k += 1
    if len(numbers) > len(_known):
        _known[:] = numbers
    return numbers
