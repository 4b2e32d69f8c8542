from itertools import accumulate, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import cheapest_blocks
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work, state


class WarehouseConstruction(Environment[list[int]]):
    """Choose where to build warehouses when products can only be carried downhill.

    The prompt asks for each index once, so an answer that repeats one is invalid.
    """

    N: int
    D: list[int]  # increasing from 0
    P: list[int]
    C: list[int]
    gold_answer: int  # the smallest total cost

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        {N} factories, numbered from 0 to {last}, lie on a slope from top to bottom. D[i] is the
        distance of factory i from factory 0, P[i] is the number of its products, and C[i] is the
        cost of building a warehouse at it:

        {factories}

        Choose the factories that get a warehouse. Products can only be carried downhill: all
        products of factory i go to the nearest warehouse at a factory j >= i (at its own, if it
        has one), at a cost of P[i] * (D[j] - D[i]). Every factory with P[i] > 0 needs such a
        warehouse; factories without products need none.

        Make the total cost, for building and for carrying, as small as possible. If several choices
        have the smallest cost, any of them is right.

        Output format: one line with the numbers of the factories that get a warehouse, each once,
        in any order, separated by spaces. If none is needed, the answer is empty.
        """

    def prompt(self) -> str:
        values = enumerate(zip(self.D, self.P, self.C, strict=True))
        return self.fill(
            last=self.N - 1,
            factories=lines(f"D[{i}]={d} P[{i}]={p} C[{i}]={c}" for i, (d, p, c) in values),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        D = [0, *sorted(rng.sample(range(1, 2 * N + 1), N - 1))]
        P = [rng.randint(0, N) for _ in range(N)]
        C = [rng.randint(1, 2 * N) for _ in range(N)]
        best = best_warehouses(D, P, C)
        gold = sum(C[i] for i in best) + carrying_cost(D, P, best)
        return cls(N=N, D=D, P=P, C=C, gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        warehouses = sorted(set(answer))
        if len(warehouses) < len(answer) or not all(0 <= i < self.N for i in answer):
            return INVALID
        served = warehouses[-1] + 1 if warehouses else 0
        if any(self.P[served:]):
            return INVALID
        cost = sum(self.C[i] for i in warehouses) + carrying_cost(self.D, self.P, warehouses)
        return ratio(self.gold_answer, cost) ** 5

    def reference(self) -> str:
        return spaced(best_warehouses(self.D, self.P, self.C))

    def work(self) -> Work[str]:
        if not any(self.P):
            yield "No factory has products, so no warehouse is needed."
            return ""
        yield "best(j) is the least cost of the factories 0 to j if j has a warehouse."
        yield "For each possible warehouse before it (none, 0, 1, ...), add its best, the total for"
        yield "carrying to j from the factories in between, and C[j]."
        best, before = {-1: 0}, dict[int, int]()
        for j, c in enumerate(self.C):
            carried, steps = {j: 0}, list[str]()
            for i in range(j - 1, -1, -1):
                carried[i] = carried[i + 1] + self.P[i] * (self.D[j] - self.D[i])
                added = f"{self.P[i]} * ({self.D[j]} - {self.D[i]})"
                steps.append(f"from {i}: {carried[i + 1]} + {added} = {carried[i]}")
            if steps:
                yield f"Carry to {j} {', '.join(steps)}"
            costs = {i: best[i] + carried[i + 1] + c for i in range(-1, j)}
            before[j] = min(costs, key=costs.__getitem__)
            sums = [f"{best[i]} + {carried[i + 1]} + {c} = {cost}" for i, cost in costs.items()]
            best[j] = costs[before[j]]
            yield f"best({j}): {', '.join(sums)}; least {best[j]}, after {name(before[j])}"
        needed = max(i for i in range(self.N) if self.P[i])
        chosen = [min(range(needed, self.N), key=best.__getitem__)]
        yield f"Factory {needed} is the last with products: the last warehouse is there or below."
        yield f"The least of these is {best[chosen[0]]}, at {chosen[0]}"
        while before[chosen[-1]] >= 0:
            chosen.append(before[chosen[-1]])
        yield state("Read back", chosen)
        return spaced(chosen)


def carrying_cost(D: list[int], P: list[int], warehouses: list[int]) -> int:
    """The cost of carrying to the given warehouses, which are in increasing order."""
    return sum(
        P[i] * (D[warehouse] - D[i])
        for before, warehouse in pairwise([-1, *warehouses])
        for i in range(before + 1, warehouse)
    )


def best_warehouses(D: list[int], P: list[int], C: list[int]) -> list[int]:
    """The last factory of each block has a warehouse for all of it, unless it has no products."""
    products = list(accumulate(P, initial=0))
    moments = list(accumulate((d * p for d, p in zip(D, P, strict=True)), initial=0))

    def cost(start: int, stop: int) -> int:
        carried = products[stop] - products[start]
        if not carried:
            return 0
        return C[stop - 1] + D[stop - 1] * carried - (moments[stop] - moments[start])

    blocks = pairwise([0, *cheapest_blocks(len(D), cost)])
    return [stop - 1 for start, stop in blocks if any(P[start:stop])]


def name(factory: int) -> str:
    return "none" if factory < 0 else str(factory)
