from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import inversions
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, add_cases, prefix_sums


class BoundedMeanSubarrayCounting(Environment[int]):
    """Count the subarrays whose mean is at least a bound.

    In short arrays, too many bounds are reached by all subarrays or by only one, so several
    problems are drawn, and each of their answers is equally likely.
    """

    N: int
    A: list[int]
    K: int
    reference_answer: int

    max_difficulty = 60  # at 72, a prompt exceeds 32,000 characters
    picture = Bars()

    template = """
        Here is an array of {N} integers:

        {A}

        How many of its non-empty contiguous subarrays have an arithmetic mean of at least {K}?
        Subarrays at different positions count separately, even if their elements are equal.

        Output format: one integer, the number of subarrays.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(0, N) for _ in range(N)]
            K = rng.randint(min(A), max(A))
            return cls(N=N, A=A, K=K, reference_answer=count_subarrays(A, K))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield f"A mean of at least {self.K} is a sum of at least 0 once {self.K} is taken off each."
        rest = [a - self.K for a in self.A]
        yield ", ".join(f"{a} - {self.K} = {a - self.K}" for a in self.A)
        yield "P[j] is the sum of the first j. From i + 1 to j the sum is P[j] - P[i]."
        sums = yield from prefix_sums(rest)
        yield "For each j, count the i < j with P[i] <= P[j]."
        cases: list[tuple[str, int]] = []
        for j in range(1, self.N + 1):
            starts = [i for i in range(j) if sums[i] <= sums[j]]
            cases.append((f"P[{j}] = {sums[j]}: i = {spaced(starts) or 'none'}", len(starts)))
        return str((yield from add_cases(cases)))


def count_subarrays(A: list[int], K: int) -> int:
    """The mean is below K if the sum of the excesses over K is negative.

    So such subarrays are the inversions of the prefix sums of the excesses.
    """
    sums = list(accumulate((a - K for a in A), initial=0))
    return len(A) * (len(A) + 1) // 2 - inversions(sums)
