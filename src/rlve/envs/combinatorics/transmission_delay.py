from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.rejection import redraw, spread


class TransmissionDelay(Environment[int]):
    """Count the bit arrays that can arise when no bit moves far.

    At N = 4 the published condition on A and D would leave a single answer, so it is dropped there.
    For small N a few answers are frequent, so each one among six draws is equally likely.
    """

    N: int
    A: list[int]
    D: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        A is an array of {N} bits, indexed from 1:

        {A}

        For a permutation P of 1, 2, ..., {N} with |i - P[i]| <= {D} for every i, let B be the array
        with B[i] = A[P[i]] for every i from 1 to {N}. How many different arrays B arise from all
        such permutations P? Arrays are the same if they have the same bit at every index; A itself
        is one of those that arise.

        Output format: one positive integer, the exact number of arrays.
        """

    def prompt(self) -> str:
        return self.fill(A="; ".join(f"A[{i}]={bit}" for i, bit in enumerate(self.A, 1)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw_bits() -> list[int]:
            zeros = rng.random()
            return [int(rng.random() >= zeros) for _ in range(N)]

        def is_mixed(A: list[int]) -> bool:
            return 2 <= sum(A) <= N - 2 and (N == 4 or largest_delay(A) >= 1)

        def draw() -> tuple[list[int], int]:
            A = redraw(draw_bits, until=is_mixed)
            return A, rng.randint(1, max(1, largest_delay(A)))

        A, D = spread(rng, draw, by=lambda drawn: count_arrays(*drawn), draws=6)
        return cls(N=N, A=A, D=D, reference_answer=count_arrays(A, D))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def positions(A: list[int], bit: int) -> list[int]:
    """The indices of a bit, counted from 1."""
    return [i for i, value in enumerate(A, 1) if value == bit]


def largest_delay(A: list[int]) -> int:
    """The largest D for which the zeros or the ones cannot reach every index, or 0."""
    delays = [0]
    for bit in (0, 1):
        indices = positions(A, bit)
        delays += [indices[0] - 2, len(A) - 1 - indices[-1]]
        delays += [(right - left - 2) // 2 for left, right in pairwise(indices)]
    return max(delays)


def count_arrays(A: list[int], D: int) -> int:
    """The number of arrays, bit by bit.

    Equal bits may as well keep their order: the next 0 of B is the next 0 of A, and likewise for 1.
    """
    zeros, ones = positions(A, 0), positions(A, 1)
    ways = {0: 1}  # by the number of zeros so far
    for i in range(1, len(A) + 1):
        extended: dict[int, int] = {}
        for used, number in ways.items():
            if used < len(zeros) and abs(zeros[used] - i) <= D:
                extended[used + 1] = extended.get(used + 1, 0) + number
            used_ones = i - 1 - used
            if used_ones < len(ones) and abs(ones[used_ones] - i) <= D:
                extended[used] = extended.get(used, 0) + number
        ways = extended
    return sum(ways.values())
