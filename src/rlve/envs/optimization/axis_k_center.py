from itertools import accumulate, combinations, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import cheapest_split
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work


class Axis_KCenter(Environment[list[int]]):
    """Choose points on a line so that the total distance to the nearest of them is smallest."""

    N: int
    K: int
    X: list[int]  # increasing
    gold_answer: int  # the smallest possible sum of distances

    guessable = "With four points (d = 0), the same ones are best for most positions."

    max_difficulty = 25  # at 35, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars("X", answer="positions")

    template = """
        {N} points, numbered from 0 to {last}, lie on a line. Their positions, from left to
        right, are:

        {X}

        Choose exactly {K} of these points. The cost of a choice is the sum, over all {N} points, of
        the distance to the nearest chosen point (which is 0 for a chosen point). Make the cost as
        small as possible. If several choices have the smallest cost, any of them is right.

        Output format: one line with the numbers of the chosen points, in any order, separated by
        spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, X=spaced(self.X))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(1, N - 1)
        X = sorted(rng.sample(range(5 * N + 1), N))
        return cls(N=N, K=K, X=X, gold_answer=cost(X, best_choice(X, K)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.K or len(set(answer)) != self.K:
            return INVALID
        if not all(0 <= i < self.N for i in answer):
            return INVALID
        return ratio(self.gold_answer, cost(self.X, answer)) ** 5

    def reference(self) -> str:
        return spaced(best_choice(self.X, self.K))

    def work(self) -> Work[str]:
        yield "Try all choices, and add up the distances of the points to the nearest chosen one."
        for i, x in enumerate(self.X[:-1]):
            steps = (f"{y} - {x} = {y - x}" for y in self.X[i + 1 :])
            yield f"From {i} to those after it: {', '.join(steps)}"
        best: tuple[int, tuple[int, ...]] | None = None
        for chosen in combinations(range(self.N), self.K):
            distances = [min(abs(x - self.X[i]) for i in chosen) for x in self.X]
            total = sum(distances)
            line = f"{spaced(chosen)}: {' + '.join(map(str, distances))} = {total}"
            if best is None or total < best[0]:
                line += ", the least so far"
                best = total, chosen
            yield line
        if best is None:
            return ""
        yield f"The smallest cost is {best[0]}, with {spaced(best[1])}"
        return spaced(best[1])


def cost(X: list[int], chosen: list[int]) -> int:
    return sum(min(abs(x - X[i]) for i in chosen) for x in X)


def best_choice(X: list[int], K: int) -> list[int]:
    """The medians of K groups of neighbouring points with the smallest total distance to them."""
    sums = list(accumulate(X, initial=0))

    def cost_of_group(start: int, stop: int) -> int:
        left, right = (start + stop) // 2, (start + stop + 1) // 2  # without the middle, if odd
        return (sums[stop] - sums[right]) - (sums[left] - sums[start])

    ends = cheapest_split(len(X), K, cost_of_group)
    return [(start + stop) // 2 for start, stop in pairwise([0, *ends])]
