from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows, pairs
from rlve.rewards import INVALID, ratio
from rlve.text import grid, indexed
from rlve.work import Work, show_sum

NONE: tuple[int, int] = (-1, -1)


class LIZ_Lollipop(Environment[list[tuple[int, int]]]):
    """For each possible sum, find a subarray of ones and twos that has it."""

    N: int
    A: list[int]
    existence: list[bool] | None = None  # whether a subarray has the sum 1, 2, ..., if recorded
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        An array A has {N} elements, numbered from 0 to {last}, each of which is 1 or 2:

        {A}

        The sum of all elements is {S}. For every i from 1 to {S}, find a contiguous subarray, A[l]
        to A[r] with 0 <= l <= r <= {last}, whose sum is exactly i, or say that there is none.
        If several subarrays have the sum i, any of them is right.

        Output format: exactly {S} lines. Line i has l and r, separated by a space, or -1 -1 if no
        subarray has the sum i.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A), S=sum(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        twos = rng.random()
        A = [2 if rng.random() < twos else 1 for _ in range(N)]
        subarrays = with_each_sum(A)
        return cls(N=N, A=A, existence=exist(subarrays), reference_answer=grid(subarrays))

    def parse(self, text: str) -> list[tuple[int, int]]:
        return [pair for row in integer_rows(text, columns=2) for pair in pairs(row)]

    def score(self, answer: list[tuple[int, int]]) -> float:
        existence = self.existence or exist(with_each_sum(self.A))
        if len(answer) != len(existence):
            return INVALID
        if not all(pair == NONE or 0 <= pair[0] <= pair[1] < self.N for pair in answer):
            return INVALID
        sums = [0, *accumulate(self.A)]
        right = 0
        for i, ((start, end), exists) in enumerate(zip(answer, existence, strict=True), 1):
            total = 0 if (start, end) == NONE else sums[end + 1] - sums[start]
            right += total == (i if exists else 0)
        return ratio(right, len(answer)) ** 5

    def work(self) -> Work[str]:
        yield "Drop a 2 at an end or, if both ends are 1, both of them: the sum falls by 2. So the"
        yield "whole array leads to every second sum."
        S = sum(self.A)
        found: dict[int, tuple[int, int]] = {}
        yield from shrink(self.A, 0, self.N - 1, found)
        if 1 in self.A:
            first, last = self.A.index(1), self.N - 1 - self.A[::-1].index(1)
            yield "The other sums leave out an odd number of 1s. For the largest, cut off the 1"
            yield "that is nearest to an end, and all outside it. Then go on as before."
            if first <= self.N - 1 - last:
                yield from shrink(self.A, first + 1, self.N - 1, found)
            else:
                yield from shrink(self.A, 0, last - 1, found)
        else:
            yield "Without a 1, there are no other sums."
        missing = [f"{i + 1} - 1 = {i}" for i in range(1, S) if i not in found]
        yield f"Sums that none has, -1 -1: {', '.join(missing) or 'none'}"
        return grid(found.get(i, NONE) for i in range(1, S + 1))


def shrink(A: list[int], start: int, end: int, found: dict[int, tuple[int, int]]) -> Work[None]:
    """Subarrays with a sum that falls by 2 each time."""
    while start <= end:
        total = sum(A[start : end + 1])
        found[total] = start, end
        yield f"{start} {end}: {show_sum(A[start : end + 1])}"
        if A[start] == 2:
            start += 1
        elif A[end] == 2:
            end -= 1
        else:
            start, end = start + 1, end - 1


def exist(subarrays: list[tuple[int, int]]) -> list[bool]:
    return [subarray != NONE for subarray in subarrays]


def with_each_sum(A: list[int]) -> list[tuple[int, int]]:
    """For each i from 1 to the sum of A, a subarray with the sum i, or NONE.

    A subarray with the sum i + 2 gives one with the sum i: drop a 2 at an end or, if both ends are
    1, drop both. For the parity that the sum of A does not have, the largest sum is what is left
    after removing everything up to the 1 nearest an end.
    """
    S = sum(A)
    subarrays = [NONE] * (S + 1)
    longest = [(0, len(A) - 1)]
    if 1 in A:
        first, last = A.index(1), len(A) - 1 - A[::-1].index(1)
        right_of, left_of = (first + 1, len(A) - 1), (0, last - 1)
        longest.append(right_of if first <= len(A) - 1 - last else left_of)
    for start, end in longest:
        total = sum(A[start : end + 1])
        while start <= end:
            subarrays[total] = (start, end)
            if A[start] == 2:
                start += 1
            elif A[end] == 2:
                end -= 1
            else:
                start, end = start + 1, end - 1
            total -= 2
    return subarrays[1:]
