from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.tours import cycles
from rlve.answers import integer_rows
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, indexed, spaced
from rlve.work import Work

OTHER_ORDER = -0.2


class SLOElephants(Environment[list[list[int]]]):
    """Reorder a row by swapping pairs of items at the least total cost."""

    N: int
    A: list[int]  # the labels in their present order
    B: list[int]  # and in the order they should have
    C: list[int]  # by label
    gold_answer: int  # the least total cost

    max_difficulty = 45  # at 52, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        {N} items, labelled from 0 to {last}, stand in a row. A[p] is the label of the item at
        position p, and B[p] is the label of the item that shall be there. C[i] is a cost that
        belongs to the item labelled i.

        {A}
        {B}
        {C}

        A swap exchanges the positions of the items labelled i and j, which are two different items
        anywhere in the row, and costs C[i] + C[j].

        Give swaps, to be done one after the other, that turn the order A into the order B.
        Make their total cost as small as possible. Any such swaps are accepted.

        Output format: one swap per line, as the two labels (not positions) i j.
        For example, these two lines swap the items 0 and 1, and then the items 1 and 2:
        0 1
        1 2
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, A=indexed("A", self.A), B=indexed("B", self.B), C=indexed("C", self.C)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A, B = redraw(
            lambda: (rng.sample(range(N), N), rng.sample(range(N), N)),
            until=lambda orders: orders[0] != orders[1],
        )
        C = [rng.randint(1, N) for _ in range(N)]
        return cls(N=N, A=A, B=B, C=C, gold_answer=cost(C, cheapest_swaps(A, B, C)))

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, columns=2)

    def score(self, answer: list[list[int]]) -> float:
        if not all(0 <= i < self.N and 0 <= j < self.N and i != j for i, j in answer):
            return INVALID
        position = {label: p for p, label in enumerate(self.A)}
        for i, j in answer:
            position[i], position[j] = position[j], position[i]
        if any(position[label] != p for p, label in enumerate(self.B)):
            return OTHER_ORDER
        return ratio(self.gold_answer, cost(self.C, answer)) ** 5

    def reference(self) -> str:
        return grid(cheapest_swaps(self.A, self.B, self.C))

    def work(self) -> Work[str]:
        after = dict(zip(self.B, self.A, strict=True))
        links = ", ".join(f"{i} -> {j}" for i, j in after.items())
        yield "In a cycle, each item B[p] is followed by A[p], the item that now has its place."
        yield f"B[p] -> A[p]: {links}"
        yield "A cycle of n items takes n - 1 swaps, each item in at least one. So it costs least"
        yield "if its cheapest item, the carrier, is in all: it swaps with the item whose place it"
        yield "has, the one before it in the cycle, until all are home. The cheapest item of all"
        yield "can carry instead, with two more swaps, in and out. Take the way that costs less."
        lightest = min(after, key=lambda i: (self.C[i], i))
        yield f"Item {lightest} has the least cost of all: {self.C[lightest]}"
        swaps: list[list[int]] = []
        for cycle in cycles([after[label] for label in range(self.N)]):
            if len(cycle) == 1:
                yield f"{cycle[0]} is in place"
                continue
            own = min(cycle, key=lambda i: (self.C[i], i))
            start = cycle.index(own)
            others = (cycle[start + 1 :] + cycle[:start])[::-1]
            alone = [[own, other] for other in others]
            yield f"Cycle {spaced(cycle)}, carrier {own}: {self.shown(alone)}"
            helped = [[own, lightest], *([lightest, i] for i in others), [own, lightest]]
            if own != lightest:
                yield f"With {lightest} swapped in for {own}: {self.shown(helped)}"
            swaps += min(alone, helped, key=lambda way: cost(self.C, way))
        yield "Swaps: " + ", ".join(map(spaced, swaps))
        return grid(swaps)

    def shown(self, swaps: list[list[int]]) -> str:
        """Swaps and what they cost."""
        sums = " + ".join(f"({self.C[i]} + {self.C[j]})" for i, j in swaps)
        return f"{', '.join(map(spaced, swaps))}, cost {sums} = {cost(self.C, swaps)}"


def cost(C: list[int], swaps: list[list[int]]) -> int:
    return sum(C[i] + C[j] for i, j in swaps)


def cheapest_swaps(A: list[int], B: list[int], C: list[int]) -> list[list[int]]:
    """In each cycle of items that take each other's places, one item carries out all the swaps.

    That is the lightest item of the cycle or the lightest of all, swapped in and back out.
    """
    after = dict(zip(B, A, strict=True))  # label -> the label now in its target position
    lightest = min(after, key=lambda i: (C[i], i))
    swaps: list[list[int]] = []
    for cycle in cycles([after[label] for label in range(len(A))]):
        own = min(cycle, key=lambda i: (C[i], i))
        start = cycle.index(own)
        # Only the item whose target the carrier occupies can move, so they move against the cycle.
        others = (cycle[start + 1 :] + cycle[:start])[::-1]
        alone = [[own, other] for other in others]
        helped = [[own, lightest], *([lightest, other] for other in others), [own, lightest]]
        if own != lightest and others and cost(C, helped) < cost(C, alone):
            swaps += helped
        else:
            swaps += alone
    return swaps
