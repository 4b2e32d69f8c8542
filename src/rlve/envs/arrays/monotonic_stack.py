from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import indexed, spaced
from rlve.work import Work, add_cases


class MonotonicStack(Environment[int]):
    """Count, over all elements, the smaller elements that directly follow them.

    Short arrays have few different answers, so several are drawn, and each of their answers is
    equally likely.
    """

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters
    picture = Bars(first=1)

    template = """
        An array A has {N} integers, numbered from 1 to {N}:

        {A}

        For each i, let C[i] be the number of indices j > i such that all of A[i+1], A[i+2], ...,
        A[j] are strictly smaller than A[i].

        What is C[1] + C[2] + ... + C[{N}]?

        Output format: one integer, the sum.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(1, N) for _ in range(N)]
            return cls(N=N, A=A, reference_answer=followers(A))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Count by j. An earlier element counts for j if it is greater than all after it up to"
        yield "A[j]. So each new element ends those that are not greater; the others count again."
        cases: list[tuple[str, int]] = []
        alive: list[int] = []
        for j, value in enumerate(self.A, 1):
            alive = [a for a in alive if a > value]
            cases.append((f"A[{j}] = {value}, greater: {spaced(alive) or 'none'}", len(alive)))
            alive.append(value)
        return str((yield from add_cases(cases)))


def followers(A: list[int]) -> int:
    """Each element counts once for every earlier element still in sight."""
    in_sight: list[int] = []  # decreasing
    total = 0
    for value in A:
        while in_sight and in_sight[-1] <= value:
            in_sight.pop()
        total += len(in_sight)
        in_sight.append(value)
    return total
