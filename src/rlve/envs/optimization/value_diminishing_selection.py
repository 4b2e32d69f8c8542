from collections.abc import Iterable
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work


class ValueDiminishingSelection(Environment[list[int]]):
    """Take items in an order that loses little of their value to items taken before.

    Problems in which nothing can be gained, so that every answer is right, are redrawn.
    """

    N: int
    W: list[int]
    R: list[int]
    gold_answer: int  # the largest total gain

    max_difficulty = 40  # at 47, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} items, numbered from 0 to {last}. Item i has the value W[i] and the factor
        R[i]:

        {items}

        Take some of the items one after the other, each at most once. Taking item i gains W[i]
        minus the sum of R[j] over all items j that were taken before it. A gain can be negative.

        Choose the items and their order such that the total gain is as large as possible. If
        several choices have the largest gain, any of them is right.

        Output format: one line with the numbers of the taken items, in the order in which they are
        taken, separated by spaces.
        """

    def prompt(self) -> str:
        items = enumerate(zip(self.W, self.R, strict=True))
        return self.fill(
            last=self.N - 1, items=lines(f"W[{i}]={w} R[{i}]={r}" for i, (w, r) in items)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            W = [rng.randint(0, N * N // 2) for _ in range(N)]
            R = [rng.randint(1, N) for _ in range(N)]
            return cls(N=N, W=W, R=R, gold_answer=gain(W, R, best_selection(W, R)))

        return prefer(draw, lambda problem: problem.gold_answer > 0)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) != len(answer) or not all(0 <= i < self.N for i in answer):
            return INVALID
        return ratio(max(0, gain(self.W, self.R, answer)), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_selection(self.W, self.R))

    def work(self) -> Work[str]:
        yield "Whatever is taken is best taken by increasing R, so that small losses come first."
        yield "So decide by decreasing R: an item with k taken items after it costs them k * R."
        order = sorted(range(self.N), key=lambda i: -self.R[i])
        yield f"By decreasing R: {', '.join(f'{i} ({self.R[i]})' for i in order)}"
        best: list[tuple[int, list[int]]] = [(0, [])]  # the most for each number of taken items
        for i in order:
            w, r = self.W[i], self.R[i]
            longer = [(value + w - j * r, [i, *later]) for j, (value, later) in enumerate(best)]
            sums = [
                f"{value} + {w} - {j} * {r} = {longer[j][0]}".replace("+ -", "- ")
                for j, (value, _) in enumerate(best)
            ]
            yield f"Item {i} before 0, 1, ... others: {', '.join(sums)}"
            kept = [max(pair) for pair in zip(best[1:], longer, strict=False)]
            best = [best[0], *kept, longer[-1]]
            yield "Best with 0, 1, ... items: " + ", ".join(
                f"{value} {{{spaced(items)}}}" for value, items in best
            )
        value, items = max(best)
        yield f"The largest gain is {value}, with items {spaced(items)}"
        return spaced(items)


def gain(W: list[int], R: list[int], taken: Iterable[int]) -> int:
    total = lost = 0
    for i in taken:
        total += W[i] - lost
        lost += R[i]
    return total


def best_selection(W: list[int], R: list[int]) -> list[int]:
    """The items of the best selection, in the order in which they are taken.

    Whatever is taken is best taken by increasing R, and an item with j items after it costs them j
    * R. So items are considered by decreasing R, and only the number already chosen matters.
    """
    best: list[tuple[int, list[int]]] = [(0, [])]  # by the number of chosen items
    for i in sorted(range(len(W)), key=lambda i: -R[i]):
        extended = [(value + W[i] - j * R[i], [i, *later]) for j, (value, later) in enumerate(best)]
        kept = [max(pair) for pair in zip(best[1:], extended, strict=False)]
        best = [best[0], *kept, extended[-1]]
    return max(best)[1]
