"""Random graphs on the vertices 0 .. n-1, as lists of edges (u, v) or arcs (s, t)."""

from collections.abc import Iterable
from itertools import combinations, permutations
from random import Random

from rlve.algorithms.graphs import Edge, ordered


def edge_count(n: int, density: float) -> int:
    """That share of all edges on n vertices, rounded down."""
    return int(density * n * (n - 1) / 2)


def arc_count(n: int, density: float) -> int:
    """That share of all arcs on n vertices, rounded down."""
    return int(density * n * (n - 1))


def random_arcs(rng: Random, n: int, count: int, *, besides: Iterable[Edge] = ()) -> list[Edge]:
    """Distinct arcs (s, t), s != t, drawn uniformly from those not in `besides`."""
    taken = set(besides)
    return rng.sample([arc for arc in permutations(range(n), 2) if arc not in taken], count)


def random_edges(rng: Random, n: int, count: int, *, besides: Iterable[Edge] = ()) -> list[Edge]:
    """Distinct edges (u, v), u < v, drawn uniformly from those not in `besides`."""
    taken = {ordered(u, v) for u, v in besides}
    return rng.sample([edge for edge in combinations(range(n), 2) if edge not in taken], count)


def random_recursive_tree(rng: Random, n: int) -> list[Edge]:
    """A tree made by adding vertices in random order, each joined to a random earlier one."""
    order = rng.sample(range(n), n)
    return [ordered(order[i], order[rng.randrange(i)]) for i in range(1, n)]


def random_connected_graph(rng: Random, n: int, m: int) -> list[Edge]:
    """A random recursive tree plus random edges, m edges (u < v) in total, in random order."""
    tree = random_recursive_tree(rng, n)
    edges = tree + random_edges(rng, n, max(0, m - len(tree)), besides=tree)
    rng.shuffle(edges)
    return edges
