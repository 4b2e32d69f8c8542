from math import isqrt
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.algorithms.primes import factorise, primes_up_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import spaced

Pairs: TypeAlias = dict[tuple[int, int], int]  # numbers of pairs, by the small primes of S and of T


class TwoSet_AllCoprime_Counting(Environment[int]):
    """Count the pairs of subsets in which all elements of one are coprime to all of the other."""

    N: int
    set: list[int]
    reference_answer: int

    max_difficulty = 25  # at 35, generating a problem takes too long

    template = """
        A is a set of {size} distinct integers:

        {set}

        Count the ordered pairs (S, T) of subsets of A such that every element of S is coprime to
        every element of T, that is, their greatest common divisor is 1. In particular, no integer
        is in both S and T. Either set, or both, can be empty, and integers of A can be in neither
        of them. The pairs (S, T) and (T, S) are different pairs unless S and T are equal.

        Output format: one positive integer, the exact number of pairs.
        """

    def prompt(self) -> str:
        return self.fill(size=len(self.set), set=spaced(self.set))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(8, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        numbers = rng.sample(range(2, N + 1), rng.randint(2, N - 1))
        return cls(N=N, set=numbers, reference_answer=count_pairs(numbers))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def count_pairs(numbers: list[int]) -> int:
    """The number of pairs, by the small primes that divide elements of S and of T.

    A number has at most one prime factor above the root of the largest number. Numbers that share
    it form a group, all of whose chosen members are in S or all in T.
    """
    small = primes_up_to(isqrt(max(numbers)))
    groups: dict[int, list[int]] = {}
    for number in numbers:
        largest = max(factorise(number))
        mask = sum(1 << i for i, prime in enumerate(small) if number % prime == 0)
        # If that factor is also small, the number is a group of its own.
        groups.setdefault(-number if largest in small else largest, []).append(mask)
    pairs: Pairs = {(0, 0): 1}
    for masks in groups.values():
        into_s = put_into_s(pairs, masks)
        into_t = {(s, t): number for (t, s), number in into_s.items()}  # S and T are symmetric
        pairs = {
            key: into_s.get(key, 0) + into_t.get(key, 0) - pairs.get(key, 0)
            for key in into_s | into_t
        }
    return sum(pairs.values())


def put_into_s(pairs: Pairs, masks: list[int]) -> Pairs:
    """The pairs after any numbers of a group, given by their small primes, are put into S."""
    for mask in masks:
        extended = pairs.copy()
        for (s, t), number in pairs.items():
            if not mask & t:
                extended[s | mask, t] = extended.get((s | mask, t), 0) + number
        pairs = extended
    return pairs
