from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, strong_components
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count
from rlve.text import indexed, lines, spaced
from rlve.work import Work, list_neighbours, state

EDGE_DENSITIES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15)
DOMINATED_PROBABILITIES = (0.3, 0.4, 0.5, 0.6, 0.7)

UNREACHED = -0.3  # the reward of a legal choice that does not reach all vertices


class SpyNetwork(Environment[list[int]]):
    """Choose vertices of minimum total cost from which all others can be reached."""

    N: int
    edge_density: float
    dominated_probability: float
    edges: list[Edge]  # from s to t
    costs: list[int]
    gold_answer: int  # the minimum total cost
    reference_answer: str

    max_difficulty = 25  # at 35, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True, values="costs", answer="vertices")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (s, t): it leads from s to t only.

        {edges}

        Choosing vertex i costs c[i]:
        {costs}

        Choose distinct vertices such that each vertex of the graph is chosen or can be reached,
        along one or more edges, from some chosen vertex.
        Make the total cost of the chosen vertices as small as possible.
        If several choices have the smallest cost, any of them is right.

        Output format: one line with the chosen vertices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, edges=lines(self.edges), costs=lines(indexed("c", self.costs).split())
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        return [
            {"N": N, "edge_density": p, "dominated_probability": q}
            for p in EDGE_DENSITIES
            for q in DOMINATED_PROBABILITIES
            if int(p * N * (N - 1)) > 0
        ]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float, dominated_probability: float) -> Self:
        dominated = [rng.random() < dominated_probability for _ in range(N)]
        possible = [
            (s, t)
            for s in range(N)
            for t in range(N)
            if s != t and (dominated[t] or not dominated[s])
        ]
        edges = rng.sample(possible, min(len(possible), arc_count(N, edge_density)))
        costs = [rng.randint(1, N) for _ in range(N)]
        chosen = cheapest_sources(edges, costs)
        return cls(
            N=N,
            edge_density=edge_density,
            dominated_probability=dominated_probability,
            edges=edges,
            costs=costs,
            gold_answer=sum(costs[v] for v in chosen),
            reference_answer=spaced(chosen),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        chosen = set(answer)
        if len(chosen) != len(answer) or not chosen.issubset(range(self.N)):
            return INVALID
        if reached(self.N, self.edges, answer) != set(range(self.N)):
            return UNREACHED
        return ratio(self.gold_answer, sum(self.costs[v] for v in answer)) ** 3

    def work(self) -> Work[str]:
        near = yield from list_neighbours(range(self.N), self.edges, directed=True)
        reach = {v: sorted(reached(self.N, self.edges, [v])) for v in near}
        yield "Follow the edges. Reached: " + "; ".join(
            f"from {v}: {spaced(others)}" for v, others in reach.items()
        )
        yield "Vertices that reach each other, and that no other reaches, need one choice. All"
        yield "others are reached from such vertices:"
        chosen: list[int] = []
        for v in near:
            sources = [u for u in near if v in reach[u]]
            if any(u < v and u in reach[v] for u in sources):
                continue
            outside = [u for u in sources if u not in reach[v]]
            if outside:
                together = [u for u in sources if u in reach[v]]
                are, they = ("are", "they do") if len(together) > 1 else ("is", "it does")
                which = f"{outside[0]}, which {they} not reach"
                yield f"{spaced(together)} {are} reached from {which}: none needed"
                continue
            best = min(sources, key=self.costs.__getitem__)
            chosen.append(best)
            costs = ", ".join(f"{u} costs {self.costs[u]}" for u in sources)
            if len(sources) == 1:
                yield f"{v} is reached from no other: choose {v}"
            else:
                yield f"{spaced(sources)} are reached from no others: {costs}, choose {best}"
        yield state("Chosen", chosen)
        return spaced(chosen)


def cheapest_sources(edges: list[Edge], costs: list[int]) -> list[int]:
    """The cheapest vertex of each set of mutually reachable vertices that no edge leads into."""
    components = strong_components(len(costs), edges)
    component_of = {v: i for i, component in enumerate(components) for v in component}
    entered = {component_of[t] for s, t in edges if component_of[s] != component_of[t]}
    sources = [component for i, component in enumerate(components) if i not in entered]
    return sorted(min(component, key=lambda v: (costs[v], v)) for component in sources)


def reached(n: int, edges: list[Edge], starts: list[int]) -> set[int]:
    leaving: list[list[int]] = [[] for _ in range(n)]
    for s, t in edges:
        leaving[s].append(t)
    seen = set(starts)
    waiting = list(starts)
    while waiting:
        for t in leaving[waiting.pop()]:
            if t not in seen:
                seen.add(t)
                waiting.append(t)
    return seen
