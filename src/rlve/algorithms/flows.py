"""Flows in directed networks on the vertices 0 .. n-1."""

from heapq import heappop, heappush
from math import inf
from typing import NamedTuple


class Flow(NamedTuple):
    """A flow from the source to the sink."""

    value: int
    cost: int


class Network:
    """Arcs with capacities and costs >= 0 per unit, and the flow that has been sent along them."""

    def __init__(self, n: int) -> None:
        self.head: list[int] = []  # of arc i; arc i ^ 1 is its reverse
        self.room: list[float] = []  # what can still be sent along the arc
        self.cost: list[int] = []
        self.leaving: list[list[int]] = [[] for _ in range(n)]

    def add(self, s: int, t: int, capacity: float, cost: int = 0) -> int:
        """Add an arc and return its number, which is even."""
        for tail, head, room, price in ((s, t, capacity, cost), (t, s, 0, -cost)):
            self.leaving[tail].append(len(self.head))
            self.head.append(head)
            self.room.append(room)
            self.cost.append(price)
        return len(self.head) - 2

    def flow(self, arc: int) -> int:
        """What is sent along the arc of this number."""
        return int(self.room[arc ^ 1])

    def send_cheapest(self, source: int, sink: int) -> Flow:
        """Send as much as possible and, among all ways to do so, at the least cost.

        One shortest path after another; potentials keep the reduced costs non-negative.
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
        """The arcs with room on a shortest path; it brings the potentials up to date."""
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
