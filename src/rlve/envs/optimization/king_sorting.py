from collections.abc import Sequence
from random import Random
from typing import Self

import msgspec

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, selection_sort, state


class Pair(msgspec.Struct, frozen=True):
    """A pair of positive integers."""

    index: int  # 0 for the head, which stays in front
    A: int
    B: int


class KingSorting(Environment[list[int]]):
    """Order pairs so that the largest quotient of a prefix product and a divisor is smallest.

    Problems for which it is enough to sort by A or by B are redrawn.
    """

    N: int
    MAX_A_B: int
    array: list[Pair]  # N + 1 of them, by index
    gold_answer: int  # the smallest possible maximum
    reference_answer: str

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} pairs of positive integers (a, b), with the indices 1 to {N}:

        {pairs}

        Arrange them in some order, and call them (A[1], B[1]), (A[2], B[2]), ..., (A[{N}], B[{N}])
        in this order. Let A[0] = {head}. The value of the i-th pair is the product of all A before
        it, from A[0] on, divided by its B and rounded down: floor(A[0] * ... * A[i-1] / B[i]).

        Find an order for which the largest of these {N} values is as small as possible. If there
        are several, any of them is right.

        Output format: one line with a permutation of the integers 1 to {N}, separated by spaces:
        the indices of the pairs in the order in which they are arranged.
        """

    def prompt(self) -> str:
        head, *pairs = self.array
        return self.fill(
            head=head.A, pairs=lines(f"{pair.index}: ({pair.A}, {pair.B})" for pair in pairs)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d), "MAX_A_B": 10}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_A_B: int) -> Self:
        array = prefer(
            lambda: [
                Pair(index=index, A=rng.randint(1, MAX_A_B), B=rng.randint(1, MAX_A_B))
                for index in range(N + 1)
            ],
            until=needs_both,
        )
        best = sorted(array[1:], key=lambda pair: pair.A * pair.B)  # by an exchange argument
        return cls(
            N=N,
            MAX_A_B=MAX_A_B,
            array=array,
            gold_answer=largest_value(array[0].A, best),
            reference_answer=spaced(pair.index for pair in best),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        reached = largest_value(self.array[0].A, [self.array[index] for index in answer])
        return ratio(self.gold_answer, reached) ** 5

    def work(self) -> Work[str]:
        yield "Let Q be the product of all A before two neighbours (a, b) and (c, d)."
        yield (
            "Their values are Q / b and Q * a / d in this order, and Q / d and Q * c / b in "
            "the other."
        )
        yield (
            "If a * b <= c * d, the first two are at most Q * c / b: the smaller product "
            "goes first."
        )
        yield "The other values stay the same, and rounding down keeps the comparison."
        _, *pairs = self.array
        for pair in pairs:
            yield f"{pair.index}: {pair.A} * {pair.B} = {pair.A * pair.B}"
        products = yield from selection_sort([pair.A * pair.B for pair in pairs])
        order = sorted(pairs, key=lambda pair: products.index(pair.A * pair.B))
        yield state("Order by product", (pair.index for pair in order))
        return spaced(pair.index for pair in order)


def needs_both(array: list[Pair]) -> bool:
    """Whether neither sorting by A nor sorting by B is best."""
    head, *pairs = array
    gold = largest_value(head.A, sorted(pairs, key=lambda pair: pair.A * pair.B))
    by_a = largest_value(head.A, sorted(pairs, key=lambda pair: pair.A))
    by_b = largest_value(head.A, sorted(pairs, key=lambda pair: pair.B))
    return gold < min(by_a, by_b)


def largest_value(product: int, pairs: Sequence[Pair]) -> int:
    largest = 0
    for pair in pairs:
        largest = max(largest, product // pair.B)
        product *= pair.A
    return largest
