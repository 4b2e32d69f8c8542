from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge, shortest_paths
from rlve.algorithms.search import lightest_cover
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_connected_graph
from rlve.text import counted, lines, spaced
from rlve.work import Work

PERCENTAGES = (2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90)
EDGE_DENSITIES = tuple(percentage / 100 for percentage in PERCENTAGES)


class Vertex_KCenter(Environment[list[int]]):
    """Choose K vertices of a graph so that every vertex is as near as possible to one of them.

    The stored distances are not trusted but computed from the edges.
    """

    N: int
    edge_density: float
    K: int  # centres
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    Floyd: list[list[int]]  # all distances
    reference_answer: str
    gold_answer: int  # the smallest possible distance of the farthest vertex

    max_difficulty = 60  # the search for the minimum takes exponential time
    unique_up_to = None  # several answers can be right
    guessable = (
        "Four vertices, as at difficulty 0, leave at most six choices; often several are best."
    )
    picture = Graph(answer="vertices")

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        The distance of two vertices is the smallest total weight of a path between them; that of
        a vertex and itself is 0.

        Choose exactly {count}. Each vertex of the graph then has a distance to the
        nearest chosen one; make the largest of these distances as small as possible.
        If several choices do that, any of them is right.

        Output format: one line with the chosen vertices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            edges=lines(self.edges),
            count=counted(self.K, "vertex", "distinct vertices"),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p) >= N - 1]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        K = rng.randint(1, N - 1)
        graph = random_connected_graph(rng, N, edge_count(N, edge_density))
        edges = [(u, v, rng.randint(1, N)) for u, v in graph]
        distances = all_distances(N, edges)
        centres = best_centres(distances, K)
        return cls(
            N=N,
            edge_density=edge_density,
            K=K,
            edges=edges,
            Floyd=distances,
            reference_answer=spaced(centres),
            gold_answer=radius(distances, centres),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        chosen = set(answer)
        if len(answer) != self.K or len(chosen) != self.K or not chosen.issubset(range(self.N)):
            return INVALID
        return ratio(self.gold_answer, radius(all_distances(self.N, self.edges), answer)) ** 5

    def work(self) -> Work[str]:
        arcs = self.edges + [(v, u, w) for u, v, w in self.edges]
        yield "Distances from each vertex, nearest first, by an edge or by way of one before:"
        for start in range(self.N):
            found = shortest_paths(arcs, start)
            nearest = sorted(found.distance, key=lambda v: found.distance[v])
            yield f"From {start}: " + ", ".join(
                show_distance(found.to(v)[-2], v, found.distance) for v in nearest if v != start
            )
        distances = all_distances(self.N, self.edges)
        yield f"For each choice, the distances of 0 to {self.N - 1} from the nearest one:"
        smallest, best = -1, list[int]()
        for centres in combinations(range(self.N), self.K):
            nearest = [min(row[c] for c in centres) for row in distances]
            better = smallest < 0 or max(nearest) < smallest
            yield (
                f"{spaced(centres)}: {spaced(nearest)}, largest {max(nearest)}"
                + (", best so far" if better else "")
            )
            if better:
                smallest, best = max(nearest), list(centres)
        yield f"So {spaced(best)} is best, with {smallest}"
        return spaced(best)


def show_distance(before: int, v: int, distance: dict[int, int]) -> str:
    """How far a vertex is, by way of the one before it: `3 at 2 + 5 = 7 by 1`."""
    start, end = distance[before], distance[v]
    return f"{v} at {start} + {end - start} = {end} by {before}" if start else f"{v} at {end}"


def all_distances(n: int, edges: list[WeightedEdge]) -> list[list[int]]:
    arcs = edges + [(v, u, w) for u, v, w in edges]
    distance = [shortest_paths(arcs, s).distance for s in range(n)]
    return [[distance[s][t] for t in range(n)] for s in range(n)]


def radius(distances: list[list[int]], centres: list[int]) -> int:
    return max(min(row[c] for c in centres) for row in distances)


def best_centres(distances: list[list[int]], k: int) -> list[int]:
    """Bisection on the radius: k vertices must reach all others within it."""
    n = len(distances)
    radii = sorted({distance for row in distances for distance in row})
    low, high = 0, len(radii) - 1
    centres = [0]  # reaches all within the largest radius
    while low < high:
        middle = (low + high) // 2
        balls = [
            sum(1 << v for v, distance in enumerate(row) if distance <= radii[middle])
            for row in distances
        ]
        cover = lightest_cover((1 << n) - 1, balls, [1] * n)
        if len(cover) <= k:
            high, centres = middle, cover
        else:
            low = middle + 1
    others = [v for v in range(n) if v not in centres]
    return sorted(centres + others[: k - len(centres)])
