from heapq import heapify, heappop, heappush
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import lines, spaced


class FireworkShow(Environment[int]):
    """Change edge lengths as little as possible so that all leaves are equally far from the root.

    The answers of a level are about equally likely; otherwise 0, that of a path, would dominate.
    """

    N: int
    parents: list[tuple[int, int]]  # (parent, length) of the vertices 2, 3, ..., N
    leaves: list[int]
    reference_answer: int

    max_difficulty = 700  # at 865, a prompt exceeds 32,000 characters
    picture = Graph(parents="parents", first=1)

    template = """
        A tree has {N} vertices, numbered from 1 to {N}, and its root is vertex 1. Each line below
        gives a vertex, its parent, and the length of the edge between the two:

        {parents}

        The leaves, the vertices without children, are: {leaves}

        The length of any edge may be changed, up or down, to any integer that is not negative.
        To change a length w to w' costs |w - w'|.

        The distance from the root to a leaf is the sum of the lengths of the edges on the path
        between them. What is the smallest total cost at which all leaves have the same distance
        from the root?

        Output format: one integer, the smallest total cost.
        """

    def prompt(self) -> str:
        rows = [
            f"vertex {v}: parent {parent}, length {length}"
            for v, (parent, length) in enumerate(self.parents, 2)
        ]
        return self.fill(parents=lines(rows), leaves=spaced(self.leaves))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            parents = [(rng.randrange(1, v), rng.randint(1, N)) for v in range(2, N + 1)]
            inner = {parent for parent, _ in parents}
            return cls(
                N=N,
                parents=parents,
                leaves=[v for v in range(1, N + 1) if v not in inner],
                reference_answer=smallest_cost(parents),
            )

        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=20)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def smallest_cost(parents: list[tuple[int, int]]) -> int:
    """The smallest cost; each vertex has a smaller number than its children.

    The cost below a vertex is a convex function of the common distance of its leaves. It is kept as
    a heap of the distances at which its slope rises by one, the largest first. At distance 0, the
    cost is the sum of all lengths.
    """
    bends: list[list[int]] = [[] for _ in range(len(parents) + 2)]  # negated
    children = [0] * len(bends)
    for parent, _ in parents:
        children[parent] += 1
    for v in range(len(parents) + 1, 1, -1):
        parent, length = parents[v - 2]
        heap = bends[v]
        heapify(heap)
        # The edge above can be made longer at cost 1, so no slope above 1 remains. Where the slope
        # was 0, and is now 0 or 1, the edge's own length is added.
        for _ in range(children[v] - 1):
            heappop(heap)
        high, low = (-heappop(heap), -heappop(heap)) if heap else (0, 0)
        heappush(heap, -(high + length))
        heappush(heap, -(low + length))
        bends[parent] += heap
    at_root = sorted(-bend for bend in bends[1])
    falling = at_root[: len(at_root) - children[1]]
    return sum(length for _, length in parents) - sum(falling)
