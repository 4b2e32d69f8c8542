from collections.abc import Iterator
from itertools import accumulate, combinations, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import lines, spaced
from rlve.work import Work, find_best, show_sum, split_powers

SHORT = 5


class MinDivisionSumXor(Environment[list[int]]):
    """Cut a sequence into few batches so that the OR of the batch sums is smallest.

    The name says XOR, but the operation is OR. A short sequence can be cut in few ways, and usually
    several are best. So sequences with a single best division are preferred, and the best divisions
    of several draws are made equally likely.
    """

    N: int
    A: list[int]
    K: int
    gold_answer: int  # the smallest OR

    max_difficulty = 40  # at 47, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars(first=1, answer="positions")

    template = """
        Here are {N} non-negative integers, A[1] to A[{N}]:

        {A}

        Cut this sequence into k consecutive non-empty batches, where you choose k with
        1 <= k <= {K}. The batches are given by the positions of their last elements,
        end[1] < ... < end[k] = {N}: the first batch is A[1] to A[end[1]], the second one
        A[end[1] + 1] to A[end[2]], and so on.

        The sum of a batch is the sum of its elements. The cost of the division is the bitwise OR of
        the sums of all k batches. Make the cost as small as possible. If several divisions have the
        smallest cost, any of them is right.

        Output format: one line with end[1] ... end[k], separated by spaces. The last one is {N}.
        """

    def prompt(self) -> str:
        return self.fill(A=lines(f"A[{i}]={x}" for i, x in enumerate(self.A, 1)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(0, N * N) for _ in range(N)]
            K = rng.randint(2, N)
            return cls(N=N, A=A, K=K, gold_answer=cost(A, best_division(A, K)))

        if N > SHORT:
            return draw()
        return spread(
            rng,
            lambda: prefer(draw, until=lambda problem: len(problem.optima()) == 1),
            by=lambda problem: tuple(problem.optima()),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if len(answer) > self.K or answer[0] < 1 or answer[-1] != self.N:
            return INVALID
        if not all(end < after for end, after in pairwise(answer)):
            return INVALID
        return ratio(self.gold_answer, cost(self.A, answer)) ** 5

    def reference(self) -> str:
        return spaced(best_division(self.A, self.K))

    def optima(self) -> list[tuple[int, ...]]:
        """All cheapest divisions of a short sequence."""
        return [
            (*cuts, self.N)
            for k in range(self.K)
            for cuts in combinations(range(1, self.N), k)
            if cost(self.A, [*cuts, self.N]) == self.gold_answer
        ]

    def work(self) -> Work[str]:
        yield "These are the sums of the batches from each position on:"
        for i in range(self.N):
            sums = list(accumulate(self.A[i:]))
            steps = [str(sums[0])]
            for before, value in zip(sums, self.A[i + 1 :], strict=False):
                steps.append(f"{before} + {value} = {before + value}")
            yield f"From {i + 1}: {', '.join(steps)}"
        totals = [*accumulate(self.A, initial=0)]
        parts = yield from split_powers(b - a for a, b in combinations(totals, 2))
        yield "Try all ends. The OR has the powers that are in any of the sums."
        divisions: list[tuple[int, ...]] = []

        def cases() -> Iterator[tuple[str, int]]:
            for cuts in (c for k in range(self.K) for c in combinations(range(1, self.N), k)):
                divisions.append((*cuts, self.N))
                sums = [totals[end] - totals[start] for start, end in pairwise([0, *cuts, self.N])]
                powers = sorted({power for total in sums for power in parts[total]}, reverse=True)
                batches = ", ".join(map(str, sums))
                yield f"{spaced(divisions[-1])}: {batches}; {show_sum(powers)}", sum(powers)

        return spaced(divisions[(yield from find_best(cases(), "<"))])


def cost(A: list[int], ends: list[int]) -> int:
    result = 0
    for start, end in pairwise([0, *ends]):
        result |= sum(A[start:end])
    return result


def best_division(A: list[int], K: int) -> list[int]:
    """The ends of at most K batches of smallest cost: from the highest bit down, 0 if possible."""
    allowed = (1 << sum(A).bit_length()) - 1
    best = [len(A)]
    for bit in reversed(range(allowed.bit_length())):
        ends = fewest_batches(A, allowed & ~(1 << bit))
        if ends is not None and len(ends) <= K:
            allowed &= ~(1 << bit)
            best = ends
    return best


def fewest_batches(A: list[int], allowed: int) -> list[int] | None:
    """The ends of as few batches as possible whose sums have only allowed bits; None if none do."""
    sums = [0, *accumulate(A)]
    fewest: dict[int, tuple[int, int]] = {0: (0, 0)}  # by end: batches, previous end
    for end in range(1, len(sums)):
        options = [
            (batches + 1, start)
            for start, (batches, _) in fewest.items()
            if not (sums[end] - sums[start]) & ~allowed
        ]
        if options:
            fewest[end] = min(options)
    if len(A) not in fewest:
        return None
    ends = [len(A)]
    while fewest[ends[-1]][1]:
        ends.append(fewest[ends[-1]][1])
    return ends[::-1]
