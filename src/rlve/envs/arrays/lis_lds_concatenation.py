from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import Chains, heaviest_chains, is_increasing
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, spaced
from rlve.work import Work, extend_chains, find_best, state


class LIS_LDS_Concatenation(Environment[list[int]]):
    """Find the longest subsequence that first increases and then decreases."""

    N: int
    MAX: int
    array: list[int]
    gold_answer: int  # the greatest length

    max_difficulty = 25  # at 35, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars("array", answer="positions")

    template = """
        Here is an array A of {N} integers, numbered from 0 to {last}:

        {array}

        Choose indices i1 < i2 < ... < ik, not necessarily adjacent, such that the values A[i1],
        A[i2], ..., A[ik] first strictly increase and then strictly decrease. Either part can be
        missing: values that only increase or only decrease, or a single value, are fine too.
        Make k as large as possible. If several choices have the largest k, any of them is right.

        Output format: one line with i1 ... ik in increasing order, separated by spaces. For
        example, 1 3 chooses A[1] and A[3].
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, array=indexed("A", self.array))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d, by=1.2, plus=0), "MAX": 100_000}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX: int) -> Self:
        array = [rng.randint(0, MAX) for _ in range(N)]
        return cls(N=N, MAX=MAX, array=array, gold_answer=len(longest_hill(array)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not answer or answer[0] < 0 or answer[-1] >= self.N or not is_increasing(answer):
            return INVALID
        if not is_hill([self.array[i] for i in answer]):
            return INVALID
        return ratio(len(answer), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(longest_hill(self.array))

    def work(self) -> Work[str]:
        A, ones = self.array, [1] * self.N
        yield "From the left, find the most values that increase up to each index: it can follow"
        yield "one further left with a smaller value."
        up = yield from extend_chains(ones, lambda i, j: A[i] < A[j])
        yield "The same from the right: an index can follow one further right with a smaller value."
        back = A[::-1]
        numbers = list(range(self.N))[::-1]
        down = (yield from extend_chains(ones, lambda i, j: back[i] < back[j], numbers))[::-1]
        yield "Let each index be the highest; it is in both parts."
        totals = [rise + fall - 1 for (rise, _), (fall, _) in zip(up, down, strict=True)]
        top = yield from find_best(
            (f"{i}: {up[i][0]} + {down[i][0]} - 1 = {total}", total)
            for i, total in enumerate(totals)
        )
        chosen = [*up[top][1], *down[top][1][-2::-1]]
        yield state(f"From {top} through the best ones on both sides", chosen)
        return spaced(chosen)


def is_hill(values: list[int]) -> bool:
    """Whether no rise comes after a fall, and no neighbours are equal."""
    rises = [b > a for a, b in pairwise(values)]
    return all(a != b for a, b in pairwise(values)) and rises == sorted(rises, reverse=True)


def longest_hill(array: list[int]) -> list[int]:
    """The indices of a longest subsequence that first increases and then decreases."""
    last = len(array) - 1
    up, down = increasing(array), increasing(array[::-1])
    top = max(range(len(array)), key=lambda i: up.weights[i] + down.weights[last - i])
    return up.to(top) + [last - i for i in reversed(down.to(last - top)[:-1])]


def increasing(values: list[int]) -> Chains:
    return heaviest_chains([1] * len(values), lambda i, j: values[i] < values[j])
