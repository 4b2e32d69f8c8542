from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import divisor_counts_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to


class Sum_DivisorNum(Environment[int]):
    """Sum the numbers of divisors of all integers in an interval."""

    MAX_R: int
    R: int
    L: int
    reference_answer: int

    max_difficulty = 60  # at 70, generating a problem takes too long

    template = """
        Let d(n) be the number of positive divisors of n, 1 and n included.

        Compute the sum of d(i) over all integers i with {L} <= i <= {R}.

        Output format: one positive integer, the sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_R": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_R: int) -> Self:
        R = rng.randint(2, MAX_R)
        L = rng.randint(1, R)
        total = divisor_counts_to(R) - divisor_counts_to(L - 1)
        return cls(MAX_R=MAX_R, R=R, L=L, reference_answer=total)

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        before = self.L - 1
        yield f"Count by divisor: t divides {self.R} // t of the integers from 1 to {self.R}."
        if before:
            yield f"Take away those below {self.L}, from 1 to {self.L} - 1 = {before}."
        total = 0
        for t in range(1, self.R + 1):
            here = self.R // t - before // t
            less = f" - {before} // {t}" if before >= t else ""
            total = yield from add_to(total, here, f"t = {t}: {self.R} // {t}{less} = {here}")
        yield f"So the sum is {total}"
        return str(total)
