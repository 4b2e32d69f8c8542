from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, selection_sort


class Sorting(Environment[list[int]]):
    """Sort integers in ascending order."""

    N: int
    array: list[int]
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 80  # above, an answer is longer than any that is read
    picture = Bars("array", answer="heights")

    template = """
        Sort these {N} integers in ascending order:

        {array}

        An integer that occurs several times in the list occurs as often in the answer.

        Output format: one line with the {N} sorted integers, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(array=spaced(self.array))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        array = [rng.randint(0, 5 * N) for _ in range(N)]
        gold = sorted(array)
        return cls(N=N, array=array, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N) ** 10

    def work(self) -> Work[str]:
        return spaced((yield from selection_sort(self.array)))
