from itertools import combinations, pairwise
from math import prod
from operator import mul
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import cheapest_split
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import joined, spaced
from rlve.work import Work, multiply_all

SHARES = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95)


class MaxMultSplit(Environment[list[str]]):
    """Cut a string of digits into numbers with the largest product.

    If K = N - 1, as always at difficulty 0, there is only one way to cut it.
    """

    N: int
    K: int  # the number of cuts
    string: str
    gold_answer: int  # the largest product

    max_difficulty = 30  # at 36, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        This is a string of {N} digits:

        {string}

        Cut it into exactly {parts} non-empty contiguous parts, and read each part as an integer in
        decimal notation. Make the product of these integers as large as possible. If several ways
        have the largest product, any of them is right.

        Output format: one line with the {parts} parts in the order in which they are in the string,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(parts=self.K + 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        cuts = {2, N - 1, *(K for share in SHARES if 2 <= (K := int(N * share)) <= N - 1)}
        return [{"N": N, "K": K} for K in sorted(cuts)]

    @classmethod
    def sample(cls, rng: Random, N: int, K: int) -> Self:
        string = joined(rng.randint(1, 9) for _ in range(N))
        return cls(N=N, K=K, string=string, gold_answer=prod(best_parts(string, K + 1)))

    def parse(self, text: str) -> list[str]:
        integers(text)  # raises Unparseable otherwise
        return text.split()

    def score(self, answer: list[str]) -> float:
        if len(answer) != self.K + 1 or joined(answer) != self.string:
            return INVALID
        return ratio(prod(map(int, answer)), self.gold_answer) ** 3

    def reference(self) -> str:
        return spaced(best_parts(self.string, self.K + 1))

    def work(self) -> Work[str]:
        yield "Try all ways to cut the string."
        best, best_way = -1, list[int]()
        for cuts in combinations(range(1, self.N), self.K):
            ends = pairwise([0, *cuts, self.N])
            way = [int(self.string[start:stop]) for start, stop in ends]
            yield f"Parts {spaced(way)}"
            product = yield from multiply_all(way)
            if product > best:
                best, best_way = product, way
                yield f"The largest so far is {best}"
        yield f"The largest is {best}, with {spaced(best_way)}"
        return spaced(best_way)


def best_parts(string: str, count: int) -> list[int]:
    """This many consecutive parts of the string, with the largest product."""

    def part(start: int, stop: int) -> int:
        return int(string[start:stop])

    # With a factor -1 the largest product becomes the smallest.
    ends = cheapest_split(len(string), count, part, nothing=-1, join=mul)
    return [part(start, stop) for start, stop in pairwise([0, *ends])]
