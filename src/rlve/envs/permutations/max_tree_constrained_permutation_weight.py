from fractions import Fraction
from heapq import heapify, heappop, heappush
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import DisjointSets
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import indexed, lines, spaced
from rlve.work import Work, state


class Max_TreeConstrainedPermutation_Weight(Environment[list[int]]):
    """Order elements, some only after others, so that heavy ones come late.

    The order 1, 2, 3, ... obeys all rules; problems for which it is best are redrawn.
    """

    N: int
    W: list[int]
    A: list[int]  # the element, counted from 1, that must come before each; 0 if none
    gold_answer: int  # the largest sum

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        {N} elements, numbered from 1 to {N}, have these weights:

        {weights}

        Some of them must come after others, though not necessarily right after them:

        {rules}

        Find a permutation P[1] to P[{N}] of the elements that keeps these rules and makes
        1 * W[P[1]] + 2 * W[P[2]] + ... + {N} * W[P[{N}]] as large as possible.
        Any such permutation is accepted.

        Output format: one line with P[1] to P[{N}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        rules = [
            f"element {after}: after element {before}" if before else f"element {after}: no rule"
            for after, before in enumerate(self.A, 1)
        ]
        return self.fill(weights=indexed("W", self.W, start=1), rules=lines(rules))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            W = [rng.randint(1, N) for _ in range(N)]
            A = [rng.randrange(element) for element in range(1, N + 1)]
            return cls(N=N, W=W, A=A, gold_answer=weight(W, best_order(W, A)))

        in_order = list(range(1, N + 1))
        return prefer(draw, until=lambda p: weight(p.W, in_order) < p.gold_answer)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        position = {element: i for i, element in enumerate(answer)}
        position[0] = -1
        if any(position[before] > position[after] for after, before in enumerate(self.A, 1)):
            return INVALID
        return ratio(weight(self.W, answer), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_order(self.W, self.A))

    def work(self) -> Work[str]:
        yield "At first, each element is a block, and the result is empty. Of two neighbouring"
        yield "blocks, the one with the smaller average weight is better first. So the block with"
        yield "the least average comes right after the block with the element that it must follow:"
        yield "join these two, again and again. If it need not follow any, or only one in the"
        yield "result, it goes to the end of the result."
        blocks = [[element] for element in range(1, self.N + 1)]
        result: list[int] = []
        while blocks:
            totals = [sum(self.W[element - 1] for element in block) for block in blocks]
            both = list(zip(blocks, totals, strict=True))
            yield "Averages: " + ", ".join(
                f"{spaced(block)}: {total}/{len(block)}"
                if len(block) > 1
                else f"{block[0]}: {total}"
                for block, total in both
            )
            block, total = min(both, key=lambda item: Fraction(item[1], len(item[0])))
            blocks.remove(block)
            before = self.A[block[0] - 1]
            home = next((other for other in blocks if before in other), result)
            if home is result:
                yield f"Least: {spaced(block)}. {state('Result', result + block)}"
            else:
                weight = sum(self.W[element - 1] for element in home)
                yield (
                    f"Least: {spaced(block)}, to follow {before}. {state('Block', home + block)}, "
                    f"weight {weight} + {total} = {weight + total}"
                )
            home += block
        return spaced(result)


def weight(W: list[int], order: list[int]) -> int:
    return sum(i * W[element - 1] for i, element in enumerate(order, 1))


def best_order(W: list[int], A: list[int]) -> list[int]:
    """Horn (1972): of all blocks, the one of least average weight comes as early as allowed.

    So it is glued to the block of its predecessor, and the two continue as one. The blocks start as
    single elements; element 0 comes before all.
    """
    blocks = DisjointSets(len(W) + 1)
    orders = [[element] for element in range(len(W) + 1)]
    weights = [0, *W]
    heap = [(Fraction(w), element) for element, w in enumerate(W, 1)]
    heapify(heap)
    while heap:
        average, block = heappop(heap)
        # A block is known by its first element; entries for earlier states of it are out of date.
        if blocks.find(block) != block or average * len(orders[block]) != weights[block]:
            continue
        before = blocks.find(A[block - 1])
        blocks.join(block, before)
        orders[before] += orders[block]
        weights[before] += weights[block]
        if before:
            heappush(heap, (Fraction(weights[before], len(orders[before])), before))
    return orders[0][1:]
