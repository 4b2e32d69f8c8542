"""Rooted spanning trees whose edges cost more the deeper they are."""

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import NamedTuple

from rlve.algorithms.bits import set_bits
from rlve.algorithms.graphs import Edge, WeightedEdge

FAR = 1 << 60


class DepthWeightedTree(NamedTuple):
    cost: int
    root: int
    edges: list[Edge]  # (parent, child), parents before their children


class _State(NamedTuple):
    """A tree complete down to a certain depth, and decisions about the next layer.

    Sets of vertices are masks.
    """

    layers: tuple[int, ...]  # the vertices of each depth
    placed: int  # all of these
    cost: int  # of the edges to them
    near: list[int]  # the weight of the lightest edge from them to each vertex
    next: int  # vertices that are in the next layer
    later: int  # vertices next to `placed` that are in a later one


class _Estimate(NamedTuple):
    bound: int  # no completion of the state costs less
    next: int  # vertices that are best in the next layer, whatever the others do
    open: int | None  # a vertex to decide about, if there is one
    depth: list[int]  # the least possible depth of each vertex


def cheapest_depth_weighted_tree(n: int, edges: Iterable[WeightedEdge]) -> DepthWeightedTree:
    """A root and a spanning tree with the smallest sum, over the edges, of weight times depth.

    The depth of an edge is that of its deeper end, and a root has depth 0. Weights are >= 0.
    Best-first search, layer by layer and, in a layer, vertex by vertex (in it or deeper?).
    """
    graph = _Graph(n, edges)
    layers = graph.cheapest_layers()
    depths = {v: depth for depth, layer in enumerate(layers) for v in set_bits(layer)}
    tree: list[Edge] = []
    cost = 0
    for layer in layers[1:]:
        for v in set_bits(layer):
            weight, parent = min((w, u) for u, w in graph.links[v] if depths[u] < depths[v])
            tree.append((parent, v))
            cost += weight * depths[v]
    return DepthWeightedTree(cost, next(set_bits(layers[0])), tree)


class _Graph:
    def __init__(self, n: int, edges: Iterable[WeightedEdge]) -> None:
        self.all = (1 << n) - 1
        self.links: list[list[tuple[int, int]]] = [
            [] for _ in range(n)
        ]  # (neighbour, weight), lightest first
        self.neighbours = [0] * n
        for u, v, w in edges:
            for s, t in ((u, v), (v, u)):
                self.links[s].append((t, w))
                self.neighbours[s] |= 1 << t
        for links in self.links:
            links.sort(key=lambda link: link[1])

    def cheapest_layers(self) -> tuple[int, ...]:
        waiting: list[tuple[int, int, int, bool, _State, _Estimate]] = []
        cheapest: dict[tuple[int, int], int] = {}  # by the vertices placed and their depth
        made = 0

        def add(state: _State, least: int) -> None:
            nonlocal made
            made += 1
            estimate = self.estimate(state)
            if estimate is not None:
                bound = max(least, state.cost + estimate.bound)
                open_vertices = -(state.placed | estimate.next | state.later).bit_count()
                heappush(waiting, (bound, open_vertices, made, False, state, estimate))

        for root in range(len(self.links)):
            start = _State((), 0, 0, [FAR] * len(self.links), 1 << root, 0)
            add(self.with_next_layer(start), 0)
        while waiting:
            bound, rank, number, sharp, state, estimate = heappop(waiting)
            if cheapest.get((state.placed, len(state.layers)), FAR) < state.cost:
                continue
            if state.placed == self.all:
                return state.layers
            if not sharp:
                sharper = state.cost + self.sharper_bound(state, estimate)
                if sharper > bound:
                    heappush(waiting, (sharper, rank, number, True, state, estimate))
                    continue
            state = state._replace(next=estimate.next)
            if estimate.open is not None:
                add(state._replace(next=state.next | 1 << estimate.open), bound)
                add(state._replace(later=state.later | 1 << estimate.open), bound)
                continue
            state = self.with_next_layer(state)
            key = state.placed, len(state.layers)
            if state.cost < cheapest.get(key, FAR):
                cheapest[key] = state.cost
                add(state, bound)
        raise ValueError("the graph is not connected")

    def with_next_layer(self, state: _State) -> _State:
        near, cost = list(state.near), state.cost
        depth = len(state.layers)
        for v in set_bits(state.next):
            cost += depth * state.near[v] if depth else 0
            for u, w in self.links[v]:
                near[u] = min(near[u], w)
        return _State((*state.layers, state.next), state.placed | state.next, cost, near, 0, 0)

    def estimate(self, state: _State) -> _Estimate | None:
        """The least each vertex can cost; None if the next layer would be empty.

        A vertex for which the next layer is no more expensive than any deeper one is best there.
        """
        depth = len(state.layers)  # of the next layer
        outside = self.all & ~state.placed
        if not outside:
            return _Estimate(0, 0, None, [])
        possible = 0
        for v in set_bits(outside & ~state.later):
            if state.near[v] < FAR:
                possible |= 1 << v
        if not possible:
            return None
        depths = self.least_depths(state, possible)
        bound, chosen, pick, widest = 0, state.next, None, 0
        for v in set_bits(outside):
            if state.next >> v & 1:
                bound += depth * state.near[v]
                continue
            below = FAR
            for u, w in self.links[v]:
                if (depth + 1) * w >= below:
                    break
                if outside >> u & 1 and (depths[u] + 1) * w < below:
                    below = (depths[u] + 1) * w
            if possible >> v & 1:
                here = depth * state.near[v]
                if here <= below:
                    chosen |= 1 << v
                elif here - below > widest:
                    widest, pick = here - below, v
                bound += min(here, below)
            else:
                bound += min(below, depths[v] * state.near[v])
        return _Estimate(bound, chosen, pick, depths)

    def least_depths(self, state: _State, possible: int) -> list[int]:
        depths = [0] * len(self.links)
        seen, layer, depth = state.placed, possible, len(state.layers)
        reached = state.later
        while layer:
            seen |= layer
            for v in set_bits(layer):
                depths[v] = depth
                reached |= self.neighbours[v]
            layer = reached & ~seen
            depth += 1
        return depths

    def sharper_bound(self, state: _State, estimate: _Estimate) -> int:
        """A minimum spanning tree of what is still outside, at the least depths."""
        depths = estimate.depth
        outside = self.all & ~state.placed
        total = 0
        price: dict[int, int] = {}  # of joining each vertex to the tree
        for v in set_bits(outside):
            if estimate.next >> v & 1:
                total += depths[v] * state.near[v]
                price[v] = 0
            else:
                price[v] = min(FAR, depths[v] * state.near[v])
        highest = max(price.values())
        while price:
            v = min(price, key=price.__getitem__)
            total += price.pop(v)
            for u, w in self.links[v]:
                if (len(state.layers) + 1) * w >= highest:
                    break
                if u in price:
                    price[u] = min(price[u], (min(depths[u], depths[v]) + 1) * w)
        return total
