from bisect import bisect_left
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.rewards import exact
from rlve.text import counted, indexed


class STUWell(Environment[int]):
    """Dig an array down to 0 somewhere so that its largest step is as small as possible."""

    N: int
    X: list[int]
    M: int
    reference_answer: int

    max_difficulty = 300  # at 380, generating a problem takes too long
    picture = Bars("X")

    template = """
        An array X has {N} integers, numbered from 0 to {last}:

        {X}

        One operation decreases one element by 1. You can perform at most {most} in total,
        on any elements, and on the same element as often as you like (it can become negative).
        At the end, at least one element must be exactly 0.

        What is the smallest possible value of the largest of |X[i] - X[i + 1]|, over all i from 0
        to {last_step}, at the end?

        Output format: one integer, that smallest value.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            last_step=self.N - 2,
            X=indexed("X", self.X),
            most=counted(self.M, "operation"),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        X = [rng.randint(1, 4 * N) for _ in range(N)]
        M = rng.randint(min(X), sum(X))
        return cls(N=N, X=X, M=M, reference_answer=smallest_step(X, M))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def smallest_step(X: list[int], M: int) -> int:
    """With steps up to max(X), it is enough to make one minimum 0."""
    return bisect_left(range(max(X)), True, key=lambda step: fewest_operations(X, step) <= M)


def fewest_operations(X: list[int], step: int) -> int:
    """The fewest that make some element 0 and leave no two neighbours more than a step apart.

    Each element stays as high as the others, and the one that is 0, allow.
    """
    highest = list(X)
    for i in range(1, len(X)):
        highest[i] = min(highest[i], highest[i - 1] + step)
    for i in reversed(range(len(X) - 1)):
        highest[i] = min(highest[i], highest[i + 1] + step)
    kept = (
        sum(min(height, step * abs(i - zero)) for i, height in enumerate(highest))
        for zero in range(len(X))
    )
    return sum(X) - max(kept)
