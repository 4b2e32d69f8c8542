from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, search, state


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

    def work(self) -> Work[str]:
        if self.N <= 6:
            if self.N >= 5:
                yield "The cycle 1 3 5 2 4 1 has five vertices, an odd number: it needs 3 colours."
            else:
                yield "Vertices 1 and 3 are joined, so 2 colours are needed."
            yield "Consecutive numbers differ by 1, which is not prime: pairs can share a colour."
            colours = [v // 2 for v in range(self.N)]
        else:
            yield "Multiples of 4 are not prime, so the remainders mod 4 will do as colours."
            if self.N >= 8:
                yield "Any two of 1 3 6 8 differ by 2, 3, 5 or 7, so these 4 need 4 colours."
            else:
                yield "Try 3 colours, vertex by vertex (a new one may as well be the next one):"
                yield from search(
                    lambda c: range(1, min(3, max(c, default=0) + 1) + 1),
                    lambda c, colour: next(
                        (
                            f"vertex {len(c) + 1 - p} has it"
                            for p in (5, 3, 2)
                            if p <= len(c) and c[-p] == colour
                        ),
                        None,
                    ),
                    lambda c: len(c) == self.N,
                )
                yield "So 3 colours are not enough."
            colours = [v % 4 for v in range(1, self.N + 1)]
        yield state(f"Colours of 1 to {self.N}", colours)
        return spaced(colours)


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
