from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree, tree_distances
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import random_recursive_tree
from rlve.sampling.rejection import prefer
from rlve.text import indexed, lines, spaced
from rlve.work import Work, find_cover, list_neighbours

UNCOVERED = -0.2


class MinCostTreeCoverage(Environment[list[int]]):
    """Select vertices of a tree at least cost so that required vertices have one nearby.

    A problem that several vertices solve, each on its own, is redrawn.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    covered_vertices: list[int]  # those that must be covered
    D: int
    W: list[int]
    gold_answer: int

    max_difficulty = 35  # at 42, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(values="W", marked="covered_vertices", answer="vertices")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        A selected vertex covers all vertices at a distance of at most {D} from it, itself included;
        the distance between two vertices is the number of edges on the path between them.
        To select vertex i costs W[i]:

        {costs}

        Select distinct vertices such that each of the following vertices is covered by at least one
        of them: {required}

        Vertices outside this list can be selected too, but need not be covered.
        Make the total cost as small as possible. Any cheapest selection is accepted.

        Output format: one line with the selected vertices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            edges=lines(self.edges),
            costs=indexed("W", self.W),
            required=spaced(self.covered_vertices),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_recursive_tree(rng, N)
            depth = RootedTree(edges, edges[0][0]).depth  # the first vertex is on the first edge
            rng.shuffle(edges)
            required = rng.sample(range(N), rng.randint(1, N))
            D = rng.randint(1, max(1, max(depth[v] for v in required) // 2))
            W = [rng.randint(1, N) for _ in range(N)]
            gold = sum(W[v] for v in cheapest_cover(edges, required, D, W))
            return cls(N=N, edges=edges, covered_vertices=required, D=D, W=W, gold_answer=gold)

        return prefer(draw, until=lambda p: sum(p.score([v]) == 1 for v in range(N)) <= 1)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) < len(answer) or not all(0 <= v < self.N for v in answer):
            return INVALID
        outside = -1  # joined to all selected vertices
        depth = RootedTree([*self.edges, *((outside, v) for v in answer)], outside).depth
        if any(depth.get(v, self.N + 1) - 1 > self.D for v in self.covered_vertices):
            return UNCOVERED
        return ratio(self.gold_answer, sum(self.W[v] for v in answer)) ** 3

    def reference(self) -> str:
        return spaced(cheapest_cover(self.edges, self.covered_vertices, self.D, self.W))

    def work(self) -> Work[str]:
        far = tree_distances(self.edges)
        needs = {
            f"vertex {v}": [u for u in range(self.N) if far[v][u] <= self.D]
            for v in self.covered_vertices
        }
        yield from list_neighbours(range(self.N), self.edges)
        near = "; ".join(f"{v} by {spaced(needs[f'vertex {v}'])}" for v in self.covered_vertices)
        yield f"Can be covered, at a distance of at most {self.D}: {near}"
        return spaced((yield from find_cover(needs, dict(enumerate(self.W)))))


def cheapest_cover(edges: list[Edge], required: list[int], D: int, W: list[int]) -> list[int]:
    """A cheapest selection.

    With each vertex assigned to the nearest selected one, the vertices assigned to any one are
    connected. So a vertex is assigned to the same one as its parent, or to the best one for all
    below it.
    """
    tree, far = RootedTree(edges, 0), tree_distances(edges)
    needy = set(required)
    # What the selection below v costs if v is assigned to s, not counting s; None if s is too far.
    cost: dict[int, dict[int, int | None]] = {}
    best: dict[int, tuple[int, int]] = {}  # for v: the cheapest, s included, and s

    def below(v: int, s: int) -> int | None:
        if v in needy and far[v][s] > D:
            return None
        total = 0
        for child in tree.children[v]:
            kept = cost[child][s]
            total += best[child][0] if kept is None else min(kept, best[child][0])
        return total

    for v in reversed(tree.order):
        cost[v] = {s: below(v, s) for s in tree.order}
        best[v] = min((c + W[s], s) for s, c in cost[v].items() if c is not None)
    assigned: dict[int, int] = {}
    for v in tree.order:
        kept = cost[v][assigned[tree.parent[v]]] if v != tree.root else None
        changes = kept is None or best[v][0] < kept
        assigned[v] = best[v][1] if changes else assigned[tree.parent[v]]
    return sorted(set(assigned.values()))
