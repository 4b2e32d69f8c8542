from collections import Counter
from collections.abc import Iterable
from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import redraw, spread
from rlve.text import indexed


class PythagoreanGraph_IndependentSetCounting(Environment[int]):
    """Count the sets of indices without two values that are the legs of a primitive triple.

    There is always a joined pair, and MOD is at least 1000. Short arrays have few possible counts
    (4 and 5 at N = 3) and usually the largest, so each count among many draws is equally likely.
    """

    N: int
    MOD: int
    H: list[int]
    reference_answer: int

    max_difficulty = 40  # at 50, generating a problem takes too long

    template = """
        H is an array of {N} positive integers, indexed from 0:

        {H}

        Two different indices i and j are joined if both of these hold:
        - H[i]^2 + H[j]^2 is the square of an integer;
        - the greatest common divisor of H[i] and H[j] is 1.

        Count the non-empty sets of indices that contain no two joined indices. Indices with equal
        values are still different indices. Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(H=indexed("H", self.H), largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        MOD = rng.randint(1000, 10**6)

        def draw() -> list[int]:
            return redraw(
                lambda: [rng.randint(1, 2 * N) for _ in range(N)],
                until=lambda drawn: len(joined_pairs(drawn)) > 0,
            )

        H = spread(rng, draw, by=count_independent_sets, draws=max(12, 500 // N))
        return cls(N=N, MOD=MOD, H=H, reference_answer=(count_independent_sets(H) - 1) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def joined_pairs(values: Iterable[int]) -> list[tuple[int, int]]:
    """The joined pairs of values: the legs j^2 - i^2 and 2ij of primitive triples."""
    present = set(values)
    high = max(present)
    pairs: list[tuple[int, int]] = []
    for i in range(1, high):
        j = i + 1
        while 2 * i * j <= high and j * j - i * i <= high:
            legs = j * j - i * i, 2 * i * j
            if gcd(i, j) == 1 and present.issuperset(legs):
                pairs.append(legs)
            j += 2  # i and j are not both odd
    return pairs


def count_independent_sets(H: list[int]) -> int:
    """The number of independent sets, including the empty one."""
    neighbours: dict[int, set[int]] = {value: set() for value in H}
    for a, b in joined_pairs(H):
        neighbours[a].add(b)
        neighbours[b].add(a)
    some = {value: 2**times - 1 for value, times in Counter(H).items()}
    return weigh_independent_sets(neighbours, dict.fromkeys(H, 1), some)


def weigh_independent_sets(
    neighbours: dict[int, set[int]], without: dict[int, int], within: dict[int, int]
) -> int:
    """Sum, over all independent sets, the product of the members' and the others' weights.

    A vertex with one neighbour is absorbed into that neighbour's weights. Only on cycles, of which
    there are few, are both cases of a vertex tried. The arguments are used up.
    """
    total = 1
    while neighbours:
        v = min(neighbours, key=lambda vertex: len(neighbours[vertex]))
        cyclic = len(neighbours[v]) > 1
        if cyclic:
            v = max(neighbours, key=lambda vertex: len(neighbours[vertex]))
        around = neighbours.pop(v)
        for u in around:
            neighbours[u].remove(v)
        if cyclic:
            copy = {u: set(joined) for u, joined in neighbours.items()}
            blocked = within | dict.fromkeys(around, 0)
            left_out = weigh_independent_sets(copy, dict(without), dict(within))
            return total * (
                without[v] * left_out
                + within[v] * weigh_independent_sets(neighbours, without, blocked)
            )
        if not around:
            total *= without[v] + within[v]
        for u in around:
            within[u] *= without[v]
            without[u] *= without[v] + within[v]
    return total
