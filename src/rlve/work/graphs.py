"""Walks over graphs. Vertices can be anything with a short text, such as numbers."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from rlve.algorithms.graphs import DisjointSets, Edge, WeightedEdge
from rlve.contract import Work
from rlve.text import spaced
from rlve.work.arithmetic import add
from rlve.work.lists import state
from rlve.work.mental import is_easy

Vertex = TypeVar("Vertex", bound=Hashable)


class Reached(NamedTuple, Generic[Vertex]):
    """The vertices that a walk reached, in that order, with their distances from the start."""

    distance: dict[Vertex, int]
    before: dict[Vertex, Vertex]  # the vertex from which each was reached

    def path(self, goal: Vertex) -> list[Vertex]:
        """The way from the start to a vertex that was reached."""
        way = [goal]
        while way[-1] in self.before:
            way.append(self.before[way[-1]])
        return way[::-1]


def breadth_first(
    start: Vertex,
    neighbours: Callable[[Vertex], Iterable[Vertex]],
    *,
    goal: Vertex | None = None,
) -> Work[Reached[Vertex]]:
    """Everything that can be reached, nearest first, with a queue; it ends at the goal, if any."""
    reached = Reached[Vertex]({start: 0}, {})
    queue = deque([start])
    yield state("Queue", queue)
    while queue and goal not in reached.distance:
        vertex = queue.popleft()
        here = reached.distance[vertex]
        new = [
            other for other in dict.fromkeys(neighbours(vertex)) if other not in reached.distance
        ]
        for other in new:
            reached.distance[other] = here + 1
            reached.before[other] = vertex
        queue.extend(new)
        found = f"new {spaced(new)} at distance {here + 1}" if new else "nothing new"
        yield f"Take {vertex}, distance {here}: {found}. {state('Queue', queue)}"
    return reached


def flood(
    start: Sequence[Vertex],
    neighbours: Callable[[Vertex], Iterable[Vertex]],
    *,
    goal: Vertex | None = None,
) -> Work[Reached[Vertex]]:
    """Everything that can be reached, one distance after another; it ends at the goal, if any."""
    reached = Reached[Vertex](dict.fromkeys(start, 0), {})
    wave, distance = list(start), 0
    while wave:
        yield state(f"Distance {distance}", wave)
        if goal in wave:
            break
        distance += 1
        ahead: list[Vertex] = []
        for vertex in wave:
            for other in neighbours(vertex):
                if other not in reached.distance:
                    reached.distance[other] = distance
                    reached.before[other] = vertex
                    ahead.append(other)
        wave = ahead
    return reached


def path_back(reached: Reached[Vertex], goal: Vertex) -> Work[list[Vertex]]:
    """The way to a vertex, read backwards."""
    way = reached.path(goal)
    yield state(f"Back from {goal}", reversed(way))
    yield state("Way", way)
    return way


def dijkstra(
    start: Vertex,
    arcs: Callable[[Vertex], Iterable[tuple[Vertex, int]]],
    *,
    goal: Vertex | None = None,
) -> Work[Reached[Vertex]]:
    """Least distances by Dijkstra's algorithm: always settle the nearest vertex that is open."""
    reached = Reached[Vertex]({start: 0}, {})
    settled: list[Vertex] = []
    yield "What is reached is open. Always settle the nearest: its distance is final, since a way"
    yield "over another open one is no shorter."
    while opened := [v for v in reached.distance if v not in settled]:
        vertex = min(opened, key=reached.distance.__getitem__)
        settled.append(vertex)
        here = reached.distance[vertex]
        rest = [f"{v} at {reached.distance[v]}" for v in opened if v != vertex]
        yield f"Settle {vertex} at {here}" + (f". Open: {', '.join(rest)}" if rest else "")
        if vertex == goal:
            break
        for other, weight in arcs(vertex):
            if other in settled:
                continue
            known = reached.distance.get(other)
            better = known is None or here + weight < known
            to = f"To {other}: {here} + {weight} = {here + weight}"
            if not is_easy("+", here, weight):
                yield from add(here, weight)
                to = f"So to {other}: {here + weight}"
            if known is None:
                yield f"{to}, new"
            elif better:
                yield f"{to} < {known}, better"
            else:
                yield f"{to} >= {known}, no better"
            if better:
                reached.distance[other] = here + weight
                reached.before[other] = vertex
    return reached


def join_parts(
    parts: DisjointSets, edges: Iterable[Edge], *, most: int | None = None
) -> Work[list[Edge]]:
    """The edges that join two parts, one after another, until all is one part or `most` joined."""
    chosen: list[Edge] = []
    for u, v in edges:
        if parts.count == 1 or len(chosen) == most:
            break
        joins = parts.join(u, v)
        together = [x for x in range(len(parts.parent)) if parts.find(x) == parts.find(u)]
        if joins:
            chosen.append((u, v))
            yield f"{u}-{v}: take, joined {{{spaced(together)}}}"
        else:
            yield f"{u}-{v}: both in {{{spaced(together)}}}, skip"
    return chosen


def kruskal(n: int, edges: Sequence[WeightedEdge]) -> Work[list[WeightedEdge]]:
    """The edges of a minimum spanning forest by Kruskal's algorithm, lightest first."""
    ordered = sorted(edges, key=lambda edge: edge[2])
    yield "At first each vertex is a part. Take each edge that joins two parts, lightest first:"
    yield "something must join a part to the rest, and nothing lighter does."
    yield "Edges by weight: " + ", ".join(f"{u}-{v} ({w})" for u, v, w in ordered)
    joined = yield from join_parts(DisjointSets(n), ((u, v) for u, v, _ in ordered))
    yield state("Chosen", (f"{u}-{v}" for u, v in joined))
    return [edge for edge in ordered if edge[:2] in joined]


def list_neighbours(
    vertices: Iterable[int], edges: Iterable[Edge], *, directed: bool = False
) -> Work[dict[int, list[int]]]:
    """Where the edges lead from each vertex, ascending: `Neighbours: 0 has 1 3; 1 has 0`."""
    near: dict[int, list[int]] = {v: [] for v in vertices}
    for u, v in edges:
        near[u].append(v)
        if not directed:
            near[v].append(u)
    label, verb = ("Edges", "to") if directed else ("Neighbours", "has")
    near = {v: sorted(others) for v, others in near.items()}
    rows = [f"{v} {verb} {spaced(others)}" for v, others in near.items() if others]
    if len(rows) < len(near):
        rows.append("from others to none" if directed else "others have none")
    yield f"{label}: {'; '.join(rows)}"
    return near
