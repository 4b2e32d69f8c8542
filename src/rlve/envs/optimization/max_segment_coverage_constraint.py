from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Intervals
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, state

COORDINATE_MULTIPLE = 2
SMALL = 4


class MaxSegmentCoverageConstraint(Environment[list[int]]):
    """Select as many segments as possible without covering any point too often.

    Problems in which all segments can be selected are redrawn, as are those of up to four segments
    with several largest selections.
    """

    N: int
    segments: list[tuple[int, int]]
    constraints: list[tuple[int, int]]  # (p, x): at most x selected segments contain the point p
    gold_answer: int  # the largest number of segments

    max_difficulty = 700  # at 910, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Intervals("segments", answer="chosen")

    template = """
        There are {N} segments [l, r] on a line, numbered from 0 to {last}. A segment contains all
        points p with l <= p <= r, both ends included. Number and segment:

        {segments}

        Each pair (p, x) below is a constraint: at most x of the selected segments may contain the
        point p.

        {constraints}

        Select as many segments as possible such that all constraints hold. Each segment can be
        selected once. If several selections have the largest size, any of them is right.

        Output format: one line with the numbers of the selected segments, in any order, separated
        by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            segments=lines(
                f"{i}: [{left}, {right}]" for i, (left, right) in enumerate(self.segments)
            ),
            constraints=lines(self.constraints),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        high = COORDINATE_MULTIPLE * N

        def draw() -> Self:
            lefts = [rng.randint(0, high) for _ in range(N)]
            segments = [(left, rng.randint(left, high)) for left in lefts]
            covered = [p for p in range(high + 1) if coverage(segments, p)]
            points = rng.sample(covered, rng.randint(1, len(covered)))
            constraints = [(p, rng.randint(1, coverage(segments, p))) for p in points]
            return cls(
                N=N,
                segments=segments,
                constraints=constraints,
                gold_answer=len(largest_selection(segments, constraints)),
            )

        def resists(problem: Self) -> bool:
            return problem.gold_answer < N and (N > SMALL or problem.largest_selections() == 1)

        return prefer(draw, resists, tries=80 if N <= SMALL else 20)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) != len(answer) or not all(0 <= i < self.N for i in answer):
            return INVALID
        selected = [self.segments[i] for i in answer]
        if any(coverage(selected, p) > x for p, x in self.constraints):
            return INVALID
        return ratio(len(answer), self.gold_answer) ** 5

    def largest_selections(self) -> int:
        selections = combinations(range(self.N), self.gold_answer)
        return sum(self.score(list(selection)) == 1 for selection in selections)

    def reference(self) -> str:
        return spaced(largest_selection(self.segments, self.constraints))

    def work(self) -> Work[str]:
        yield "Keep all segments at first, and go through the constraints from left to right."
        yield "If too many kept segments contain p, give up those that reach furthest right."
        yield "Some must go, and every later p in one of the others is in these as well."
        kept = list(range(self.N))
        for p, x in sorted(self.constraints):
            here = [i for i in kept if self.segments[i][0] <= p <= self.segments[i][1]]
            line = f"p = {p}, at most {x}: {state('kept segments here', here)}"
            if len(here) > x:
                here.sort(key=lambda i: self.segments[i][1])
                ends = ", ".join(f"{i} ends at {self.segments[i][1]}" for i in here)
                kept = [i for i in kept if i not in here[x:]]
                line += f"; {ends}; give up {spaced(here[x:])}. {state('Kept', kept)}"
            yield line
        yield state("Selected", kept)
        return spaced(kept)


def coverage(segments: list[tuple[int, int]], point: int) -> int:
    """How many of the segments contain the point."""
    return sum(left <= point <= right for left, right in segments)


def largest_selection(
    segments: list[tuple[int, int]], constraints: list[tuple[int, int]]
) -> list[int]:
    """If too many segments contain a point, those that reach furthest right are given up.

    Going from left to right, these can be in the way of the most constraints to come.
    """
    kept = list(range(len(segments)))
    for p, x in sorted(constraints):
        here = [i for i in kept if segments[i][0] <= p <= segments[i][1]]
        here.sort(key=lambda i: segments[i][1])
        given_up = set(here[x:])
        kept = [i for i in kept if i not in given_up]
    return kept
