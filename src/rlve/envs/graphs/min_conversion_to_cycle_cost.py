from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import indexed, spaced
from rlve.work import Work, state

NO_CYCLE = -0.2


class MinConversionToCycleCost(Environment[list[int]]):
    """Turn a graph in which one edge leads to each vertex into a single cycle at minimum cost.

    Graphs that are already a single cycle are redrawn. With 3 vertices (d = 0) there are only two
    cycles to choose from.
    """

    N: int
    A: list[int]  # an edge leads from A[i] to i
    C: list[int]  # the cost of changing A[i]
    gold_answer: int  # the minimum cost

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(parents="A", directed=True, values="C")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}. Exactly one edge leads into
        each vertex i; it comes from the vertex A[i]:
        {A}

        You can change any of these numbers. Whatever its new value, changing A[i] costs C[i]:
        {C}

        Change A such that the edges form one single cycle through all {N} vertices, at the
        smallest possible total cost. If several results are best, any of them is right.

        Output format: one line with the final values of A[0] to A[{last}] in this order,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A), C=indexed("C", self.C))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = prefer(
            lambda: [rng.choice([*range(i), *range(i + 1, N)]) for i in range(N)],
            until=lambda drawn: not is_cycle(drawn),
        )
        C = [rng.randint(1, N) for _ in range(N)]
        return cls(N=N, A=A, C=C, gold_answer=change_cost(A, cheapest_cycle(A, C), C))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or not all(0 <= v < self.N for v in answer):
            return INVALID
        if not is_cycle(answer):
            return NO_CYCLE
        return ratio(self.gold_answer, change_cost(self.A, answer, self.C)) ** 3

    def reference(self) -> str:
        return spaced(cheapest_cycle(self.A, self.C))

    def work(self) -> Work[str]:
        if is_cycle(self.A):
            yield state("This is a single cycle already", self.A)
            return spaced(self.A)
        yield "Only one edge out of each vertex can stay: keep the one that is dearest to change."
        leaving = {v: [i for i in range(self.N) if self.A[i] == v] for v in range(self.N)}
        kept: dict[int, int] = {}  # A, where it stays
        for v, ends in leaving.items():
            if ends:
                ends.sort(key=lambda i: -self.C[i])
                kept[ends[0]] = v
                costs = ", ".join(f"to {i} ({self.C[i]})" for i in ends)
                yield f"Out of {v}: {costs}, keep {v}-{ends[0]}"
        for cycle in closed(kept):
            yield f"{spaced([*cycle[::-1], cycle[-1]])} is closed too early. One edge goes;"
            yield "the next dearest out of the same vertex, if there is one, then stays:"
            losses: dict[int, int] = {}
            for i in cycle:
                second = leaving[self.A[i]][1:2]
                losses[i] = self.C[i] - sum(self.C[other] for other in second)
                v = self.A[i]
                instead = "".join(f" - {self.C[x]} = {losses[i]}, with {v}-{x}" for x in second)
                yield f"Without {v}-{i}: {self.C[i]}{instead}"
            cut = min(cycle, key=losses.__getitem__)
            del kept[cut]
            kept.update((other, self.A[cut]) for other in leaving[self.A[cut]][1:2])
            yield f"Least for {self.A[cut]}-{cut}"
        yield state("Kept", (f"{v}-{i}" for i, v in kept.items()))
        order = chain_up(kept, self.N)
        yield state("Link what is kept, end to start, into one cycle", [*order, order[0]])
        result = [order[order.index(i) - 1] for i in range(self.N)]
        yield state(f"So A[0] to A[{self.N - 1}], the one before each", result)
        return spaced(result)


def chain_up(kept: dict[int, int], n: int) -> list[int]:
    """All vertices, with each kept edge from one to the next; `kept` has no cycles."""
    following = {v: i for i, v in kept.items()}
    order: list[int] = []
    for first in range(n):
        at = None if first in kept else first
        while at is not None:
            order.append(at)
            at = following.get(at)
    return order


def is_cycle(A: list[int]) -> bool:
    """Whether going back from i to A[i] leads through all vertices and returns to the first."""
    seen: set[int] = set()
    at = 0
    while at not in seen:
        seen.add(at)
        at = A[at]
    return at == 0 and len(seen) == len(A)


def change_cost(before: list[int], after: list[int], C: list[int]) -> int:
    return sum(cost for x, y, cost in zip(before, after, C, strict=True) if x != y)


def cheapest_cycle(A: list[int], C: list[int]) -> list[int]:
    """The final A of least cost.

    Of the edges out of a vertex, only one can stay: the most expensive. If all edges of a cycle
    would stay, one of them goes, or is replaced by the next most expensive edge out of the same
    vertex. The edges that stay then form paths, and linking these costs nothing more.
    """
    if is_cycle(A):
        return A
    leaving: list[list[int]] = [[] for _ in A]  # where the edges out of each vertex end
    for i in sorted(range(len(A)), key=lambda i: -C[i]):
        leaving[A[i]].append(i)
    kept = {ends[0]: v for v, ends in enumerate(leaving) if ends}  # A, where it stays

    def loss(i: int) -> int:
        return C[i] - sum(C[other] for other in leaving[A[i]][1:2])

    for cycle in closed(kept):
        cut = min(cycle, key=loss)
        del kept[cut]
        for other in leaving[A[cut]][1:2]:
            kept[other] = A[cut]

    following = {v: i for i, v in kept.items()}
    order: list[int] = []
    for first in range(len(A)):
        at = None if first in kept else first
        while at is not None:
            order.append(at)
            at = following.get(at)
    result = [0] * len(A)
    for v, i in zip(order, order[1:] + order[:1], strict=True):
        result[i] = v
    return result


def closed(before: dict[int, int]) -> list[list[int]]:
    """The cycles among the paths and cycles given by each vertex's predecessor."""
    cycles: list[list[int]] = []
    seen: set[int] = set()
    for start in before:
        chain: list[int] = []
        at = start
        while at in before and at not in seen:
            seen.add(at)
            chain.append(at)
            at = before[at]
        if chain and at == start:
            cycles.append(chain)
    return cycles
