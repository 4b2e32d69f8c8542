from math import factorial, perm
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import redraw
from rlve.text import counted, spaced
from rlve.work import Work, multiply, multiply_all, subtract


class NoAdjacentGirlCounting(Environment[int]):
    """Count the queues without two neighbouring girls or two neighbouring teachers."""

    MAX_N_M: int
    N: int  # boys
    M: int  # girls
    reference_answer: int

    max_difficulty = 35  # at 42, answers are too long to parse

    template = """
        {boys}, {girls} and 2 teachers form a queue, one behind the other. All of them are distinct
        persons.

        Count the orders of all {people} persons in which no two girls stand directly next to each
        other, and the two teachers do not stand directly next to each other either.

        Output format: one integer, the exact count.
        """

    def prompt(self) -> str:
        return self.fill(
            boys=counted(self.N, "boy"),
            girls=counted(self.M, "girl"),
            people=self.N + self.M + 2,
        )

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

    def work(self) -> Work[str]:
        N, M = self.N, self.M
        yield "Line up the boys and teachers. Then put the girls into different gaps around them."
        yield "Take away the queues in which the teachers are together, as if they were one person."
        counts: list[int] = []
        for line in (N + 2, N + 1):
            yield f"{N} + {line - N} = {line} in line, {line} + 1 = {line + 1} gaps"
            people, gaps = range(line, 0, -1), range(line + 1, line + 1 - M, -1)
            yield f"Choices for the line {spaced(people)}, for the girls {spaced(gaps)}"
            counts.append((yield from multiply_all([*people[:-1], *gaps])))
        yield "The teachers together have 2 orders."
        together = yield from multiply(2, counts[1])
        total = yield from subtract(counts[0], together)
        yield f"So the count is {total}"
        return str(total)


def count_queues(N: int, M: int) -> int:
    """Girls go into different gaps between the others, in queues with the teachers apart."""
    together = 2 * factorial(N + 1) * perm(N + 2, M)
    return factorial(N + 2) * perm(N + 3, M) - together
