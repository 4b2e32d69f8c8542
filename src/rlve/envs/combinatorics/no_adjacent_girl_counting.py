from math import factorial, perm
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import redraw


class NoAdjacentGirlCounting(Environment[int]):
    """Count the queues without two neighbouring girls or two neighbouring teachers."""

    MAX_N_M: int
    N: int  # boys
    M: int  # girls
    reference_answer: int

    max_difficulty = 35  # at 42, answers are too long to parse

    template = """
        Boys, girls and teachers form a queue, one behind the other. The number of boys is {N}, that
        of girls {M}, and that of teachers 2. All of them are distinct persons.

        Count the orders of all {people} persons in which no two girls stand directly next to each
        other, and the two teachers do not stand directly next to each other either.

        Output format: one integer, the exact count.
        """

    def prompt(self) -> str:
        return self.fill(people=self.N + self.M + 2)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = redraw(
            lambda: (rng.randint(1, MAX_N_M), rng.randint(1, MAX_N_M)),
            until=lambda numbers: count_queues(*numbers) > 0,
        )
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, reference_answer=count_queues(N, M))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def count_queues(N: int, M: int) -> int:
    """Girls go into different gaps between the others, in queues with the teachers apart."""
    together = 2 * factorial(N + 1) * perm(N + 2, M)
    return factorial(N + 2) * perm(N + 3, M) - together
