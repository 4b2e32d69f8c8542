from itertools import pairwise
from random import Random
from typing import Self, TypeAlias, TypedDict

from rlve import Environment, Level
from rlve.algorithms.flows import Network
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count, random_arcs
from rlve.text import lines, spaced

EDGE_DENSITIES = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)

Arc: TypeAlias = tuple[int, int, int, int]


class Optimum(TypedDict):
    """The maximum flow and its least cost."""

    flow: int
    cost: int


class MinimumCost_MaximumFlow(Environment[list[int]]):
    """Send as much flow as possible through a network, at the least cost for that flow.

    By the schedule, the lowest densities leave no more than one path.
    """

    N: int
    edge_density: float
    edges: list[Arc]  # (s, t, c, w): from s to t, with capacity c and cost w per unit
    reference_answer: str
    gold_answer: Optimum

    max_difficulty = 20  # at 25, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True)

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}. Vertex 0 is the source, and
        vertex {last} is the sink. Each line below is one edge (s, t, c, w): it leads from s to t
        only, has capacity c, and costs w per unit of flow.

        {edges}

        Give every edge a flow, an integer from 0 to its capacity, such that at every vertex other
        than the source and the sink the flow that comes in equals the flow that goes out.
        The total flow is what leaves the source; the total cost is the sum of flow times w over
        all edges. Make the total flow as large as possible and, among all ways to do that, the
        total cost as small as possible. If several ways are best, any of them is right.

        Output format: one line with {count} integers, separated by spaces: the flow of each edge,
        in the order in which the edges are listed above.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges), count=len(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d), "edge_density": p} for p in EDGE_DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        inner = rng.sample(range(1, N - 1), rng.randint(2, min(5, N - 1)) - 1)
        path = list(pairwise([0, *inner, N - 1]))
        edges = [(s, t, rng.randint(5, 10), rng.randint(1, 10)) for s, t in path]
        backwards = [(v, 0) for v in range(1, N)] + [(N - 1, v) for v in range(1, N - 1)]
        free = N * (N - 1) - len(backwards) - len(path)
        missing = min(free, max(0, arc_count(N, edge_density) - len(path)))
        others = random_arcs(rng, N, missing, besides=[*path, *backwards])
        edges += [(s, t, rng.randint(1, 10), rng.randint(1, 10)) for s, t in others]
        rng.shuffle(edges)

        network = Network(N)
        arcs = [network.add(*edge) for edge in edges]
        best = network.send_cheapest(0, N - 1)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            reference_answer=spaced(map(network.flow, arcs)),
            gold_answer={"flow": best.value, "cost": best.cost},
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, count=len(self.edges))

    def score(self, answer: list[int]) -> float:
        surplus = [0] * self.N
        cost = 0
        for flow, (s, t, capacity, price) in zip(answer, self.edges, strict=True):
            if not 0 <= flow <= capacity:
                return INVALID
            surplus[s] -= flow
            surplus[t] += flow
            cost += flow * price
        if any(surplus[1:-1]):
            return INVALID
        total = surplus[-1]
        reward = 0.5 * ratio(total, self.gold_answer["flow"]) ** 5
        if total == self.gold_answer["flow"]:
            reward += 0.5 * ratio(self.gold_answer["cost"], cost) ** 5
        return reward
