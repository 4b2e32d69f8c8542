from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import increasing_lengths, is_permutation
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, spaced
from rlve.work import Work, state

OTHER_LENGTHS = -0.2


class MaxSumLDS(Environment[list[int]]):
    """Find a permutation with given increasing and the longest possible decreasing subsequences."""

    N: int
    A: list[int]  # A[0] is 0
    gold_answer: int  # the largest sum of B

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Bars(first=1)

    template = """
        For a permutation P[1] to P[{N}] of the integers 1 to {N}, let

        - A[i] be the length of the longest strictly increasing subsequence of P that ends at
          position i, that is, whose last element is P[i];
        - B[i] be the length of the longest strictly decreasing subsequence of P that starts at
          position i, that is, whose first element is P[i].

        Both count the element P[i] itself, so they are at least 1. These values are given:

        {lengths}

        Find a permutation P with exactly these values A such that
        B[1] + B[2] + ... + B[{N}] is as large as possible. Any such P is accepted.

        Output format: one line with P[1] to P[{N}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(lengths=indexed("A", self.A[1:], start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        lengths = increasing_lengths(rng.sample(range(N), N))
        return cls(N=N, A=[0, *lengths], gold_answer=sum_of_decreasing(best_permutation(lengths)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        if increasing_lengths(answer) != self.A[1:]:
            return OTHER_LENGTHS
        return ratio(sum_of_decreasing(answer), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_permutation(self.A[1:]))

    def work(self) -> Work[str]:
        yield "P[i] must exceed P[j], for the last earlier j with A[j] = A[i] - 1: put i under j."
        yield "P[i] must also be less than P at every earlier position with the same A."
        under: dict[int, list[int]] = {}
        last = {0: 0}
        for i, length in enumerate(self.A[1:], 1):
            under.setdefault(last[length - 1], []).append(i)
            last[length] = i
        for j, positions in sorted(under.items()):
            yield f"{f'Under {j}' if j else 'At the top, with A = 1'}: {spaced(positions)}"
        yield "Give out the values 1, 2, 3 and so on from the right: to a position, then in the"
        yield "same way to all under it, then to the one to its left. For i < j, P[i] < P[j] then"
        yield "holds only where the rules above force it, so no B[i] can be larger."
        order: list[int] = []
        waiting = under[0][:]
        while waiting:
            position = waiting.pop()
            order.append(position)
            waiting += under.get(position, [])
        yield state("Positions of 1, 2, 3 and so on", order)
        permutation = [order.index(i) + 1 for i in range(1, self.N + 1)]
        yield state("P", permutation)
        return spaced(permutation)


def sum_of_decreasing(P: list[int]) -> int:
    """The sum of the lengths of the longest decreasing subsequences starting at each position."""
    return sum(increasing_lengths(P[::-1]))


def best_permutation(lengths: list[int]) -> list[int]:
    """A permutation with these lengths of increasing subsequences, and long decreasing ones.

    The element at a position must exceed that at the last earlier position whose length is one
    less, and be below those at earlier positions with the same length. The first condition makes
    the positions a tree; numbering it in preorder, later children first, puts the subtree of a
    position above those of its later siblings.
    """
    children: dict[int, list[int]] = {}
    last_with = {0: -1}  # the position before the first has length 0
    for position, length in enumerate(lengths):
        children.setdefault(last_with[length - 1], []).append(position)
        last_with[length] = position
    P = [0] * len(lengths)
    number = 0
    waiting = children[-1][:]
    while waiting:
        position = waiting.pop()  # the latest child
        number += 1
        P[position] = number
        waiting += children.get(position, ())
    return P
