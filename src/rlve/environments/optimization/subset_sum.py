from random import Random
from typing import Self

from rlve.answers import integers
from rlve.environment import Environment, Level
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.text import indexed, spaced


class SubsetSum(Environment[list[int]]):
    """Find elements of an array that have a given sum."""

    N: int
    A: list[int]
    target: int
    reference_answer: str

    guessable = "With three values from 1 to 3 (d = 0), several pairs often have the same sum."

    template = """
        An array A has {N} positive integers, with the indices 0 to {last}:

        {A}

        Find different indices such that the sum of A[i] over these indices i is exactly {target}.
        There is such a choice; if there are several, any of them is right.

        Output format: one line with the chosen indices, in any order, each once, separated by
        spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = [rng.randint(1, N) for _ in range(N)]
        indices = rng.sample(range(N), rng.randint(2, N - 1))
        return cls(N=N, A=A, target=sum(A[i] for i in indices), reference_answer=spaced(indices))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) != len(answer) or not all(0 <= i < self.N for i in answer):
            return INVALID
        return exact(sum(self.A[i] for i in answer) == self.target)
