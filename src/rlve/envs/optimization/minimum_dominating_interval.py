from collections.abc import Iterable
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Intervals
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.text import lines, spaced

K_DENSITIES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
MAX_COST = 10


class Minimum_DominatingInterval(Environment[list[int]]):
    """Choose points so that the intervals that contain any of them cost as little as possible.

    In random problems the first points are best too often, so other answers are made as likely.
    """

    N: int
    M: int
    K_density: float
    intervals: list[tuple[int, int, int]]  # (L, R, C)
    K: int
    reference_answer: str
    gold_answer: int  # the smallest total cost

    guessable = "With three points (d = 0), the first or the last ones are nearly always best."

    max_difficulty = 20  # at 26, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Intervals()

    template = """
        There are {M} intervals, numbered from 0 to {last}. Interval i contains the integer points
        L[i], L[i] + 1, ..., R[i] (both ends included) and has the cost C[i]:

        {intervals}

        Let K = {K}. Choose exactly K different integer points from 1 to {N}, each of which is
        contained in at least one interval. The cost of the choice is the sum of C[i] over all
        intervals i that contain at least one chosen point; each of them counts once. Make the cost
        as small as possible. If several choices have the smallest cost, any of them is right.

        Output format: one line with the K chosen points, in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.M - 1,
            intervals=lines(
                f"L[{i}]={L} R[{i}]={R} C[{i}]={C}" for i, (L, R, C) in enumerate(self.intervals)
            ),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        M = min(N * (N + 1) // 2, 2 * N)
        return [{"N": N, "M": M, "K_density": density} for density in K_DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int, K_density: float) -> Self:
        def draw() -> Self:
            every = [
                (L, R, rng.randint(1, MAX_COST)) for L in range(1, N + 1) for R in range(L, N + 1)
            ]
            intervals = rng.sample(every, M)
            covered = [p for p in range(1, N + 1) if any(L <= p <= R for L, R, _ in intervals)]
            K = max(1, int(K_density * len(covered)))
            best = best_points(intervals, covered, K)
            return cls(
                N=N,
                M=M,
                K_density=K_density,
                intervals=intervals,
                K=K,
                reference_answer=spaced(best),
                gold_answer=total_cost(intervals, best),
            )

        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=6)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.K or len(set(answer)) != self.K:
            return INVALID
        if not all(any(L <= p <= R for L, R, _ in self.intervals) for p in answer):
            return INVALID
        return ratio(self.gold_answer, total_cost(self.intervals, answer)) ** 5


def total_cost(intervals: list[tuple[int, int, int]], points: Iterable[int]) -> int:
    return sum(C for L, R, C in intervals if any(L <= p <= R for p in points))


def best_points(intervals: list[tuple[int, int, int]], covered: list[int], K: int) -> list[int]:
    """The cheapest K of the covered points, by the number of points and the last of them.

    After j, the point i adds the cost of the intervals that contain i but not j.
    """
    added: dict[tuple[int, int], int] = {}
    for i in covered:
        here = [(L, C) for L, R, C in intervals if L <= i <= R]
        for j in [0, *covered[: covered.index(i)]]:
            added[j, i] = sum(C for L, C in here if j < L)
    layer = {0: 0}  # the cheapest way to choose some points, by the last one
    before: list[dict[int, int]] = []
    for _ in range(K):
        ways = {
            i: min((cost + added[j, i], j) for j, cost in layer.items() if j < i)
            for i in covered
            if i > min(layer)
        }
        layer = {i: cost for i, (cost, _) in ways.items()}
        before.append({i: j for i, (_, j) in ways.items()})
    points = [min(layer, key=layer.__getitem__)]
    for steps in before[:0:-1]:
        points.append(steps[points[-1]])
    return points[::-1]
