from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work


class Knapsack(Environment[list[int]]):
    """Choose items of the largest total value whose total weight is within a limit."""

    N: int
    W: list[int]
    V: list[int]
    W_max: int
    gold_answer: int  # the largest total value

    max_difficulty = 25  # at 33, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = (Bars("W", answer="positions"), Bars("V", answer="positions"))

    template = """
        There are {N} items, numbered from 0 to {last}. Item i has weight W[i] and value V[i]:

        {items}

        Choose different items such that their total weight is at most {W_max} and their total value
        is as large as possible. If several choices have the largest value, any of them is right.

        Output format: one line with the numbers of the chosen items, in any order, separated by
        spaces.
        """

    def prompt(self) -> str:
        items = enumerate(zip(self.W, self.V, strict=True))
        return self.fill(
            last=self.N - 1, items=lines(f"W[{i}]={w} V[{i}]={v}" for i, (w, v) in items)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        W = [rng.randint(1, N) for _ in range(N)]
        V = [rng.randint(1, 2 * w) for w in W]
        W_max = rng.randint(min(W), sum(W))
        return cls(N=N, W=W, V=V, W_max=W_max, gold_answer=best_values(W, V, W_max)[N][W_max])

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) != len(answer) or not all(0 <= i < self.N for i in answer):
            return INVALID
        if sum(self.W[i] for i in answer) > self.W_max:
            return INVALID
        return ratio(sum(self.V[i] for i in answer), self.gold_answer) ** 5

    def reference(self) -> str:
        best = best_values(self.W, self.V, self.W_max)
        room = self.W_max
        chosen: list[int] = []
        for i in reversed(range(self.N)):
            if best[i + 1][room] != best[i][room]:
                chosen.append(i)
                room -= self.W[i]
        return spaced(reversed(chosen))

    def work(self) -> Work[str]:
        yield "Write w: v {items} for items of total weight w and value v, and add item by item."
        yield "Drop what is too heavy, and what is not worth more than something at most as heavy."
        best: list[tuple[int, int, list[int]]] = [(0, 0, [])]
        for i, (w, v) in enumerate(zip(self.W, self.V, strict=True)):
            fitting = [
                (weight, value, items) for weight, value, items in best if weight + w <= self.W_max
            ]
            sums = [
                f"{weight} + {w} = {weight + w}: {value} + {v} = {value + v}"
                for weight, value, _ in fitting
            ]
            yield f"With item {i}: {', '.join(sums) or 'nothing fits'}"
            longer = [(weight + w, value + v, [*items, i]) for weight, value, items in fitting]
            ordered = sorted(best + longer, key=lambda way: (way[0], -way[1]))
            best = [way for n, way in enumerate(ordered) if all(way[1] > x[1] for x in ordered[:n])]
            yield "Left: " + ", ".join(
                f"{weight}: {value} {{{spaced(items)}}}" for weight, value, items in best
            )
        _, value, items = best[-1]
        yield f"The largest value is {value}, with items {spaced(items)}"
        return spaced(items)


def best_values(W: list[int], V: list[int], W_max: int) -> list[list[int]]:
    """[n][c]: the largest value of some of the first n items whose weight is at most c."""
    best = [[0] * (W_max + 1)]
    for w, v in zip(W, V, strict=True):
        without = best[-1]
        with_it = [value + v for value in without[: max(0, W_max + 1 - w)]]
        best.append(without[:w] + list(map(max, without[w:], with_it)))
    return best
