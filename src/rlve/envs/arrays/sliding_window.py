from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import MonotoneQueue
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, state


class SlidingWindow(Environment[list[int]]):
    """Find the minimum of each window of a fixed length."""

    N: int
    K: int
    A: list[int]
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 60  # at 70, a prompt exceeds 32,000 characters
    picture = Bars()

    template = """
        Here are {N} integers:

        {A}

        A window consists of {K} consecutive integers of this list, so that there are {windows}
        windows. Find the minimum of each window, from the leftmost window to the rightmost one.

        Output format: one line with the {windows} minima in order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A), windows=self.N - self.K + 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(2, N - 1)
        A = [rng.randint(-(N // 20), N) for _ in range(N)]
        gold = window_minima(A, K)
        return cls(N=N, K=K, A=A, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != len(self.gold_answer):
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, len(answer)) ** 10

    def work(self) -> Work[str]:
        minima: list[int] = []
        for start in range(self.N - self.K + 1):
            window = self.A[start : start + self.K]
            minima.append(min(window))
            yield f"{state(f'Window {start + 1}', window)}, minimum {minima[-1]}"
        return spaced(minima)


def window_minima(A: list[int], K: int) -> list[int]:
    window = MonotoneQueue()
    minima: list[int] = []
    for i, value in enumerate(A):
        window.push(i, value)
        window.drop(i - K + 1)
        minima.append(window.least()[0])
    return minima[K - 1 :]
