"""Random trees on consecutive numbers, as lists of edges (u, v) with u < v in random order."""

from random import Random

from rlve.algorithms.graphs import Edge, WeightedEdge
from rlve.sampling.graphs import random_recursive_tree


def random_tree(rng: Random, n: int, *, first: int = 0) -> list[Edge]:
    """A random recursive tree on the n vertices from `first` on."""
    edges = [(u + first, v + first) for u, v in random_recursive_tree(rng, n)]
    rng.shuffle(edges)
    return edges


def random_weighted_tree(
    rng: Random, n: int, lightest: int, heaviest: int, *, first: int = 0
) -> list[WeightedEdge]:
    """A random recursive tree with random weights from lightest to heaviest."""
    tree = random_tree(rng, n, first=first)
    return [(u, v, rng.randint(lightest, heaviest)) for u, v in tree]
