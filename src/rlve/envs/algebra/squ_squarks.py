from collections import Counter
from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.text import spaced


class SquSquarks(Environment[list[int]]):
    """Find distinct integers from the sums of all their pairs.

    There can be several solutions, especially for 4 or 8 integers. Each is right.
    """

    N: int
    sums: list[int]
    reference_answer: str

    max_difficulty = 90  # at 115, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        {N} positive integers, no two of them equal, have {count} sums of two of them, one for each
        pair. In no particular order, these sums are:

        {sums}

        A sum that several pairs have occurs as often in the list. Find the {N} integers. If several
        answers are possible, any of them is right.

        Output format: one line with the {N} integers, in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(count=len(self.sums), sums=", ".join(map(str, self.sums)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        numbers = rng.sample(range(1, 2 * N + 1), N)
        sums = [a + b for a, b in combinations(numbers, 2)]
        rng.shuffle(sums)
        return cls(N=N, sums=sums, reference_answer=spaced(numbers))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or len(set(answer)) != self.N or min(answer) < 1:
            return INVALID
        pair_sums = Counter(a + b for a, b in combinations(answer, 2))
        common = (pair_sums & Counter(self.sums)).total()
        return ratio(common, 2 * len(self.sums) - common) ** 5
