from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, spaced
from rlve.work import Work, state


class MaximumLexicographicalOrderSubsequence(Environment[list[int]]):
    """Find the lexicographically largest subsequence of a given length."""

    N: int
    K: int
    A: list[int]
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters

    template = """
        An array A has {N} integers, numbered from 0 to {last}:

        {A}

        A subsequence consists of elements at indices i1 < i2 < ..., not necessarily adjacent, in
        this order. Among all subsequences of exactly {K} elements, find the lexicographically
        largest one: the one with the largest first element, among these the one with the largest
        second element, and so on.

        Output format: one line with the {K} values (not the indices) of this subsequence in order,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(2, N - 1)
        A = [rng.randint(1, N) for _ in range(N)]
        gold = largest_subsequence(A, K)
        return cls(N=N, K=K, A=A, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.K or not is_subsequence(answer, self.A):
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.K) ** 5

    def work(self) -> Work[str]:
        yield "Choose one after the other: the largest that leaves enough elements after it, and of"
        yield "equal ones the first, as it leaves the most to choose from."
        chosen: list[int] = []
        start = 0
        while len(chosen) < self.K:
            missing = self.K - len(chosen) - 1
            options = self.A[start : self.N - missing]
            i = start + options.index(max(options))
            chosen.append(self.A[i])
            yield f"{missing} must follow: choose from {spaced(options)}, take A[{i}] = {self.A[i]}"
            start = i + 1
        yield state("Chosen", chosen)
        return spaced(chosen)


def is_subsequence(part: list[int], whole: list[int]) -> bool:
    rest = iter(whole)
    return all(value in rest for value in part)


def largest_subsequence(A: list[int], K: int) -> list[int]:
    """Remove elements followed by a larger one, as long as enough are left."""
    kept: list[int] = []
    removable = len(A) - K
    for value in A:
        while kept and kept[-1] < value and removable > 0:
            kept.pop()
            removable -= 1
        kept.append(value)
    return kept[:K]
