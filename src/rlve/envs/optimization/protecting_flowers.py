from collections.abc import Iterable
from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work, state


class ProtectingFlowers(Environment[list[int]]):
    """Order tasks so that the sum of their waiting times, weighted by D, is smallest."""

    N: int
    T: list[int]
    D: list[int]
    gold_answer: int  # the smallest total

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        Two arrays T and D have {N} positive integers each, with the indices 1 to {N}:

        {arrays}

        A permutation p[1] to p[{N}] of the integers 1 to {N} has the following value. Let
        S[1] = 0 and S[i] = T[p[1]] + T[p[2]] + ... + T[p[i-1]] for i from 2 to {N}. The value is
        S[1] * D[p[1]] + S[2] * D[p[2]] + ... + S[{N}] * D[p[{N}]].

        Find a permutation whose value is as small as possible. If there are several, any of them is
        right.

        Output format: one line with p[1] to p[{N}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        values = enumerate(zip(self.T, self.D, strict=True), 1)
        return self.fill(arrays=lines(f"T[{i}]={t} D[{i}]={d}" for i, (t, d) in values))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        T, D = ([rng.randint(1, N) for _ in range(N)] for _ in "TD")
        return cls(N=N, T=T, D=D, gold_answer=total(T, D, best_order(T, D)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        return ratio(self.gold_answer, total(self.T, self.D, answer)) ** 5

    def reference(self) -> str:
        return spaced(best_order(self.T, self.D))

    def work(self) -> Work[str]:
        yield "Of two neighbours i and j, the order i j adds T[i] * D[j] to the value, the order"
        yield "j i adds T[j] * D[i]. So i should come first if T[i] * D[j] < T[j] * D[i]."
        yield "Insert one index after the other, from the end as far forward as it should go."
        order: list[int] = []
        for i in range(1, self.N + 1):
            place, steps = len(order), list[str]()
            t, d = self.T[i - 1], self.D[i - 1]
            while place:
                other = order[place - 1]
                mine, its = t * self.D[other - 1], self.T[other - 1] * d
                sign = "<" if mine < its else ">="
                steps.append(
                    f"{t} * {self.D[other - 1]} = {mine} {sign} {its} = {self.T[other - 1]} * {d},"
                    f" {'before' if mine < its else 'after'} {other}"
                )
                if mine >= its:
                    break
                place -= 1
            order.insert(place, i)
            yield f"Insert {i}: {''.join(step + '; ' for step in steps)}{state('order', order)}"
        return spaced(order)


def total(T: list[int], D: list[int], order: Iterable[int]) -> int:
    waiting = value = 0
    for i in order:
        value += waiting * D[i - 1]
        waiting += T[i - 1]
    return value


def best_order(T: list[int], D: list[int]) -> list[int]:
    """Smith's rule: by T / D, as two neighbours in the other order are better swapped."""
    return sorted(range(1, len(T) + 1), key=lambda i: Fraction(T[i - 1], D[i - 1]))
