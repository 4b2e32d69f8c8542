from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, state

SHARES = (0.1, 0.2, 0.3, 0.5, 1.0)  # the shares of N that K can be


class Maximum_SubsequenceNum(Environment[list[int]]):
    """Extend a sequence so that it has as many distinct subsequences as possible."""

    N: int  # how many integers to append
    M: int
    K: int
    A: list[int]
    gold_answer: int  # the greatest number of distinct non-empty subsequences
    reference_answer: str

    max_difficulty = 60  # at 72, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        Here is a sequence of {M} integers, each from 0 to {highest}:

        {A}

        Append exactly {N} integers to its end, each from 0 to {highest}, such that the resulting
        sequence of {length} integers has as many distinct non-empty subsequences as possible.

        A subsequence consists of elements, not necessarily adjacent, in their order. Two
        subsequences are the same if their lists of values are equal. If several ways to append
        give the largest number, any of them is right.

        Output format: one line with the {N} appended integers in order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A), highest=self.K - 1, length=self.M + self.N)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(2, d)
        sizes = {2, *(K for share in SHARES if (K := int(N * share)) >= 2)}
        return [{"N": N, "M": N, "K": K} for K in sorted(sizes)]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int, K: int) -> Self:
        A = [rng.randint(0, K - 1) for _ in range(M)]
        appended = best_extension(A, N, K)
        return cls(
            N=N,
            M=M,
            K=K,
            A=A,
            gold_answer=distinct_subsequences(A + appended),
            reference_answer=spaced(appended),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or not all(0 <= value < self.K for value in answer):
            return INVALID
        return ratio(distinct_subsequences(self.A + answer), self.gold_answer) ** 5

    def work(self) -> Work[str]:
        yield "Append v: then as many subsequences end in v as there were in all (with the empty"
        yield "one); the counts for other last values stay. So replace the smallest count, that of"
        yield "the value last used longest ago: the largest stay, and later ones grow with them."
        last = {value: place for place, value in enumerate(self.A, 1)}
        for value in range(self.K):
            yield f"{value}: " + (f"last at place {last[value]}" if value in last else "never")
        order = sorted(range(self.K), key=lambda value: last.get(value, 0))
        yield state("Longest ago first", order)
        yield "After it is appended, a value is the latest, so this order repeats."
        appended = [order[i % self.K] for i in range(self.N)]
        yield state("Appended", appended)
        return spaced(appended)


def distinct_subsequences(values: list[int]) -> int:
    """A value doubles the number, minus the subsequences it was already appended to."""
    count = 1  # the empty one included
    before: dict[int, int] = {}  # the number just before the last occurrence of a value
    for value in values:
        count, before[value] = 2 * count - before.get(value, 0), count
    return count - 1


def best_extension(A: list[int], N: int, K: int) -> list[int]:
    """Append, again and again, the value whose last occurrence is furthest back."""
    last = [-1] * K
    for position, value in enumerate(A):
        last[value] = position
    order = sorted(range(K), key=last.__getitem__)
    return [order[i % K] for i in range(N)]
