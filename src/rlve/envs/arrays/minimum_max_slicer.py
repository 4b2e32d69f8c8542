from bisect import bisect_left
from itertools import combinations, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_increasing
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import lines, listed, spaced
from rlve.work import Work, add_all, state

SHORT = 8


class Minimum_MaxSlicer(Environment[list[int]]):
    """Cut an array into batches so that the largest batch sum is as small as possible.

    A short array can be cut in few ways, and usually several are best. So arrays with a single best
    way are preferred, and the best ways of several arrays are made equally likely.
    """

    N: int
    M: int
    A: list[int]
    gold_answer: int  # the smallest possible largest sum
    reference_answer: str

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Bars(answer="positions")

    template = """
        An array A has {N} integers, with indices from 0 to {last}:

        {A}

        Cut it into exactly {M} consecutive non-empty batches. They are given by their last indices,
        {ends} = {last}: the first batch is A[0] to A[end[1]], the second
        one A[end[1] + 1] to A[end[2]], and so on.

        Make the largest sum of the elements of a batch as small as possible. If several ways to cut
        achieve this, any of them is right.

        Output format: one line with end[1] to end[{M}], separated by spaces. The last one is
        {last}.
        """

    def prompt(self) -> str:
        values = (f"A[{i}]={value}" for i, value in enumerate(self.A))
        return self.fill(last=self.N - 1, A=lines(values), ends=listed("end[{}]", 1, self.M, " < "))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            M = rng.randint(3, max(3, N // 2))
            A = [rng.randint(1, N) for _ in range(N)]
            ends = best_ends(A, M)
            gold = largest_sum(A, ends)
            return cls(N=N, M=M, A=A, gold_answer=gold, reference_answer=spaced(ends))

        if N > SHORT:
            return draw()
        return spread(
            rng,
            lambda: prefer(draw, until=lambda problem: len(problem.optima()) == 1),
            by=cls.optima,
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.M or not is_increasing(answer):
            return INVALID
        if answer[0] < 0 or answer[-1] != self.N - 1:
            return INVALID
        return ratio(self.gold_answer, largest_sum(self.A, answer)) ** 3

    def optima(self) -> tuple[tuple[int, ...], ...]:
        """All best ways to cut a short array."""
        ways = combinations(range(self.N - 1), self.M - 1)
        return tuple(cuts for cuts in ways if self.score([*cuts, self.N - 1]) == 1)

    def work(self) -> Work[str]:
        yield "Try limits for the sums, and fill each batch as long as elements fit: no cut can be"
        yield f"later, so the batches are fewest. Take the first limit that needs at most {self.M}."
        limit = max(self.A)
        yield f"The limit must be at least the largest element, {limit}"
        if (share := sum(self.A) // self.M) > limit:
            total = yield from add_all(self.A)
            least = f"{total} // {self.M} = {share}"
            yield f"Some batch has {least} or more: the limit must be at least {share}"
            limit = share
        while len(ends := packed(self.A, limit)) > self.M:
            yield f"Limit {limit}: {self.shown(ends)}, too many"
            limit += 1
        yield f"Limit {limit}: {self.shown(ends)}, enough"
        yield state("Ends", ends)
        if len(ends) < self.M:
            others = [i for i in range(self.N) if i not in ends]
            ends = sorted(ends + others[: self.M - len(ends)])
            yield state("More cuts only make sums smaller. Ends", ends)
        return spaced(ends)

    def shown(self, ends: list[int]) -> str:
        batches = [self.A[start + 1 : end + 1] for start, end in pairwise([-1, *ends])]
        return ", ".join(" + ".join(map(str, batch)) for batch in batches)


def largest_sum(A: list[int], ends: list[int]) -> int:
    return max(sum(A[start + 1 : end + 1]) for start, end in pairwise([-1, *ends]))


def best_ends(A: list[int], M: int) -> list[int]:
    """The last indices of M batches whose largest sum is smallest."""
    limits = range(max(A), sum(A) + 1)
    limit = limits[bisect_left(limits, True, key=lambda limit: len(packed(A, limit)) <= M)]
    ends = packed(A, limit)
    others = [i for i in range(len(A)) if i not in ends]
    return sorted(ends + others[: M - len(ends)])  # more cuts only make the sums smaller


def packed(A: list[int], limit: int) -> list[int]:
    """The last indices of as few batches as possible, none with a sum over the limit."""
    ends: list[int] = []
    total = 0
    for i, value in enumerate(A):
        total += value
        if total > limit:
            ends.append(i - 1)
            total = value
    return [*ends, len(A) - 1]
