from functools import reduce
from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import prefer
from rlve.text import listed

MODULUS = 10_000


class XorEquationCounting(Environment[int]):
    """Count the tuples of integers in an interval that have a given XOR.

    L = R, which leaves one tuple, is redrawn.
    """

    N: int
    RANGE: int
    R: int
    L: int
    K: int
    reference_answer: int

    max_difficulty = 40  # at 50, generating a problem takes too long

    template = """
        Count the ordered tuples ({tuple}) of integers such that
        - {L} <= X[i] <= {R} for all i, and
        - {xor} = {K}, where XOR is bitwise.

        Tuples with the same values in another order are different. Give the number modulo 10000.

        Output format: one integer from 0 to 9999, the number of tuples modulo 10000.
        """

    def prompt(self) -> str:
        return self.fill(tuple=listed("X[{}]", 1, self.N), xor=listed("X[{}]", 1, self.N, " XOR "))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d), "RANGE": 2**b - 1} for b in (2, 3, 5, 7, 10, 12, 15, 17, 20)]

    @classmethod
    def sample(cls, rng: Random, N: int, RANGE: int) -> Self:
        R, L = prefer(
            lambda: (high := rng.randint(0, RANGE), rng.randint(0, high)),
            until=lambda bounds: bounds[0] > bounds[1],
        )
        K = reduce(int.__xor__, (rng.randint(L, R) for _ in range(N)))
        count = count_tuples(N, L, R, K) % MODULUS
        return cls(N=N, RANGE=RANGE, R=R, L=L, K=K, reference_answer=count)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, MODULUS)


def count_tuples(N: int, L: int, R: int, K: int) -> int:
    """Inclusion and exclusion: of N values up to R, let some be below L."""
    return sum(
        (-1) ** below * comb(N, below) * count_bounded(N - below, R + 1, below, L, K)
        for below in range(N + 1)
    )


def count_bounded(p: int, P: int, q: int, Q: int, K: int) -> int:
    """The number of tuples of p integers in 0 .. P-1 and q integers in 0 .. Q-1 with the XOR K.

    Look for the highest bit at which some integer has 0 and its bound has 1. Above it, all integers
    agree with their bounds. Below it, that integer is free, and can make up for any XOR of the
    others.
    """
    total = 0
    for bit in reversed(range(max(P, Q, K).bit_length())):
        free = 1 << bit
        wanted = K >> bit & 1
        # The number of ways in which an integer has 1, and has 0, at the bit.
        ones, zeros = choices(P, bit)
        other_ones, other_zeros = choices(Q, bit)
        even_or_odd = (zeros + ones) ** p * (other_zeros + other_ones) ** q
        even_less_odd = (zeros - ones) ** p * (other_zeros - other_ones) ** q
        ways = (even_or_odd + (-1) ** wanted * even_less_odd) // 2
        agreeing = (p * (P >> bit) + q * (Q >> bit)) & 1 == wanted
        if agreeing:
            ways -= (P % free) ** p * (Q % free) ** q  # no integer is free
        total += ways // free
        if not agreeing:
            break
    return total


def choices(bound: int, bit: int) -> tuple[int, int]:
    """How many integers below the bound that agree with it above the bit have 1, and 0, there."""
    rest = bound % (1 << bit)
    return (rest, 1 << bit) if bound >> bit & 1 else (0, rest)
