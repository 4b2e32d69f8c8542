from heapq import heappush, heapreplace
from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Intervals
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work, state


class MinimumChromaticNumber_SegmentOverlap(Environment[list[int]]):
    """Colour segments with as few colours as possible so that overlapping ones differ.

    All that matters is which segments have the same colour.
    """

    N: int
    segments: list[tuple[int, int]]
    gold_answer: int  # the smallest number of colours
    reference_answer: str

    max_difficulty = 45  # at 57, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Intervals("segments", answer="classes")

    template = """
        There are {N} segments [l, r] on a line, numbered from 0 to {last}. A segment contains all
        points from l to r, both ends included. Number and segment:

        {segments}

        Give each segment a colour, an integer. Two segments that have at least one point in common,
        even if it is only an end, must have different colours. Use as few different colours as
        possible. If several colourings use the smallest number, any of them is right.

        Output format: one line with the colours of the segments 0 to {last} in this order,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            segments=lines(
                f"{i}: [{left}, {right}]" for i, (left, right) in enumerate(self.segments)
            ),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        classes = rng.randint(2, N)
        ends = [0, *sorted(rng.sample(range(1, N + 1), classes - 1)), N]
        segments: list[tuple[int, int]] = []
        for size in (stop - start for start, stop in pairwise(ends)):
            points = sorted(rng.randint(1, 2 * N - 1) for _ in range(2 * size))
            segments += zip(points[::2], points[1::2], strict=True)
        rng.shuffle(segments)
        colours = best_colouring(segments)
        return cls(
            N=N,
            segments=segments,
            gold_answer=len(set(colours)),
            reference_answer=spaced(colours),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        coloured = sorted((c, *segment) for c, segment in zip(answer, self.segments, strict=True))
        if any(
            c == other and left <= right for (c, _, right), (other, left, _) in pairwise(coloured)
        ):
            return INVALID
        return ratio(self.gold_answer, len(set(answer))) ** 5

    def work(self) -> Work[str]:
        yield (
            "Go through the segments from left to right. Reuse a colour whose last segment "
            "has ended."
        )
        yield "If there is none, all colours so far meet where the segment begins: take a new one."
        colours = [0] * self.N
        ends: list[int] = []  # of the last segment of each colour
        for i in sorted(range(self.N), key=self.segments.__getitem__):
            left, right = self.segments[i]
            free = [c for c, end in enumerate(ends) if end < left]
            if free:
                why = f"colour {free[0] + 1} ended at {ends[free[0]]} < {left}"
                ends[free[0]] = right
            else:
                why = f"none has ended, new colour {len(ends) + 1}"
                free = [len(ends)]
                ends.append(right)
            colours[i] = free[0] + 1
            yield f"Segment {i}, [{left}, {right}]: {why}. {state('Ends', ends)}"
        yield state("Colours", colours)
        return spaced(colours)


def best_colouring(segments: list[tuple[int, int]]) -> list[int]:
    """Colours counted from 1: from left to right, the one that has been free longest is reused."""
    colours = [0] * len(segments)
    last: list[tuple[int, int]] = []  # where the colour's last segment ends, and the colour
    for i in sorted(range(len(segments)), key=segments.__getitem__):
        left, right = segments[i]
        if last and last[0][0] < left:
            colours[i] = last[0][1]
            heapreplace(last, (right, colours[i]))
        else:
            colours[i] = len(last) + 1
            heappush(last, (right, colours[i]))
    return colours
