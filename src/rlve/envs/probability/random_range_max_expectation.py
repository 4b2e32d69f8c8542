from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced

MOD = 10_000


class RandomRangeMaxExpectation(Environment[list[int]]):
    """Find the expected values of an array whose random segments are raised to their maximum."""

    N: int
    Q: int
    array: list[int]
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 20  # at 28, generating a problem takes too long

    template = """
        Here is an array of {N} integers:

        {array}

        {times}, one of its {segments} segments of consecutive positions (each of length
        1 to {N}) is chosen uniformly at random, independently of the earlier choices, and every
        element of the segment is replaced by the current maximum of the segment.

        For each position i let E[i] be the expected value of the element at position i at the end.
        E[i] * {segments}^{Q} is an integer. Give the remainder of this integer when it is divided
        by {mod}. (Do not reduce the fraction E[i] to lowest terms: the factor is {segments}^{Q}
        for all positions.)

        Output format: one line with {N} integers from 0 to {largest}, in the order of the
        positions, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            array=spaced(self.array),
            times="Once" if self.Q == 1 else f"{self.Q} times in a row",
            segments=segments(self.N),
            mod=MOD,
            largest=MOD - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        Q = rng.randint(1, N)
        array = [rng.randint(0, N) for _ in range(N)]
        gold = scaled_expectations(array, Q)
        return cls(N=N, Q=Q, array=array, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N) ** 3


def segments(n: int) -> int:
    return n * (n + 1) // 2


def scaled_expectations(array: list[int], Q: int) -> list[int]:
    """The largest value minus the number of thresholds below it that an element stays at or under.

    low[l][r] counts, over all choices so far and all thresholds, how often the elements l .. r are
    a maximal block of elements at or under the threshold. An operation cuts off the start or the
    end of the block, leaves it alone, or wipes it out.
    """
    N, top = len(array), max(array)
    padded = [*array, top]  # before the first (index -1) and after the last element
    low = [[0] * N for _ in range(N)]
    for left in range(N):
        highest = 0
        for right in range(left, N):
            highest = max(highest, array[right])
            low[left][right] = max(0, min(padded[left - 1], padded[right + 1]) - highest)
    for _ in range(Q):
        low = after_operation(low)
    total = top * segments(N) ** Q
    blocks = [
        sum(low[left][right] for left in range(i + 1) for right in range(i, N)) for i in range(N)
    ]
    return [(total - count) % MOD for count in blocks]


def after_operation(low: list[list[int]]) -> list[list[int]]:
    N = len(low)
    after = [[0] * N for _ in range(N)]
    shrunk_from_left = [0] * N  # [right]: blocks that began further left, times the operations
    for left in range(N):
        shrunk_from_right = 0
        for right in range(N - 1, left - 1, -1):
            count = low[left][right]
            unchanged = segments(left) + segments(right - left + 1) + segments(N - 1 - right)
            after[left][right] = (
                count * unchanged + shrunk_from_left[right] + shrunk_from_right
            ) % MOD
            shrunk_from_left[right] += count * left
            shrunk_from_right += count * (N - 1 - right)
    return after
