from heapq import heapify, heapreplace
from itertools import pairwise
from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import indexed


class WYRLevelingGround(Environment[int]):
    """Level an array to zero with the fewest additions of +A, -A, +B or -B to subarrays."""

    N: int
    A: int
    B: int
    H: list[int]
    reference_answer: int

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters

    template = """
        An array H has {N} integers:

        {H}

        One operation picks a non-empty contiguous subarray and does one of the following:
        - add {A} to each of its elements;
        - subtract {A} from each of its elements;
        - add {B} to each of its elements;
        - subtract {B} from each of its elements.

        What is the minimum number of operations that make all elements of H equal to 0? It can be
        done, and elements may take any integer value in between.

        Output format: one integer, the minimum number of operations.
        """

    def prompt(self) -> str:
        return self.fill(H=indexed("H", self.H))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A, B = rng.sample(range(1, 2 * N + 1), 2)
        negative_a, negative_b = rng.random(), rng.random()

        def coefficient(negative: float) -> int:
            value = rng.randint(0, 2 * N)
            return -value if rng.random() < negative else value

        H = [coefficient(negative_a) * A + coefficient(negative_b) * B for _ in range(N)]
        return cls(N=N, A=A, B=B, H=H, reference_answer=fewest_operations(H, A, B))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def fewest_operations(H: list[int], A: int, B: int) -> int:
    """The minimum number of operations; the greatest common divisor of A and B divides every H.

    An operation adds a step to one difference between neighbours in 0, H, 0 and subtracts it from
    another. So each difference c must be written as a * x + b * y, with all x summing to 0 (then
    all y do too), and the number of operations is half the sum of |x| + |y|.

    For one c, the x differ by multiples of b, and the cost |x| + |y| is convex in x. So start with
    the cheapest x of each c and, until their sum is 0, make the change by b that costs least.
    """
    common = gcd(A, B)
    a, b = sorted((A // common, B // common))
    inverse = pow(a, -1, b)

    def cost(c: int, x: int) -> int:
        return abs(x) + abs((c - a * x) // b)

    cheapest: list[tuple[int, int]] = []
    for before, after in pairwise([0, *H, 0]):
        c = (after - before) // common
        x = c * inverse % b
        # a <= b: as x moves away from 0 by b, y comes nearer to 0 by no more than a
        cheapest.append((c, x if cost(c, x) <= cost(c, x - b) else x - b))

    total = sum(cost(c, x) for c, x in cheapest)
    excess = sum(x for _, x in cheapest)
    step = -b if excess > 0 else b
    changes = [(cost(c, x + step) - cost(c, x), c, x + step) for c, x in cheapest]
    heapify(changes)
    for _ in range(abs(excess) // b):
        added, c, x = changes[0]
        total += added
        heapreplace(changes, (cost(c, x + step) - cost(c, x), c, x + step))
    return total // 2
