from itertools import accumulate, pairwise
from math import inf
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.flows import Network
from rlve.answers import integers
from rlve.foundation.pictures import Intervals
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, lines, spaced

INTERVALS_PER_POINT = (0.7, 0.9, *(tenths / 10 for tenths in range(10, 41)))
COST_MULTIPLE = 3


class MinimumIntervalCoverage(Environment[list[int]]):
    """Take intervals, each any number of times, so that every point is covered often enough."""

    N: int
    M: int
    intervals: list[tuple[int, int, int]]  # (L, R, C)
    NEEDS: list[int]  # for the points 1 .. N
    gold_answer: int  # the smallest total cost

    max_difficulty = 30  # at 37, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Intervals(first=1)

    template = """
        There are {M} intervals, numbered from 1 to {M}. Interval i contains the integer points
        L[i], L[i] + 1, ..., R[i] (both ends included) and costs C[i] each time it is taken:

        {intervals}

        Each interval can be taken any number of times: 0, 1, 2, .... Every point p from 1 to {N}
        must be contained in at least NEED[p] of the taken intervals, where an interval counts as
        often as it is taken:

        {needs}

        Make the total cost as small as possible. If several ways have the smallest cost, any of
        them is right.

        Output format: one line with {M} non-negative integers, separated by spaces: how many times
        the intervals 1 to {M} are taken, in this order.
        """

    def prompt(self) -> str:
        return self.fill(
            intervals=lines(
                f"L[{i}]={L} R[{i}]={R} C[{i}]={C}" for i, (L, R, C) in enumerate(self.intervals, 1)
            ),
            needs=indexed("NEED", self.NEEDS, start=1),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "M": int(share * N)} for share in INTERVALS_PER_POINT]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        intervals: list[tuple[int, int, int]] = []
        for _ in range(M):
            L, R = sorted((rng.randint(1, N), rng.randint(1, N)))
            intervals.append((L, R, rng.randint(1, COST_MULTIPLE * (R - L + 1))))
        covered = [any(L <= p <= R for L, R, _ in intervals) for p in range(1, N + 1)]
        needs = [rng.randint(0, N) if is_covered else 0 for is_covered in covered]
        best = cheapest_cover(intervals, needs)
        gold = total_cost(intervals, best)
        return cls(N=N, M=M, intervals=intervals, NEEDS=needs, gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.M)

    def score(self, answer: list[int]) -> float:
        if min(answer) < 0:
            return INVALID
        changes = [0] * (self.N + 2)  # of the coverage, from one point to the next
        for (L, R, _), times in zip(self.intervals, answer, strict=True):
            changes[L] += times
            changes[R + 1] -= times
        coverage = list(accumulate(changes))[1:-1]
        if any(times < need for times, need in zip(coverage, self.NEEDS, strict=True)):
            return INVALID
        return ratio(self.gold_answer, total_cost(self.intervals, answer)) ** 5

    def reference(self) -> str:
        return spaced(cheapest_cover(self.intervals, self.NEEDS))


def total_cost(intervals: list[tuple[int, int, int]], times: list[int]) -> int:
    return sum(k * C for k, (_, _, C) in zip(times, intervals, strict=True))


def cheapest_cover(intervals: list[tuple[int, int, int]], needs: list[int]) -> list[int]:
    """How often each interval is taken at the smallest total cost.

    The coverage of p is NEED[p] plus a surplus. Its changes from point to point are the
    conservation of a flow: an interval is an arc L - 1 -> R with a flow of how often it is taken,
    the surplus of p flows free of charge from p to p - 1, and there is a supply where the need
    rises.
    """
    n = len(needs)
    source, sink = n + 1, n + 2
    network = Network(n + 3)
    arcs = [network.add(L - 1, R, inf, C) for L, R, C in intervals]
    for p in range(1, n + 1):
        network.add(p, p - 1, inf)
    for p, (need, following) in enumerate(pairwise([0, *needs, 0])):
        if following > need:
            network.add(source, p, following - need)
        else:
            network.add(p, sink, need - following)
    network.send_cheapest(source, sink)
    return [network.flow(arc) for arc in arcs]
