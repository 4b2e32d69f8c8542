from itertools import accumulate, pairwise
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.algorithms.arrays import cheapest_blocks, is_permutation
from rlve.answers import integer_rows
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, redraw
from rlve.text import grid, lines

Items: TypeAlias = list[tuple[int, int]]
"""W and L of each item."""


class LandAcquisition(Environment[list[list[int]]]):
    """Group items at the smallest cost, where a group costs the product of two maxima.

    Problems solved by one group, two groups or groups of single items are redrawn. For large N
    these are almost all uniform problems, so items with small products are used instead.
    """

    N: int
    W: list[int]
    L: list[int]
    gold_answer: int  # the smallest total cost

    max_difficulty = 35  # at 45, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} items, numbered from 1 to {N}. Item i has two positive integers W[i] and L[i]:

        {items}

        Divide the items into groups, as many as you like, such that each item is in exactly one
        group. A group costs (the largest W in it) * (the largest L in it); the two can be those of
        different items. Make the total cost of the groups as small as possible. If several ways
        have the smallest cost, any of them is right.

        Output format: one line per group, each with the numbers of the items of the group,
        separated by spaces. The order of the groups, and of the items in a group, does not matter.
        """

    def prompt(self) -> str:
        items = enumerate(zip(self.W, self.L, strict=True), start=1)
        return self.fill(items=lines(f"W[{i}]={w} L[{i}]={length}" for i, (w, length) in items))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 4}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def uniform() -> Items:
            values = rng.choices(range(1, N * N + 1), k=2 * N)
            return list(zip(values[:N], values[N:], strict=True))

        def small_products() -> Items:
            return [random_item_of_small_product(rng, N * N) for _ in range(N)]

        items = prefer(uniform, until=is_hard, tries=5_000)
        if not is_hard(items):
            items = redraw(small_products, until=is_hard)
        W, L = [w for w, _ in items], [length for _, length in items]
        return cls(N=N, W=W, L=L, gold_answer=cost(items, best_groups(items)))

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text)

    def score(self, answer: list[list[int]]) -> float:
        numbers = [number for group in answer for number in group]
        if not is_permutation(numbers, self.N, first=1):
            return INVALID
        return ratio(self.gold_answer, cost(self.items, answer)) ** 5

    def reference(self) -> str:
        return grid(best_groups(self.items))

    @property
    def items(self) -> Items:
        return list(zip(self.W, self.L, strict=True))


def random_item_of_small_product(rng: Random, high: int) -> tuple[int, int]:
    """Two integers whose product is at most `high`."""
    a = rng.randint(1, rng.randint(1, high))
    b = rng.randint(1, high // a)
    return (a, b) if rng.random() < 0.5 else (b, a)


def cost(items: Items, groups: list[list[int]]) -> int:
    """The total cost of groups of items, which are numbered from 1."""
    return sum(
        max(items[i - 1][0] for i in group) * max(items[i - 1][1] for i in group)
        for group in groups
    )


def staircase(items: Items) -> list[int]:
    """The numbers of items, by ascending W and descending L, so that every other item fits one.

    An item fits another, and joins its group for free, if neither its W nor its L is larger.
    """
    stairs: list[int] = []
    highest = 0
    for i in sorted(range(len(items)), key=items.__getitem__, reverse=True):
        if items[i][1] > highest:
            highest = items[i][1]
            stairs.append(i + 1)
    return stairs[::-1]


def best_groups(items: Items) -> list[list[int]]:
    """The groups with the smallest total cost: each takes neighbouring items of the staircase."""
    stairs = staircase(items)
    W = [items[i - 1][0] for i in stairs]
    L = [items[i - 1][1] for i in stairs]
    ends = cheapest_blocks(len(stairs), lambda start, stop: W[stop - 1] * L[start])
    blocks = list(pairwise([0, *ends]))
    groups = [stairs[start:stop] for start, stop in blocks]
    for i, (w, length) in enumerate(items, start=1):
        if i not in stairs:
            fits = [w <= W[stop - 1] and length <= L[start] for start, stop in blocks]
            groups[fits.index(True)].append(i)
    return groups


def is_hard(items: Items) -> bool:
    """Whether neither one group nor two groups nor groups of single items are best."""
    if len(staircase(items)) < 3:  # then one or two groups are best
        return False
    gold = cost(items, best_groups(items))
    ordered = sorted(items)
    L = [length for _, length in ordered]
    largest_up_to = list(accumulate(L, max))
    largest_from = list(accumulate(reversed(L), max))[::-1]
    widest = ordered[-1][0]
    two = (
        ordered[i][0] * largest_up_to[i] + widest * largest_from[i + 1]
        for i in range(len(items) - 1)
    )
    return gold < min(widest * largest_from[0], sum(w * length for w, length in items), *two)
