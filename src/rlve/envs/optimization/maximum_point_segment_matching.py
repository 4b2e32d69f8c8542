from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.foundation.pictures import Intervals
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, lines
from rlve.work import Work, state


class MaximumPointSegmentMatching(Environment[list[list[int]]]):
    """Match as many points as possible to segments that contain them, one to one."""

    MAX_C_N: int
    C: int
    N: int
    points: list[int]
    segments: list[tuple[int, int]]
    gold_answer: int  # the largest number of pairs

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Intervals("segments")

    template = """
        There are {C} points on a line, numbered from 0 to {last_point}, with these positions:

        {points}

        There are {N} segments [l, r], numbered from 0 to {last_segment}. Number and segment:

        {segments}

        A point can be matched to a segment that contains it: l <= position <= r, both ends
        included. Each point and each segment is in at most one matched pair. Find as many matched
        pairs as possible. If several matchings have the largest size, any of them is right.

        Output format: one line per matched pair, with the number of the point and the number of the
        segment, separated by a space. The lines can be in any order.
        """

    def prompt(self) -> str:
        return self.fill(
            last_point=self.C - 1,
            points=lines(f"{i}: {point}" for i, point in enumerate(self.points)),
            last_segment=self.N - 1,
            segments=lines(
                f"{i}: [{left}, {right}]" for i, (left, right) in enumerate(self.segments)
            ),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_C_N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_C_N: int) -> Self:
        C, N = rng.randint(2, MAX_C_N), rng.randint(2, MAX_C_N)

        def segment() -> tuple[int, int]:
            length = rng.randint(0, MAX_C_N)
            left = rng.randint(0, MAX_C_N - length)
            return left, left + length

        def draw() -> Self:
            points = [rng.randint(0, MAX_C_N) for _ in range(C)]
            segments = [segment() for _ in range(N)]
            return cls(
                MAX_C_N=MAX_C_N,
                C=C,
                N=N,
                points=points,
                segments=segments,
                gold_answer=len(largest_matching(points, segments)),
            )

        return redraw(draw, lambda problem: problem.gold_answer > 0)

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, columns=2)

    def score(self, answer: list[list[int]]) -> float:
        for numbers, count in zip(zip(*answer, strict=True), (self.C, self.N), strict=False):
            if len(set(numbers)) != len(numbers) or not all(0 <= i < count for i in numbers):
                return INVALID
        for c, n in answer:
            left, right = self.segments[n]
            if not left <= self.points[c] <= right:
                return INVALID
        return ratio(len(answer), self.gold_answer) ** 5

    def reference(self) -> str:
        return grid(largest_matching(self.points, self.segments))

    def work(self) -> Work[str]:
        yield "Go through the segments, those that end first before the others."
        yield "Each takes the first unused point in it: a later segment that contains this point"
        yield "reaches at least as far, so it also contains the other unused points of this one."
        unused = sorted(range(self.C), key=self.points.__getitem__)
        yield "Points: " + ", ".join(f"{c} at {self.points[c]}" for c in unused)
        matched: list[tuple[int, int]] = []
        for n in sorted(range(self.N), key=lambda n: self.segments[n][1]):
            left, right = self.segments[n]
            inside = [c for c in unused if left <= self.points[c] <= right]
            label = f"Segment {n}, [{left}, {right}]"
            if inside:
                unused.remove(inside[0])
                matched.append((inside[0], n))
                fits = f"{left} <= {self.points[inside[0]]} <= {right}"
                yield f"{label}: {fits}, match {inside[0]} {n}. {state('Unused', unused)}"
            else:
                yield f"{label}: no unused point in it"
        return grid(matched)


def largest_matching(points: list[int], segments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The segment that ends first takes the first point in it, and so on."""
    unused = sorted(range(len(points)), key=points.__getitem__)
    matched: list[tuple[int, int]] = []
    for n in sorted(range(len(segments)), key=lambda n: segments[n][1]):
        left, right = segments[n]
        c = next((c for c in unused if points[c] >= left), None)
        if c is not None and points[c] <= right:
            unused.remove(c)
            matched.append((c, n))
    return matched
