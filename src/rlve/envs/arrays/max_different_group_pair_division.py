from collections.abc import Iterator
from itertools import accumulate, combinations, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import counted, indexed, spaced
from rlve.work import Work, find_best, show_sum

SHORT = 4


class MaxDifferentGroupPairDivision(Environment[list[int]]):
    """Cut an array K times, each cut gaining the product of the two sums it separates.

    Four elements can be cut twice in three ways, and often several are best. So arrays with a
    single best way are preferred, and the best ways of several arrays are made equally likely.
    """

    N: int
    K: int
    A: list[int]
    gold_answer: int  # the greatest S
    reference_answer: str

    max_difficulty = 25  # at 35, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        An array A has {N} integers, numbered from 0 to {last}:

        {A}

        At first, the array is one block, and S = 0. Perform exactly {K} cuts, one after the other.
        A cut at position i (0 <= i <= {last_cut}) divides a block between A[i] and A[i + 1], which
        must still be in the same block, into two blocks. It adds to S the product of the sums of
        the elements of these two blocks.

        Make the final S as large as possible. If several ways have the largest S, any of them is
        right.

        Output format: one line with the positions of the {K} cuts in the order of cutting,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, last_cut=self.N - 2, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = rng.randint(2, N - 2)
            A = [rng.randint(0, N) for _ in range(N)]
            cuts = best_cuts(A, K)
            return cls(N=N, K=K, A=A, gold_answer=gain(A, cuts), reference_answer=spaced(cuts))

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
        if len(answer) != self.K or len(set(answer)) != self.K:
            return INVALID
        if not all(0 <= i <= self.N - 2 for i in answer):
            return INVALID
        return ratio(gain(self.A, answer), self.gold_answer) ** 5

    def optima(self) -> tuple[tuple[int, ...], ...]:
        """All best ways to cut a short array."""
        ways = combinations(range(self.N - 1), self.K)
        return tuple(cuts for cuts in ways if gain(self.A, list(cuts)) == self.gold_answer)

    def work(self) -> Work[str | None]:
        yield "Two elements in different blocks were separated by one cut and gained their product."
        yield "So the order does not matter, and the square of the sum of all elements is 2 * S"
        yield "plus the squares of the sums of the blocks. Make the sum of these squares small."
        if sum(self.A) > 31:
            return None  # squares that are not for the head
        yield f"Try all choices of {counted(self.K, 'position')}."
        ways: list[tuple[int, ...]] = []

        def cases() -> Iterator[tuple[str, int]]:
            for cuts in combinations(range(self.N - 1), self.K):
                ways.append(cuts)
                bounds = pairwise([0, *(i + 1 for i in cuts), self.N])
                blocks = [self.A[start:end] for start, end in bounds]
                squares = sum(sum(block) ** 2 for block in blocks)
                written = " + ".join(f"{sum(block)}^2" for block in blocks)
                sums = ", ".join(map(show_sum, blocks))
                yield f"{spaced(cuts)}: {sums}; {written} = {squares}", squares

        return spaced(ways[(yield from find_best(cases(), "<"))])


def gain(A: list[int], cuts: list[int]) -> int:
    """Any two elements of different blocks are separated, and gain their product, once.

    So the order of the cuts does not matter.
    """
    bounds = [0, *(i + 1 for i in sorted(cuts)), len(A)]
    squares = sum(sum(A[start:end]) ** 2 for start, end in pairwise(bounds))
    return (sum(A) ** 2 - squares) // 2


def best_cuts(A: list[int], K: int) -> list[int]:
    """The cuts into K + 1 non-empty blocks that minimise the total of the squared sums."""
    sums = [0, *accumulate(A)]
    ends = range(len(sums))
    totals: list[int] = [total**2 for total in sums]  # by the end of the last block
    starts: list[dict[int, int]] = []  # of the last block, by its end
    for blocks in range(2, K + 2):
        start_of: dict[int, int] = {}
        squares: list[int] = [0] * len(sums)
        for end in ends[blocks:]:
            squares[end], start_of[end] = min(
                (totals[start] + (sums[end] - sums[start]) ** 2, start)
                for start in range(blocks - 1, end)
            )
        totals = squares
        starts.append(start_of)
    cuts: list[int] = []
    end = len(A)
    for start_of in reversed(starts):
        end = start_of[end]
        cuts.append(end - 1)
    return cuts[::-1]
