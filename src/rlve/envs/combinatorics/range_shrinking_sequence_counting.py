from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.text import indexed


class RangeShrinkingSequenceCounting(Environment[int]):
    """Count the sequences whose elements stay between the neighbours of the element before.

    MOD is at least 1000 so that residues cannot be guessed.
    """

    N: int
    R: list[int]
    MOD: int
    reference_answer: int

    max_difficulty = 50  # at 65, generating a problem takes too long

    template = """
        Count the sequences of {N} integers A[1] to A[{N}] that satisfy both conditions:

        1. 1 <= A[i] <= R[i] for each i, with these bounds:
           {R}
        2. For each i >= 3, consider the elements before A[i-1], that is, A[1], ...,
           A[i-2]. If some of them are >= A[i-1], then A[i] is at most the smallest of these. If
           some of them are <= A[i-1], then A[i] is at least the largest of these. (An element
           that is equal to A[i-1] belongs to both groups; an empty group sets no bound.)

        Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(R=indexed("R", self.R, start=1), largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        planted = [rng.randint(1, N), rng.randint(1, N)]
        low, high = 1, N
        while len(planted) < N:
            before, last = planted[-2:]
            if before >= last:
                high = last
            if before <= last:
                low = last
            planted.append(rng.randint(low, high))
        R = [rng.randint(value, N) for value in planted]
        MOD = rng.randint(1000, 10**6)
        return cls(N=N, R=R, MOD=MOD, reference_answer=count_sequences(R) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def count_sequences(R: list[int]) -> int:
    """The number of sequences, in O(len(R) * max(R)^3) steps.

    Among the elements before the last one, its neighbours in value are low < last < high, where 0
    and max(R) + 1 stand for none; no other element lies between low and high. The next element
    splits that range again, or equals one of the three, and then all later ones equal it as well.
    """
    top = max(R) + 1
    ways = [[0] * (top + 1) for _ in range(top + 1)]  # [low][high], the same for each last element
    ways[0][top] = 1
    frozen = [0] * (top + 1)  # by the value that all later elements have
    for bound, next_bound in pairwise(R):
        splits = [[0] * (top + 1) for _ in range(top + 1)]
        repeats = [0] * (top + 1)
        for low in range(top):
            for high in range(low + 2, top + 1):
                number = ways[low][high]
                lasts = range(low + 1, min(bound, high - 1) + 1)
                for last in lasts if number else ():
                    splits[low][last] += number
                    splits[last][high] += number
                    repeats[last] += number
                repeats[low] += number * len(lasts)
                repeats[high] += number * len(lasts)
        ways = splits
        frozen = [
            frozen[value] + repeats[value] if 1 <= value <= next_bound else 0
            for value in range(top + 1)
        ]
    free = sum(
        ways[low][high] * len(range(low + 1, min(R[-1], high - 1) + 1))
        for low in range(top)
        for high in range(low + 1, top + 1)
    )
    return free + sum(frozen)
