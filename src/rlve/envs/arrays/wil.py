from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import MonotoneQueue
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import counted, indexed, spaced
from rlve.work import Work, state


class WIL(Environment[list[int]]):
    """Find the longest interval of bounded sum after setting a short interval to zero."""

    N: int
    A: list[int]
    D: int
    P: int
    gold_answer: int  # the greatest length

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        An array A has {N} integers, numbered from 1 to {N}:

        {A}

        First, choose an interval [l1, r1] with 1 <= l1 <= r1 <= {N} that has at most {elements},
        and set A[l1], A[l1 + 1], ..., A[r1] to 0. Second, choose an interval [l2, r2] with
        1 <= l2 <= r2 <= {N} such that the sum of A[l2], A[l2 + 1], ..., A[r2] in the changed array
        is at most {P}.

        Make the length of the second interval, r2 - l2 + 1, as large as possible. If several
        choices have the largest length, any of them is right.

        Output format: one line with l1, r1, l2 and r2, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1), elements=counted(self.D, "element"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = [rng.randint(1, N) for _ in range(N)]
        D = rng.randint(1, N - 1)
        P = rng.randint(1, sum(sorted(A)[: N - D]))
        _, _, start, end = best_intervals(A, D, P)
        return cls(N=N, A=A, D=D, P=P, gold_answer=end - start + 1)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=4)

    def score(self, answer: list[int]) -> float:
        l1, r1, l2, r2 = answer
        if not (1 <= l1 <= r1 <= self.N and 1 <= l2 <= r2 <= self.N and r1 - l1 < self.D):
            return INVALID
        changed = [0 if l1 <= i <= r1 else a for i, a in enumerate(self.A, 1)]
        if sum(changed[l2 - 1 : r2]) > self.P:
            return INVALID
        return ratio(r2 - l2 + 1, self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_intervals(self.A, self.D, self.P))

    def work(self) -> Work[str]:
        yield "Try all second intervals, the longest first, until one fits. In each, set to 0 the"
        yield (
            f"{self.D} elements in a row with the largest sum."
            if self.D > 1
            else "largest element."
        )
        for length in range(self.N, self.D, -1):
            for start in range(self.N - length + 1):
                part = self.A[start : start + length]
                totals = [0, *accumulate(part)]
                sums = [b - a for a, b in zip(totals, totals[self.D :], strict=False)]
                zero = sums.index(max(sums))
                left = part[:zero] + part[zero + self.D :]
                fits = sum(left) <= self.P
                yield (
                    f"{start + 1} to {start + length}: 0 for {spaced(part[zero : zero + self.D])}, "
                    f"left {' + '.join(map(str, left))} {'<=' if fits else '>'} {self.P}"
                )
                if fits:
                    answer = (start + zero + 1, start + zero + self.D, start + 1, start + length)
                    yield state("l1, r1, l2, r2", answer)
                    return spaced(answer)
        yield f"An interval of length {self.D} can be all 0: 1 to {self.D}"
        return f"1 {self.D} 1 {self.D}"


def best_intervals(A: list[int], D: int, P: int) -> tuple[int, int, int, int]:
    """The ends of both intervals, counted from 1.

    For each right end, the window reaches as far left as it can, and its heaviest part of length D
    becomes zero.
    """
    sums = [0, *accumulate(A)]
    parts = MonotoneQueue()  # by first position, with negated sums
    best = (0, 0, 0, -1)
    start = 0
    for end in range(D, len(A) + 1):
        parts.push(end - D, sums[end - D] - sums[end])
        while sums[end] - sums[start] + parts.least()[0] > P:
            start += 1
            parts.drop(start)
        if end - start > best[3] - best[2] + 1:
            heaviest = parts.least()[1]
            best = (heaviest + 1, heaviest + D, start + 1, end)
    return best
