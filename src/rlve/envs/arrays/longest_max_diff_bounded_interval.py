from collections.abc import Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import MonotoneQueue
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.text import indexed, spaced
from rlve.work import Work, find_best

TOO_WIDE = -0.2


class LongestMaxDiffBoundedInterval(Environment[list[int]]):
    """Find the longest block of an array whose largest and smallest elements are close.

    Short arrays have few blocks, so several arrays are drawn, and each of the blocks found in them
    is equally likely.
    """

    N: int
    A: list[int]
    K: int
    gold_answer: int  # the greatest length

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        An array A has {N} integers, numbered from 0 to {last}:

        {A}

        Find a longest non-empty contiguous block of A in which the largest element minus the
        smallest element is at most {K}. If several blocks are longest, any of them is right.

        A block is given by l and r with 0 <= l < r <= {N}: it starts at A[l] and ends before A[r],
        so that it has the r - l elements A[l], A[l + 1], ..., A[r - 1].

        Output format: one line with l and r, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(0, N) for _ in range(N)]
            K = rng.randint(0, max(0, max(A) - min(A) - 1))
            start, end = longest_block(A, K)
            return cls(N=N, A=A, K=K, gold_answer=end - start)

        return spread(rng, draw, by=lambda problem: longest_block(problem.A, problem.K))

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def score(self, answer: list[int]) -> float:
        start, end = answer
        if not 0 <= start < end <= self.N:
            return INVALID
        block = self.A[start:end]
        if max(block) - min(block) > self.K:
            return TOO_WIDE
        return ratio(end - start, self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(longest_block(self.A, self.K))

    def work(self) -> Work[str]:
        yield f"From each l, go on while the largest minus the smallest is at most {self.K}."
        blocks: list[tuple[int, int]] = []

        def cases() -> Iterator[tuple[str, int]]:
            for start in range(self.N):
                end, text = start + 1, f"l = {start}: {self.A[start]}"
                while end < self.N:
                    block = self.A[start : end + 1]
                    if max(block) - min(block) > self.K:
                        text += f", stop at {self.A[end]}: {max(block)} - {min(block)} > {self.K}"
                        break
                    text += f" {self.A[end]}"
                    end += 1
                blocks.append((start, end))
                yield f"{text}; r - l = {end} - {start} = {end - start}", end - start

        best = blocks[(yield from find_best(cases()))]
        yield f"So l = {best[0]} and r = {best[1]}"
        return spaced(best)


def longest_block(A: list[int], K: int) -> tuple[int, int]:
    """The first longest block, from a window that is as long as possible at each end."""
    lowest, highest = MonotoneQueue(), MonotoneQueue()
    longest = (0, 0)
    start = 0
    for i, value in enumerate(A):
        lowest.push(i, value)
        highest.push(i, -value)
        while -highest.least()[0] - lowest.least()[0] > K:
            start += 1
            lowest.drop(start)
            highest.drop(start)
        if i + 1 - start > longest[1] - longest[0]:
            longest = (start, i + 1)
    return longest
