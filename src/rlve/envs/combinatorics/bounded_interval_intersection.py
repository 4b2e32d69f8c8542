from bisect import bisect_left, insort
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Intervals
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import lines
from rlve.work import Work, add_to, power


class BoundedIntervalIntersection(Environment[int]):
    """Count the sets of intervals whose intersection has at least a given length.

    K is drawn from 1 to N / 4; limiting it to the shortest interval's length would always make it
    1. Most small instances have the answer 0 or 1, so several are drawn, and each of their answers
    is equally likely.
    """

    N: int
    intervals: list[tuple[int, int]]
    K: int
    reference_answer: int

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    picture = Intervals()

    template = """
        Here are {N} closed intervals [l, r] of the number line, one per line:

        {intervals}

        The length of an interval [l, r] is r - l. The length of the intersection of a set of
        intervals is its right end minus its left end, and 0 if the intersection is empty.

        Count the non-empty subsets of the {N} listed intervals whose intersection has a length of
        at least {K}. Intervals on different lines are different elements, even if they are equal. A
        subset with one element counts if that interval has a length of at least {K}.

        Output format: one integer, the exact number of subsets; it can be 0.
        """

    def prompt(self) -> str:
        return self.fill(intervals=lines(f"[{left}, {right}]" for left, right in self.intervals))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return spread(rng, lambda: cls.draw(rng, N), by=lambda problem: problem.reference_answer)

    @classmethod
    def draw(cls, rng: Random, N: int) -> Self:
        intervals = [(left := rng.randint(0, N), rng.randint(left, N)) for _ in range(N)]
        K = rng.randint(1, max(1, N // 4))
        return cls(N=N, intervals=intervals, K=K, reference_answer=subsets(intervals, K))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        K = self.K
        yield "Sort by left ends, and count each subset at its last interval [l, r]."
        yield f"All in it must reach l + {K}, so each earlier one that does is in or out."
        ordered = sorted(self.intervals)
        yield "Sorted: " + " ".join(f"[{left}, {right}]" for left, right in ordered)
        total = 0
        for i, (left, right) in enumerate(ordered):
            here = f"[{left}, {right}]: {left} + {K} = {left + K}"
            if right < left + K:
                yield f"{here} > {right}, none"
                continue
            others = [f"[{a}, {b}]" for a, b in ordered[:i] if b >= left + K]
            yield (
                f"{here}, earlier ones that reach it: "
                f"{' '.join(others) or 'none'}, so {len(others)}"
            )
            subsets = yield from power(2, len(others))
            total = yield from add_to(total, subsets, f"{subsets} more")
        yield f"So the number of subsets is {total}"
        return str(total)


def subsets(intervals: list[tuple[int, int]], K: int) -> int:
    """The number of non-empty subsets with an intersection of at least K, for K >= 1.

    Each subset is counted at its last interval in order of left ends.
    """
    count = 0
    right_ends: list[int] = []
    for left, right in sorted(intervals):
        if right - left >= K:
            partners = len(right_ends) - bisect_left(right_ends, left + K)
            count += 2**partners
        insort(right_ends, right)
    return count
