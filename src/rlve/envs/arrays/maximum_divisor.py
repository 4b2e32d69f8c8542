from bisect import bisect_left
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, show_sum


class MaximumDivisor(Environment[int]):
    """Find the largest divisor for which the quotients of given integers have a large enough sum.

    Short arrays have few different answers, so several are drawn, and each of their answers is
    equally likely.
    """

    N: int
    K: int
    A: list[int]
    reference_answer: int

    max_difficulty = 25  # at 35, a prompt exceeds 32,000 characters

    template = """
        Here are {N} positive integers:

        {A}

        Find the largest positive integer L such that floor(a / L), summed over all {N} integers a
        above, is at least {K}.

        Output format: one integer, the largest L.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d, by=1.2, plus=2)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = rng.randint(1, N * max(1, N // 20))
            A = [rng.randint(1, N) for _ in range(N)]
            A[0] += max(0, K - sum(A))
            rng.shuffle(A)
            return cls(N=N, K=K, A=A, reference_answer=largest_divisor(A, K))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        if quotients(self.A, answer) < self.K:
            return INVALID
        return ratio(answer, self.reference_answer) ** 5

    def work(self) -> Work[str | None]:
        yield "For L above the largest integer, all quotients are 0 when rounded down. So start"
        yield f"with the largest integer and go down, until they add up to at least {self.K}."
        for divisor in range(max(self.A), 0, -1):
            parts = [a // divisor for a in self.A]
            enough = sum(parts) >= self.K
            yield f"L = {divisor}: {show_sum(parts)} {'>=' if enough else '<'} {self.K}"
            if enough:
                return str(divisor)
        return None


def quotients(A: list[int], L: int) -> int:
    return sum(a // L for a in A)


def largest_divisor(A: list[int], K: int) -> int:
    divisors = range(1, max(A) + 1)
    return bisect_left(divisors, True, key=lambda L: quotients(A, L) < K)
