"""Rooted trees, and choices that serve all vertices of a tree or a graph."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from rlve.algorithms.graphs import Edge, WeightedEdge
from rlve.algorithms.trees import RootedTree
from rlve.contract import Work
from rlve.text import spaced

Option = TypeVar("Option", bound=Hashable)


def root_tree(edges: Sequence[Edge] | Sequence[WeightedEdge], root: int) -> Work[RootedTree]:
    """A tree as it hangs from a root: `Root 0. Children: 0 has 1 4; 4 has 2. Leaves: 1 2`."""
    tree = RootedTree(edges, root)
    inner = [v for v in tree.order if tree.children[v]]
    rows = "; ".join(f"{v} has {spaced(tree.children[v])}" for v in inner)
    leaves = spaced(v for v in tree.order if not tree.children[v])
    yield f"Root {root}. Children: {rows}. Leaves: {leaves}"
    return tree


def find_longest_path(edges: Sequence[Edge], start: int) -> Work[list[int]]:
    """A longest path of a tree: from any vertex to a farthest one, and from there to a farthest."""
    tree, last = RootedTree(edges, start), start
    if len(tree.order) == 1:
        yield f"{start} is alone"
        return [start]
    for _ in range(2):
        tree = RootedTree(edges, last)
        last = tree.deepest()
        distances = ", ".join(f"{v} at {tree.depth[v]}" for v in tree.order[1:])
        yield f"From {tree.root}: {distances}; farthest {last}"
    path = tree.path(last)
    yield f"Longest path: {spaced(path)}, edges {len(path) - 1}"
    return path


def find_cover(
    needs: Mapping[str, Sequence[Option]], costs: Mapping[Option, int]
) -> Work[list[Option]]:
    """The cheapest choice that has an option for each need, by trying the options of one need."""
    best: list[Option] = []
    lowest: int | None = None

    def first_left(chosen: list[Option]) -> str | None:
        return next((need for need in needs if not set(needs[need]) & set(chosen)), None)

    def extend(chosen: list[Option], cost: int, left: str) -> Work[None]:
        nonlocal best, lowest
        for option in sorted(needs[left], key=costs.__getitem__):
            longer, total = [*chosen, option], cost + costs[option]
            text = f"{spaced(longer)}: {cost} + {costs[option]} = {total}"
            if lowest is not None and total >= lowest:
                yield f"{text} >= {lowest}, stop"
                break
            if (need := first_left(longer)) is not None:
                yield f"{text}, first left: {need}"
                yield from extend(longer, total, need)
            else:
                best, lowest = longer, total
                yield f"{text}, nothing is left, best so far"

    if (need := first_left([])) is not None:
        yield f"Try all that will do for {need}, the cheapest first; then likewise for the first"
        yield "one left. Stop where the total is not below the best: what follows is no cheaper."
        yield from extend([], 0, need)
    yield f"So the best choice is {spaced(best) or 'none'}"
    return best
