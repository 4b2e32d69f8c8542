"""Random trees on consecutive numbers, as lists of edges (u, v) with u < v in random order."""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from random import Random
from typing import TypeVar

from rlve.algorithms.graphs import Edge, WeightedEdge, ordered
from rlve.sampling.graphs import random_recursive_tree

T = TypeVar("T")


def random_tree(rng: Random, n: int, *, first: int = 0) -> list[Edge]:
    """A random recursive tree on n vertices, numbered from `first`."""
    edges = [(u + first, v + first) for u, v in random_recursive_tree(rng, n)]
    rng.shuffle(edges)
    return edges


def random_weighted_tree(
    rng: Random, n: int, lightest: int, heaviest: int, *, first: int = 0
) -> list[WeightedEdge]:
    """A random recursive tree with random weights from lightest to heaviest."""
    tree = random_tree(rng, n, first=first)
    return [(u, v, rng.randint(lightest, heaviest)) for u, v in tree]


def random_labelled_tree(rng: Random, n: int) -> list[Edge]:
    """Each of the n^(n-2) trees on 0 .. n-1 is equally likely, for n >= 2 (Pruefer)."""
    code = [rng.randrange(n) for _ in range(n - 2)]
    missing = [1] * n  # edges
    for v in code:
        missing[v] += 1
    leaves = [v for v in range(n) if missing[v] == 1]
    heapify(leaves)
    edges: list[Edge] = []
    for v in code:
        edges.append(ordered(heappop(leaves), v))
        missing[v] -= 1
        if missing[v] == 1:
            heappush(leaves, v)
    edges.append(ordered(*leaves))
    rng.shuffle(edges)
    return edges


def random_binary_tree(
    rng: Random, leaves: int, leaf: Callable[[], T], join: Callable[[T, T], T]
) -> T:
    """Leaves joined in pairs into one value; every size of the left part is equally likely."""
    if leaves == 1:
        return leaf()
    left = rng.randint(1, leaves - 1)
    return join(
        random_binary_tree(rng, left, leaf, join),
        random_binary_tree(rng, leaves - left, leaf, join),
    )
