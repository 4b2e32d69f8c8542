from collections import Counter
from math import factorial, gcd, prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.combinatorics import partitions
from rlve.answers import integer
from rlve.rewards import exact_residue

MODULI = (666623333, 998244353, 1000000007)


class DistinctEdgeColoredCompleteGraphCounting(Environment[int]):
    """Count the edge colourings of a complete graph up to renaming vertices, modulo a prime.

    At difficulty 0 there are two or three colours, so 4 and 10 are the only answers.
    """

    N: int
    M: int
    MOD: int
    reference_answer: int

    max_difficulty = 25  # at 35, generating a problem takes too long

    template = """
        Every edge of the complete graph on {N} vertices gets one of {M} colours; not all colours
        need to be used. Two colourings are the same if some permutation of the vertices turns one
        into the other, so that each edge has the same colour as the edge it is mapped to. The
        colours themselves must not be permuted.

        Give the number of different colourings modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        M, MOD = rng.randint(2, N * (N - 1) // 2), rng.choice(MODULI)
        return cls(N=N, M=M, MOD=MOD, reference_answer=colourings(N, M) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def colourings(N: int, M: int) -> int:
    """The average number of colourings left unchanged, over all vertex permutations."""
    unchanged = 0
    for cycles in partitions(N):
        multiplicities = Counter(cycles).values()
        permutations = factorial(N) // (prod(cycles) * prod(map(factorial, multiplicities)))
        unchanged += permutations * M ** edge_orbits(cycles)
    return unchanged // factorial(N)


def edge_orbits(cycles: list[int]) -> int:
    """The number of classes of edges that a permutation with these cycle lengths mixes."""
    within = sum(length // 2 for length in cycles)
    between = sum(gcd(a, b) for i, a in enumerate(cycles) for b in cycles[:i])
    return within + between
