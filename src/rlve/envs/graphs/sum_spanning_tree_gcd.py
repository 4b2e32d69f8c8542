from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge, is_connected
from rlve.algorithms.primes import divisors, totient
from rlve.algorithms.spanning_trees import spanning_tree_count
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import exact_residue
from rlve.sampling.graphs import edge_count, random_edges, random_recursive_tree
from rlve.text import lines

EDGE_DENSITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
MODULI = (666_623_333, 998_244_353, 1_000_000_007)


class SumSpanningTreeGCD(Environment[int]):
    """Sum the greatest common divisors of the edge weights of all spanning trees of a graph."""

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (u, v, w) with 1 <= u < v <= N
    MOD: int
    reference_answer: int

    max_difficulty = 45  # at 55, generating a problem takes too long
    picture = Graph(first=1)

    template = """
        A connected undirected graph has {N} vertices, numbered from 1 to {N}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        A spanning tree is a set of {size} of these edges that connects all {N} vertices.
        Its value is the greatest common divisor of the weights of its {size} edges.
        What is the sum of the values of all different spanning trees of the graph, modulo {MOD}?
        Two spanning trees are different if their sets of edges are.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(size=self.N - 1, edges=lines(self.edges), largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p) >= N - 1]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        common = rng.randint(1, N)
        tree = random_recursive_tree(rng, N)
        others = random_edges(rng, N, edge_count(N, edge_density) - len(tree), besides=tree)
        edges = [(u + 1, v + 1, common * rng.randint(1, N)) for u, v in tree]
        edges += [(u + 1, v + 1, rng.randint(1, N * N)) for u, v in others]
        rng.shuffle(edges)
        MOD = rng.choice(MODULI)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            MOD=MOD,
            reference_answer=sum_of_gcds(N, edges) % MOD,
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def sum_of_gcds(n: int, edges: list[WeightedEdge]) -> int:
    """A number is the sum of the totients of its divisors.

    So each d adds its totient for each spanning tree whose weights are all divisible by d.
    """
    total = 0
    for d in sorted({d for _, _, w in edges for d in divisors(w)}):
        divisible = [(u - 1, v - 1) for u, v, w in edges if w % d == 0]
        if len(divisible) >= n - 1 and is_connected(n, divisible):
            total += totient(d) * spanning_tree_count(n, divisible)
    return total
