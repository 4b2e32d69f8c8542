from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import heaviest_chains, is_increasing, is_non_decreasing
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, spaced
from rlve.work import Work, extend_chains, find_best, state


class WeightedLIS(Environment[list[int]]):
    """Find the non-decreasing subsequence with the largest weight."""

    N: int
    arrayA: list[int]
    arrayB: list[int]  # the weights
    gold_answer: int  # the largest weight

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Bars("arrayA", answer="positions"), Bars("arrayB", answer="positions"))

    template = """
        The arrays A and B have {N} integers each, with indices from 0 to {last}:

        {A}
        {B}

        Choose indices i1 < i2 < ... < ik, not necessarily adjacent, such that
        A[i1] <= A[i2] <= ... <= A[ik]. Make the sum B[i1] + B[i2] + ... + B[ik] as large as
        possible. If several choices have the largest sum, any of them is right.

        Output format: one line with i1 ... ik in increasing order, separated by spaces. For
        example, 1 3 chooses the indices 1 and 3.
        """

    def prompt(self) -> str:
        A, B = indexed("A", self.arrayA), indexed("B", self.arrayB)
        return self.fill(last=self.N - 1, A=A, B=B)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = [rng.randint(0, N) for _ in range(N)]
        B = [rng.randint(1, N) for _ in range(N)]
        gold = sum(B[i] for i in heaviest_subsequence(A, B))
        return cls(N=N, arrayA=A, arrayB=B, gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if answer and (answer[0] < 0 or answer[-1] >= self.N or not is_increasing(answer)):
            return INVALID
        if not is_non_decreasing(self.arrayA[i] for i in answer):
            return INVALID
        return ratio(sum(self.arrayB[i] for i in answer), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(heaviest_subsequence(self.arrayA, self.arrayB))

    def work(self) -> Work[str]:
        yield "For each index j, find the largest sum of a choice that ends there."
        yield "j can follow an earlier i with A[i] <= A[j]; the best i has the largest sum."
        A, B = self.arrayA, self.arrayB
        chains = yield from extend_chains(B, lambda i, j: A[i] <= A[j])
        cases = [(f"End {j}: {total}", total) for j, (total, _) in enumerate(chains)]
        best = yield from find_best(cases)
        yield state(f"From {best} back through the best ones, in order", chains[best][1])
        return spaced(chains[best][1])


def heaviest_subsequence(A: list[int], B: list[int]) -> list[int]:
    return heaviest_chains(B, lambda i, j: A[i] <= A[j]).heaviest()
