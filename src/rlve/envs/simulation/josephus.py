from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, state


class Josephus(Environment[list[int]]):
    """Give the order in which people leave a circle when every M-th one leaves.

    There are two problems at difficulty 0 and five at 1, and no redraw can change that.
    """

    MAX_N: int
    N: int
    M: int
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 70  # at 85, answers are too long to parse

    template = """
        {N} people stand in a circle, labelled from 1 to {N} in this order; after {N} comes 1 again.

        They count off in this order: person 1 says 1, and each next person in the circle says the
        next number. Whoever says {M} leaves the circle, and the next person who is still there
        starts again with 1. This goes on until nobody is left. (With few people left, one person
        can say several numbers.)

        In which order do the people leave?

        Output format: one line with the {N} labels in the order of leaving, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(3, MAX_N)
        M = rng.randint(2, N)
        order = leaving_order(N, M)
        return cls(MAX_N=MAX_N, N=N, M=M, gold_answer=order, reference_answer=spaced(order))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N) ** 10

    def work(self) -> Work[str]:
        yield f"Write the circle from the next person to count. Whoever says {self.M} leaves."
        circle = list(range(1, self.N + 1))
        left: list[int] = []
        while circle:
            counting = [circle[i % len(circle)] for i in range(self.M)]
            yield f"{state('Circle', circle)}. {state('Counting', counting)}, {counting[-1]} leaves"
            place = (self.M - 1) % len(circle)
            left.append(circle[place])
            circle = circle[place + 1 :] + circle[:place]
        yield state("Left in this order", left)
        return spaced(left)


def leaving_order(N: int, M: int) -> list[int]:
    circle = list(range(1, N + 1))
    order: list[int] = []
    position = 0
    while circle:
        position = (position + M - 1) % len(circle)
        order.append(circle.pop(position))
    return order
