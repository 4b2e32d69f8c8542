from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.text import spaced


class RecursiveSequenceSumConstruction(Environment[list[int]]):
    """Find indices at which the values of a linear recursive sequence have a given sum.

    Any set of indices with that sum is right, however large the indices are.
    """

    N: int  # the largest index that can be planted
    MAX_F0: int
    MAX_A: int
    MAX_B: int
    F0: int
    A: int
    B: int
    S: int
    reference_answer: str

    max_difficulty = 50  # at 67, numbers have more than 4,000 digits
    unique_up_to = None  # several answers can be right

    template = """
        The sequence F is defined by F(0) = {F0} and F(n) = {A} * F(n - 1) + {B} for all n >= 1.

        Find one or more different indices n >= 1 (0 is not allowed) such that the sum of the values
        F(n) at these indices is exactly {S}. Such indices exist, and any that have this sum are
        right.

        Output format: one line with the indices in any order, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d), "MAX_F0": 128, "MAX_A": 16, "MAX_B": 16_384}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_F0: int, MAX_A: int, MAX_B: int) -> Self:
        F0 = rng.randint(0, MAX_F0)
        A = 1 if rng.random() < 0.3 else rng.randint(2, MAX_A)
        B = rng.randint(0, MAX_B)
        indices = rng.sample(range(1, N + 1), rng.randint(1, N))
        values = [F0]
        for _ in range(N):
            values.append(A * values[-1] + B)
        return cls(
            N=N,
            MAX_F0=MAX_F0,
            MAX_A=MAX_A,
            MAX_B=MAX_B,
            F0=F0,
            A=A,
            B=B,
            S=sum(values[n] for n in indices),
            reference_answer=spaced(indices),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if min(answer) < 1 or len(set(answer)) < len(answer):
            return INVALID
        return exact(self.has_sum(answer))

    def has_sum(self, indices: list[int]) -> bool:
        """Whether the values have the sum S; none that exceeds S is computed."""
        if self.A == 1:
            return len(indices) * self.F0 + self.B * sum(indices) == self.S
        if self.F0 == self.B == 0:
            return self.S == 0
        values = [self.F0]
        while values[-1] <= self.S:  # at least doubled each time but the first
            values.append(self.A * values[-1] + self.B)
        return max(indices) < len(values) and sum(values[n] for n in indices) == self.S
