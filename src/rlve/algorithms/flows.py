"""Flows in directed networks on the vertices 0 .. n-1."""

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

MANY_ARCS = 10_000  # counting reverse ones


class Flow(NamedTuple):
    """A flow from the source to the sink."""

    value: int
    cost: int


class Network:
    """Arcs with capacities and unit costs >= 0, and the flow sent along them so far."""

    def __init__(self, n: int) -> None:
        self.head: list[int] = []  # of arc i; arc i ^ 1 is its reverse
        self.room: list[float] = []  # what can still be sent along the arc
        self.open = bytearray()  # whether that is anything; kept while flow is sent
        self.cost: list[int] = []
        self.leaving: list[list[int]] = [[] for _ in range(n)]

    def add(self, s: int, t: int, capacity: float, cost: int = 0) -> int:
        """Add an arc and return its number, which is even."""
        arc = len(self.head)
        self.leaving[s].append(arc)
        self.leaving[t].append(arc + 1)
        self.head += (t, s)
        self.room += (capacity, 0)
        self.cost += (cost, -cost)
        return arc

    def flow(self, arc: int) -> int:
        """The flow sent along the arc with this number."""
        return int(self.room[arc ^ 1])

    def reached(self, source: int) -> set[int]:
        """The vertices to which more can still be sent.

        Once as much as possible has been sent, the arcs that leave them are a minimum cut.
        """
        vertices = {source}
        waiting = [source]
        while waiting:
            for arc in self.leaving[waiting.pop()]:
                if self.room[arc] > 0 and self.head[arc] not in vertices:
                    vertices.add(self.head[arc])
                    waiting.append(self.head[arc])
        return vertices

    def send(self, source: int, sink: int) -> int:
        """Send as much as possible, whatever it costs, and return how much that is.

        Dinic's method: fill all shortest paths at once, as long as there is a path.
        """
        value = 0
        self.open = bytearray(room > 0 for room in self.room)
        arcs_to = self._arcs_to if len(self.head) < MANY_ARCS else self._arcs_to_by_layers()
        while (away := arcs_to(sink, source))[source] >= 0:
            value += self._fill(source, sink, away)
        return value

    def _arcs_to(self, sink: int, source: int) -> list[int]:
        """How many arcs each vertex is from the sink; -1 if further than the source."""
        away = [-1] * len(self.leaving)
        away[sink] = 0
        layer = [sink]
        while layer and away[source] < 0:
            further: list[int] = []
            for t in layer:
                for arc in self.leaving[t]:
                    s = self.head[arc]
                    if away[s] < 0 and self.room[arc ^ 1] > 0:
                        away[s] = away[t] + 1
                        further.append(s)
            layer = further
        return away

    def _arcs_to_by_layers(self) -> Callable[[int, int], list[int]]:
        """The same, a layer at a time: faster for many arcs."""
        import numpy as np

        head = np.array(self.head, dtype=np.int64)
        arcs = np.array([arc for leaving in self.leaving for arc in leaving], dtype=np.int64)
        degrees = np.array([len(leaving) for leaving in self.leaving])
        starts = np.cumsum(degrees) - degrees

        def arcs_to(sink: int, source: int) -> list[int]:
            is_open = np.frombuffer(self.open, dtype=np.uint8)
            away = np.full(len(degrees), -1)
            away[sink] = distance = 0
            layer = np.array([sink])
            while len(layer) and away[source] < 0:
                distance += 1
                counts = degrees[layer]
                shifts = starts[layer] - np.cumsum(counts) + counts
                leaving = arcs[np.repeat(shifts, counts) + np.arange(counts.sum())]
                further = head[leaving]
                away[further[(away[further] < 0) & (is_open[leaving ^ 1] > 0)]] = distance
                layer = np.flatnonzero(away == distance)
            return away.tolist()

        return arcs_to

    def _fill(self, source: int, sink: int, away: list[int]) -> int:
        """Send along arcs that lead nearer to the sink until all such paths are full."""
        head, room, is_open = self.head, self.room, self.open
        tried = [0] * len(self.leaving)  # how many of the arcs that leave it are dead ends
        path: list[int] = []
        at, value = source, 0
        while True:
            if at == sink:
                amount = int(min([room[arc] for arc in path]))
                value += amount
                for arc in path:
                    room[arc] -= amount
                    room[arc ^ 1] += amount
                    is_open[arc] = room[arc] > 0
                    is_open[arc ^ 1] = 1
                full = next(i for i, arc in enumerate(path) if not room[arc])
                at = head[path[full] ^ 1]
                del path[full:]
            arcs, nearer = self.leaving[at], away[at] - 1
            for i in range(tried[at], len(arcs)):
                arc = arcs[i]
                if room[arc] > 0 and away[head[arc]] == nearer:
                    tried[at] = i
                    path.append(arc)
                    at = head[arc]
                    break
            else:
                if at == source:
                    return value
                away[at] = -1
                at = head[path.pop() ^ 1]

    def send_cheapest(self, source: int, sink: int) -> Flow:
        """Send as much as possible and, among all ways to do so, at the least cost.

        Take one shortest path after another; potentials keep the reduced costs non-negative.
        """
        potential = [0] * len(self.leaving)
        value = cost = 0
        while (path := self._cheapest_path(source, sink, potential)) is not None:
            amount = int(min(self.room[arc] for arc in path))
            for arc in path:
                self.room[arc] -= amount
                self.room[arc ^ 1] += amount
            value += amount
            cost += amount * sum(self.cost[arc] for arc in path)
        return Flow(value, cost)

    def _cheapest_path(self, source: int, sink: int, potential: list[int]) -> list[int] | None:
        """The arcs of a shortest path that has room; also update the potentials."""
        distance: dict[int, int] = {source: 0}
        final: set[int] = set()
        through: dict[int, int] = {}  # the last arc on the way to each vertex
        heap = [(0, source)]
        while heap:
            so_far, s = heappop(heap)
            if s in final:
                continue
            final.add(s)
            if s == sink:
                break
            offset = so_far + potential[s]
            for arc in self.leaving[s]:
                t = self.head[arc]
                if self.room[arc] > 0 and t not in final:
                    there = offset + self.cost[arc] - potential[t]
                    if there < distance.get(t, inf):
                        distance[t] = there
                        through[t] = arc
                        heappush(heap, (there, t))
        if sink not in final:
            return None
        for v in range(len(potential)):
            potential[v] += distance[v] if v in final else distance[sink]
        path: list[int] = []
        at = sink
        while at != source:
            path.append(through[at])
            at = self.head[through[at] ^ 1]
        return path[::-1]
