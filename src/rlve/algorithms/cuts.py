"""Partitions of the vertices of a graph with as few edges as possible between the parts.

A partition into k parts is built by joining a vertex to an existing part n - k times, with as many
edges as possible inside parts. More than k parts do no harm, as parts can be merged.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rlve.algorithms.graphs import Edge, neighbour_masks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NARROW = 6  # a frontier of this many vertices has few partitions: 203


def lightest_partition(n: int, edges: Iterable[Edge], k: int) -> list[int]:
    """The part of each vertex, from 0 to k - 1; as few edges as possible are cut.

    Sparse graphs are swept vertex by vertex. In dense ones, one large part with every other vertex
    on its own is usually best; if bounds do not prove that, they are swept as well.
    """
    near = neighbour_masks(n, edges)
    joins = n - k
    order, width = _narrow_order(near)
    large: list[int] = []
    beyond = -1  # inner edges of the best partition known
    if width > NARROW:
        inside = _inner_edges(near)
        most = _most_by_size(n, inside)
        beyond = most[joins + 1]
        large = _one_large(n, inside, joins + 1, beyond)
        if _most_in_several(most, joins) <= beyond:
            return _merged(large, k)
    swept = _swept(near, order, joins, beyond)
    return _merged(large if swept is None else swept, k)


def _narrow_order(near: list[int]) -> tuple[list[int], int]:
    """An order of the vertices and its width.

    The width is the largest number of vertices that, at any one time, have been visited and still
    have unvisited neighbours; the next vertex is always one that leaves the fewest of these.
    """
    n = len(near)
    best: tuple[int, list[int]] | None = None
    for start in range(n):
        order = [start]
        come = 1 << start
        width = 0
        while len(order) < n:
            rest = [v for v in range(n) if not come >> v & 1]
            open_now = [u for u in order if near[u] & ~come]
            sizes = [
                (
                    sum(near[u] & ~come != 1 << v for u in open_now)
                    + bool(near[v] & ~come & ~(1 << v)),
                    -(near[v] & come).bit_count(),
                    v,
                )
                for v in rest
            ]
            size, _, v = min(sizes)
            order.append(v)
            come |= 1 << v
            width = max(width, size)
        if best is None or width < best[0]:
            best = width, order
    return (best[1], best[0]) if best else ([], 0)


Labels: TypeAlias = tuple[int, ...]  # the parts of the frontier, numbered as they occur
Key: TypeAlias = tuple[Labels, int]  # and the number of joins


class _Step(NamedTuple):
    edges: int  # inside the parts so far
    before: Key
    part: int  # of the new vertex, among the labels of the frontier before it


def _swept(near: list[int], order: list[int], joins: int, beyond: int) -> list[int] | None:
    """The parts of a best partition, or None if none has more inner edges than `beyond`.

    Only the partition of the frontier, the vertices with neighbours still to come, matters later.
    """
    position = {v: i for i, v in enumerate(order)}
    earlier = [sum(near[v] >> u & 1 for u in order[: position[v]]) for v in order]
    steps: list[dict[Key, _Step]] = []
    kept: list[list[int]] = []  # for each step, the positions of the frontier that remain
    states: dict[Key, int] = {((), 0): 0}
    frontier: list[int] = []
    come = 0
    for i, v in enumerate(order):
        come |= 1 << v
        widened = [*frontier, v]
        stay = [place for place, u in enumerate(widened) if near[u] & ~come]
        touching = [place for place, u in enumerate(frontier) if near[v] >> u & 1]
        # With this many joins left, no more edges than these can be gained.
        winnable = [0]
        for count in sorted(earlier[i + 1 :], reverse=True):
            winnable.append(winnable[-1] + count)
        step: dict[Key, _Step] = {}
        for key, edges in states.items():
            labels, used = key
            alone = max(labels, default=-1) + 1
            won = [0] * (alone + 1)
            for place in touching:
                won[labels[place]] += 1
            for part in range(alone + 1):
                now = used + (part < alone)
                total = edges + won[part]
                if now > joins:
                    continue
                if total + winnable[min(joins - now, len(winnable) - 1)] <= beyond:
                    continue
                new = _renumbered([*labels, part], stay), now
                if new not in step or step[new].edges < total:
                    step[new] = _Step(total, key, part)
        steps.append(step)
        kept.append(stay)
        states = {key: entry.edges for key, entry in step.items()}
        frontier = [widened[place] for place in stay]
    if not states:
        return None
    key = max(states, key=states.__getitem__)
    chosen: list[int] = []
    for step in reversed(steps):
        chosen.append(step[key].part)
        key = step[key].before
    return _replayed(order, chosen[::-1], kept)


def _renumbered(labels: list[int], places: list[int]) -> Labels:
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(labels[place], len(numbers)) for place in places)


def _replayed(order: list[int], chosen: list[int], kept: list[list[int]]) -> list[int]:
    """The part of each vertex, from the labels chosen step by step."""
    parts = [0] * len(order)
    count = 0
    frontier: list[int] = []  # the parts of its vertices
    for v, label, stay in zip(order, chosen, kept, strict=True):
        distinct = list(dict.fromkeys(frontier))
        if label < len(distinct):
            parts[v] = distinct[label]
        else:
            parts[v] = count
            count += 1
        widened = [*frontier, parts[v]]
        frontier = [widened[place] for place in stay]
    return parts


def _inner_edges(near: list[int]) -> "NDArray[np.int16]":
    """The number of edges inside each set of vertices."""
    import numpy as np

    inside = np.zeros(1, dtype=np.int16)
    for v, mask in enumerate(near):
        to_v = np.zeros(1, dtype=np.int16)
        for u in range(v):
            to_v = np.concatenate([to_v, to_v + np.int16(mask >> u & 1)])
        inside = np.concatenate([inside, inside + to_v])
    return inside


def _sizes(n: int) -> "NDArray[np.int16]":
    """The number of vertices in each set."""
    import numpy as np

    sizes = np.zeros(1, dtype=np.int16)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + np.int16(1)])
    return sizes


def _most_by_size(n: int, inside: "NDArray[np.int16]") -> list[int]:
    """The most edges inside a set of 0, 1, ..., n vertices."""
    low = n // 2
    sets = inside.reshape(-1, 1 << low)  # by their higher and by their lower vertices
    higher, lower = _sizes(n - low), _sizes(low)
    most = [0] * (n + 1)
    for i in range(n - low + 1):
        best = sets[higher == i].max(axis=0)
        for j in range(low + 1):
            most[i + j] = max(most[i + j], int(best[lower == j].max()))
    return most


def _most_in_several(most: list[int], joins: int) -> int:
    """An upper bound on the edges inside two or more parts, which may overlap here."""
    n = len(most) - 1
    best = {(0, 0, 0): 0}  # by the numbers of parts (2 means 2 or more), vertices and joins
    for size in range(2, joins + 1):
        frontier = dict(best)
        while frontier:
            larger: dict[tuple[int, int, int], int] = {}
            for (count, vertices, joined), edges in frontier.items():
                key = min(2, count + 1), vertices + size, joined + size - 1
                total = edges + most[size]
                if key[1] <= n and key[2] <= joins and best.get(key, -1) < total:
                    best[key] = larger[key] = total
            frontier = larger
    return max((edges for (count, _, _), edges in best.items() if count == 2), default=0)


def _one_large(n: int, inside: "NDArray[np.int16]", size: int, edges: int) -> list[int]:
    large = int(((_sizes(n) == size) & (inside == edges)).argmax())
    others = iter(range(1, n))
    return [0 if large >> v & 1 else next(others) for v in range(n)]


def _merged(parts: list[int], k: int) -> list[int]:
    """Exactly k parts, made from at least as many."""
    numbers = {part: i for i, part in enumerate(dict.fromkeys(parts))}
    return [min(numbers[part], k - 1) for part in parts]
