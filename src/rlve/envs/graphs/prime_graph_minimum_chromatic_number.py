from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced


class PrimeGraph_MinimumChromaticNumber(Environment[list[int]]):
    """Colour the numbers 1 to N so that no two of one colour differ by a prime.

    For more than six numbers, the remainder modulo 4 is a best colouring, so problems differ
    little.
    """

    MAX_N: int
    N: int
    gold_answer: int  # the least number of colours
    reference_answer: str

    max_difficulty = 16  # answers have up to 3,597 numbers, and 5,395 at the next difficulty
    unique_up_to = None  # several answers can be right

    template = """
        A graph has {N} vertices, numbered from 1 to {N}. Two vertices u and v are joined by an
        edge if and only if |u - v| is a prime number.

        Give each vertex a colour, an integer, such that any two vertices that are
        joined by an edge have different colours. Use as few different colours as possible.
        If several colourings have the fewest colours, any of them is right.

        Output format: one line with {N} integers, separated by spaces: the colours of the
        vertices 1 to {N} in this order.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(6, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(3, MAX_N)
        colours = best_colouring(N)
        return cls(
            MAX_N=MAX_N, N=N, gold_answer=len(set(colours)), reference_answer=spaced(colours)
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        classes: dict[int, list[int]] = {}
        for vertex, colour in enumerate(answer, 1):
            classes.setdefault(colour, []).append(vertex)
        primes = primes_up_to(self.N)
        if any(has_prime_difference(vertices, primes) for vertices in classes.values()):
            return INVALID
        return ratio(self.gold_answer, len(classes)) ** 5


def best_colouring(n: int) -> list[int]:
    """Up to six numbers, pairs of neighbours; beyond, remainders modulo 4, which divides no prime.

    Three colours are not enough for seven numbers, as a search of all colourings shows.
    """
    return [i // 2 for i in range(n)] if n <= 6 else [i % 4 for i in range(n)]


def has_prime_difference(vertices: list[int], primes: list[int]) -> bool:
    if len(vertices) ** 2 < len(primes):
        known = set(primes)
        return any(v - u in known for u, v in combinations(vertices, 2))
    mask = sum(1 << v for v in vertices)
    return any(mask & mask >> p for p in primes)
