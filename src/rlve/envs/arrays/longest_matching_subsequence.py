from itertools import combinations, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import heaviest_chains, is_increasing
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import lines, spaced
from rlve.work import Work, extend_chains, find_best, state

SHORT = 5


class Longest_MatchingSubsequence(Environment[list[int]]):
    """Choose a subsequence in which as many elements as possible equal their position.

    A short array offers few choices, and usually several are best. So arrays with a single best
    choice are preferred, and the best choices of several arrays are made equally likely.
    """

    N: int
    A: list[int]
    gold_answer: int  # the greatest number of matches

    max_difficulty = 50  # at 62, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars(answer="positions")

    template = """
        An array A has {N} integers, with indices from 0 to {last}:

        {A}

        Choose indices i1 < i2 < ... < ik, not necessarily adjacent. The chosen elements form the
        sequence B, whose positions are numbered from 1: B[1] = A[i1], B[2] = A[i2], ..., and
        B[k] = A[ik].

        Make the number of positions j with B[j] = j as large as possible. Other elements of B are
        allowed. If several choices have the largest number, any of them is right.

        Output format: one line with the indices i1 ... ik in increasing order, separated by spaces.
        """

    def prompt(self) -> str:
        values = (f"A[{i}]={value}" for i, value in enumerate(self.A))
        return self.fill(last=self.N - 1, A=lines(values))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [1, *(rng.randint(1, N) for _ in range(N - 1))]
            rng.shuffle(A)
            return cls(N=N, A=A, gold_answer=len(longest_match(A)))

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
        if answer and (answer[0] < 0 or answer[-1] >= self.N or not is_increasing(answer)):
            return INVALID
        matches = sum(self.A[i] == j for j, i in enumerate(answer, 1))
        return ratio(matches, self.gold_answer) ** 5

    def reference(self) -> str:
        """The matching elements, each preceded by as many others as its position needs."""
        chosen: list[int] = []
        for before, i in pairwise([-1, *longest_match(self.A)]):
            missing = self.A[i] - 1 - len(chosen)
            chosen += [*range(before + 1, before + 1 + missing), i]
        return spaced(chosen)

    def optima(self) -> tuple[tuple[int, ...], ...]:
        """All best choices from a short array."""
        sizes = range(1, self.N + 1)
        choices = (indices for k in sizes for indices in combinations(range(self.N), k))
        return tuple(indices for indices in choices if self.score(list(indices)) == 1)

    def work(self) -> Work[str]:
        yield "A[i] can be at position A[i] of B if enough elements come before it: A[i] <= i + 1."
        able = [i for i, value in enumerate(self.A) if value <= i + 1]
        yield "Indices: " + ", ".join(f"{i} with {self.A[i]}" for i in able)
        yield "Index q can be the next match after index p < q if there are enough elements between"
        yield "them to fill B: if A[q] - A[p] is from 1 to q - p."
        yield "Most matches that end at each index:"

        def may_follow(s: int, t: int) -> bool:
            i, j = able[s], able[t]
            return 0 < self.A[j] - self.A[i] <= j - i

        chains = yield from extend_chains([1] * len(able), may_follow, able)
        best = yield from find_best(
            (f"End {i}: {matches}", matches) for i, (matches, _) in zip(able, chains, strict=True)
        )
        yield state("Matches", chains[best][1])
        yield "Before each, put as many elements as its position needs."
        chosen: list[int] = []
        before = -1
        for i in chains[best][1]:
            missing = self.A[i] - 1 - len(chosen)
            chosen += [*range(before + 1, before + 1 + missing), i]
            before = i
            yield f"{i} at position {self.A[i]}: indices {spaced(chosen)}"
        return spaced(chosen)


def longest_match(A: list[int]) -> list[int]:
    """The indices of as many elements as can equal their positions at the same time.

    An element i can if enough elements come before it. It can do so together with the next such
    element j if they are in order and enough elements are between them.
    """
    candidates = [i for i, value in enumerate(A) if value <= i + 1]

    def may_follow(s: int, t: int) -> bool:
        i, j = candidates[s], candidates[t]
        return 0 < A[j] - A[i] <= j - i

    return [candidates[s] for s in heaviest_chains([1] * len(candidates), may_follow).heaviest()]
