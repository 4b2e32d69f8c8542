from bisect import bisect_left
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Bars, Intervals
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import indexed, lines, spaced
from rlve.work import Work, find_best

FEW = 6


class MaxMinimum_AfterIntervalAddition(Environment[list[int]]):
    """Choose intervals to add to so that an array's smallest element is as large as possible.

    Few intervals offer few choices, and usually several are best. So problems with a single best
    choice are preferred, and the best choices of several problems are made equally likely.
    """

    MAX_N_M: int
    N: int
    M: int
    K: int
    A: int  # what a chosen interval adds
    ARRAY: list[int]
    intervals: list[tuple[int, int]]
    gold_answer: int  # the greatest possible minimum

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right
    picture = (Bars("ARRAY", first=1), Intervals(first=1, answer="chosen"))

    template = """
        The array ARRAY has {N} integers, numbered from 1 to {N}:

        {ARRAY}

        There are {M} intervals [l, r], numbered from 1 to {M}:

        {intervals}

        Choose exactly {K} different intervals (by their numbers; two of them can have equal ends).
        Each chosen interval [l, r] adds {A} to each of ARRAY[l], ARRAY[l + 1], ..., ARRAY[r].
        An element that is in several chosen intervals is added to several times.

        Make the smallest element of the resulting array as large as possible.
        If several choices have the largest minimum, any of them is right.

        Output format: one line with the numbers of the {K} chosen intervals in any order,
        separated by spaces.
        """

    def prompt(self) -> str:
        numbered = (f"{i}: [{start}, {end}]" for i, (start, end) in enumerate(self.intervals, 1))
        return self.fill(ARRAY=indexed("ARRAY", self.ARRAY, start=1), intervals=lines(numbered))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def draw() -> Self:
            N, M = rng.randint(3, MAX_N_M), rng.randint(3, MAX_N_M)
            K, A = rng.randint(2, M - 1), rng.randint(1, MAX_N_M)
            array = [rng.randint(1, MAX_N_M * rng.randint(1, K)) for _ in range(N)]
            intervals = [draw_interval(rng, N) for _ in range(M)]
            gold, _ = best_choice(array, intervals, K, A)
            return cls(
                MAX_N_M=MAX_N_M,
                N=N,
                M=M,
                K=K,
                A=A,
                ARRAY=array,
                intervals=intervals,
                gold_answer=gold,
            )

        if MAX_N_M > FEW:
            return draw()
        return spread(
            rng,
            lambda: prefer(draw, until=lambda problem: len(problem.optima()) == 1),
            by=cls.optima,
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.K or len(set(answer)) != self.K:
            return INVALID
        if not all(1 <= i <= self.M for i in answer):
            return INVALID
        array = list(self.ARRAY)
        for i in answer:
            start, end = self.intervals[i - 1]
            for position in range(start - 1, end):
                array[position] += self.A
        return ratio(min(array), self.gold_answer) ** 5

    def reference(self) -> str:
        _, chosen = best_choice(self.ARRAY, self.intervals, self.K, self.A)
        return spaced(chosen)

    def optima(self) -> tuple[tuple[int, ...], ...]:
        """All best choices, for few intervals."""
        choices = combinations(range(1, self.M + 1), self.K)
        return tuple(chosen for chosen in choices if self.score(list(chosen)) == 1)

    def work(self) -> Work[str]:
        yield f"Try all choices of {self.K} intervals."
        choices: list[tuple[int, ...]] = []

        def cases() -> Iterator[tuple[str, int]]:
            for chosen in combinations(range(1, self.M + 1), self.K):
                choices.append(chosen)
                array: list[int] = []
                shown: list[str] = []
                for position, value in enumerate(self.ARRAY, 1):
                    ends = [self.intervals[i - 1] for i in chosen]
                    times = sum(start <= position <= end for start, end in ends)
                    array.append(value + times * self.A)
                    sum_of = f"{value} + {times} * {self.A} = {array[-1]}"
                    shown.append(sum_of if times else f"{value}")
                lowest = min(array)
                yield f"{spaced(chosen)}: {', '.join(shown)}; smallest {lowest}", lowest

        best = choices[(yield from find_best(cases()))]
        yield f"So choose {spaced(best)}"
        return spaced(best)


def draw_interval(rng: Random, N: int) -> tuple[int, int]:
    length = rng.randint(1, N)
    start = rng.randint(1, N - length + 1)
    return start, start + length - 1


def best_choice(
    array: list[int], intervals: list[tuple[int, int]], K: int, A: int
) -> tuple[int, list[int]]:
    """The greatest possible minimum, and the numbers of K intervals that reach it."""
    lowest = min(array)
    minima = range(lowest, lowest + K * A + 1)
    too_high = bisect_left(
        minima, True, key=lambda minimum: choice(array, intervals, K, A, minimum) is None
    )
    gold = minima[too_high - 1]
    chosen = choice(array, intervals, K, A, gold) or []
    others = [i for i in range(1, len(intervals) + 1) if i not in chosen]
    return gold, sorted(chosen + others[: K - len(chosen)])


def choice(
    array: list[int], intervals: list[tuple[int, int]], K: int, A: int, minimum: int
) -> list[int] | None:
    """At most K intervals that raise all elements to the minimum, if possible.

    From left to right, an element that is too low needs intervals that have already started, and
    those that reach furthest are best.
    """
    started: list[tuple[int, int]] = []  # (-end, number)
    chosen: list[int] = []
    for position, value in enumerate(array, 1):
        for i, (start, end) in enumerate(intervals, 1):
            if start == position:
                heappush(started, (-end, i))
        here = sum(intervals[i - 1][1] >= position for i in chosen)
        while value + here * A < minimum:
            if not started or -started[0][0] < position or len(chosen) == K:
                return None
            chosen.append(heappop(started)[1])
            here += 1
    return chosen
