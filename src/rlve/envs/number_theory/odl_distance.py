from collections import Counter
from collections.abc import Sequence
from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import factorise
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, spaced
from rlve.work import Work, split_into_primes


class ODLDistance(Environment[list[int]]):
    """For each number, find the nearest other, where a step multiplies or divides by a prime."""

    N: int
    A: list[int]
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 700  # at 887, generating a problem takes too long

    template = """
        One operation on a positive integer multiplies it by a prime number, or divides it by a
        prime number that divides it. Let D(a, b) be the smallest number of operations that turn a
        into b. For example, D(21, 50) = 5: divide 21 by 3 and by 7, then multiply by 2, 5 and 5.

        There are {N} positive integers:

        {array}

        For each i from 0 to {last}, find the index j, different from i, for which D(A[i], A[j]) is
        smallest. If there are several such indices, take the smallest of them.

        Output format: one line with {N} indices, separated by spaces: the j for i = 0, the j for
        i = 1, and so on.
        """

    def prompt(self) -> str:
        return self.fill(array=indexed("A", self.A), last=self.N - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = rng.sample(range(1, 4 * N + 1), N)
        gold = nearest(A)
        return cls(N=N, A=A, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        if any(not 0 <= j < self.N or j == i for i, j in enumerate(answer)):
            return INVALID
        right = sum(j == gold for j, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N) ** 5

    def work(self) -> Work[str]:
        yield "Primes that two numbers do not share must be divided out or multiplied in."
        primes: list[Counter[int]] = []
        for i, a in enumerate(self.A):
            found = (yield from split_into_primes(a)) if a > 1 else []
            primes.append(Counter(found))
            yield f"Primes of A[{i}]: {spaced(found) or 'none'}"
        best = [-1] * self.N
        distance: dict[int, int] = {}
        for i in range(self.N):
            row: list[str] = []
            for j in range(self.N):
                if j == i:
                    continue
                apart = [*((primes[i] - primes[j]) + (primes[j] - primes[i])).elements()]
                row.append(f"j = {j}: {spaced(apart)}, so {len(apart)}")
                distance[j] = len(apart)
            others = [j for j in range(self.N) if j != i]
            best[i] = min(others, key=distance.__getitem__)
            yield f"i = {i}, not shared: {'; '.join(row)}. Least at j = {best[i]}"
        yield f"So the indices are {spaced(best)}"
        return spaced(best)


def nearest(A: Sequence[int]) -> list[int]:
    """For each index, the other index at the least distance, the smallest if there are several."""
    factors = {n: sum(factorise(n).values()) for n in {gcd(a, b) for a in A for b in A}}

    def distance(i: int, j: int) -> int:
        return factors[A[i]] + factors[A[j]] - 2 * factors[gcd(A[i], A[j])]

    indices = range(len(A))
    return [min((j for j in indices if j != i), key=lambda j: distance(i, j)) for i in indices]
