from heapq import heappush, heapreplace
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_non_decreasing
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import indexed, spaced
from rlve.work import Work, show_sum, state


class MakingGrade(Environment[list[int]]):
    """Make an array monotonic with the smallest total change."""

    N: int
    A: list[int]
    gold_answer: int  # the minimum total change

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right
    picture = Bars(first=1, answer="heights")

    template = """
        An array A has {N} integers, numbered from 1 to {N}:

        {A}

        Find integers B[1], B[2], ..., B[{N}] that are non-decreasing
        (B[1] <= B[2] <= ... <= B[{N}]) or non-increasing (B[1] >= B[2] >= ... >= B[{N}]), as you
        choose. Make the sum of |A[i] - B[i]| over all i as small as possible.
        If several arrays B have the smallest sum, any of them is right.

        Output format: one line with B[1] ... B[{N}], separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = redraw(
            lambda: [rng.randint(0, N * N) for _ in range(N)],
            until=lambda A: not is_monotonic(A),
        )
        return cls(N=N, A=A, gold_answer=change(A, nearest_monotonic(A)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or not is_monotonic(answer):
            return INVALID
        return ratio(self.gold_answer, change(self.A, answer)) ** 5

    def reference(self) -> str:
        return spaced(nearest_monotonic(self.A))

    def work(self) -> Work[str]:
        yield "If a block gets one value, the median is best; of two middle elements, take the"
        yield "smaller. For non-decreasing B, let each element be a block. While a block has a"
        yield "larger median than the next one, join them: their values in B can move towards"
        yield "their medians until they meet. For non-increasing B, do this from the right."
        rising = yield from by_medians(self.A)
        yield "From the right:"
        falling = (yield from by_medians(self.A[::-1]))[::-1]
        for B in (rising, falling):
            pairs = list(zip(self.A, B, strict=True))
            terms = ", ".join(f"|{a} - {b}| = {abs(a - b)}" for a, b in pairs)
            yield f"B = {spaced(B)}: {terms}; {show_sum(abs(a - b) for a, b in pairs)}"
        best = min(rising, falling, key=lambda B: change(self.A, B))
        yield state("Best", best)
        return spaced(best)


def by_medians(A: list[int]) -> Work[list[int]]:
    """A nearest non-decreasing array."""
    blocks: list[list[int]] = []

    def median(block: list[int]) -> int:
        return sorted(block)[(len(block) - 1) // 2]

    for a in A:
        blocks.append([a])
        while len(blocks) > 1 and median(blocks[-2]) > median(blocks[-1]):
            last, before = blocks.pop(), blocks.pop()
            joined = sorted(before + last)
            yield (
                f"{median(before)} > {median(last)}: join {spaced(before)} and {spaced(last)}, "
                f"sorted {spaced(joined)}, median {median(joined)}"
            )
            blocks.append(before + last)
    return [median(block) for block in blocks for _ in block]


def is_monotonic(values: list[int]) -> bool:
    return is_non_decreasing(values) or is_non_decreasing(values[::-1])


def change(A: list[int], B: list[int]) -> int:
    return sum(abs(a - b) for a, b in zip(A, B, strict=True))


def nearest_monotonic(A: list[int]) -> list[int]:
    rising, falling = nearest_non_decreasing(A), nearest_non_decreasing(A[::-1])[::-1]
    return min(rising, falling, key=lambda B: change(A, B))


def nearest_non_decreasing(A: list[int]) -> list[int]:
    """Slope trick: the least change of a prefix is convex in its last value.

    The heap holds, negated, the points where the slope changes, up to the best last value.
    """
    heap: list[int] = []
    best: list[int] = []  # last value of each prefix
    for a in A:
        heappush(heap, -a)
        if -heap[0] > a:
            heapreplace(heap, -a)
        best.append(-heap[0])
    for i in reversed(range(len(best) - 1)):
        best[i] = min(best[i], best[i + 1])
    return best
