"""Matchings: sets of edges no two of which share a vertex."""

from collections.abc import Iterable, Sequence

from rlve.algorithms.flows import Network
from rlve.algorithms.graphs import Edge, WeightedEdge

NONE = 0  # within this module, vertices are numbered from 1
FREE, OUTER, INNER = -1, 0, 1
NO_EDGE = (NONE, NONE)


def bipartite_matching(near: Sequence[Iterable[int]], m: int) -> list[int | None]:
    """The partner of each left vertex, None for those left over, in a matching with the most edges.

    near[u] are the neighbours of the left vertex u among the right vertices 0 .. m-1. Dinic's
    method on unit capacities is that of Hopcroft and Karp.
    """
    n = len(near)
    source, sink = n + m, n + m + 1
    network = Network(n + m + 2)
    arcs = [[(v, network.add(u, n + v, 1)) for v in right] for u, right in enumerate(near)]
    for u in range(n):
        network.add(source, u, 1)
    for v in range(m):
        network.add(n + v, sink, 1)
    network.send(source, sink)
    return [next((v for v, arc in leaving if network.flow(arc)), None) for leaving in arcs]


def maximum_weight_matching(n: int, edges: Iterable[WeightedEdge]) -> list[Edge]:
    """The edges (u, v), u < v, of a matching with the largest weight; all weights are positive."""
    blossoms = _Blossoms(n, edges)
    while blossoms.augment():
        pass
    return [(u, v - 1) for u, v in enumerate(blossoms.mate[1 : n + 1]) if u < v - 1]


class _Blossoms:
    """A matching that grows edge by edge: Edmonds' primal-dual method, in O(n^3).

    Nodes are the vertices 1 .. n and, above n, blossoms: odd cycles of nodes that act as one.
    Alternating trees grow from the unmatched nodes along tight edges (of slack 0); a node is outer
    at an even and inner at an odd distance from the root, and free if not reached. The duals prove
    that no matching with as many edges is heavier: the slack of an edge, the sum of the duals of
    its ends minus twice its weight, is never negative, and is 0 if the edge is matched.
    """

    def __init__(self, n: int, edges: Iterable[WeightedEdge]) -> None:
        size = 2 * n + 1
        self.n = n
        self.last = n  # the highest node in use
        self.weight = [[0] * (n + 1) for _ in range(n + 1)]
        # The ends of the edge of least slack between two nodes.
        self.link: list[list[Edge]] = [[NO_EDGE] * size for _ in range(size)]
        for u, v, w in edges:
            u, v = u + 1, v + 1
            self.weight[u][v] = self.weight[v][u] = w
            self.link[u][v], self.link[v][u] = (u, v), (v, u)
        self.dual = [max(map(max, self.weight))] * (n + 1) + [0] * n
        self.mate = [NONE] * size  # the vertex at the other end of the matched edge
        self.top = [*range(n + 1), *[NONE] * n]  # the outermost node around each; NONE: not in use
        self.above = [NONE] * size  # the vertex from which an inner node was reached
        self.label = [FREE] * size
        self.nearest = [NONE] * size  # the outer vertex whose edge to this node has least slack
        self.petals: list[list[int]] = [[] for _ in range(size)]  # in a cycle, starting at the base
        self.petal_of = [[NONE] * (n + 1) for _ in range(size)]  # where each vertex is in a node
        for v in range(1, n + 1):
            self.petal_of[v][v] = v
        self.queue: list[int] = []  # outer vertices whose edges have not been scanned

    def augment(self) -> bool:
        """Make the matching larger by one edge; return False if that would not make it heavier."""
        self.queue.clear()
        self.label = [FREE] * len(self.label)
        self.nearest = [NONE] * len(self.nearest)
        for x in self.tops():
            if not self.mate[x]:
                self.above[x] = NONE
                self.make_outer(x)
        if not self.queue:
            return False
        while True:
            while self.queue:
                if self.scan(self.queue.pop()):
                    return True
            if not self.change_duals():
                return False
            for x in self.tops():
                u = self.nearest[x]
                if u and self.top[u] != x and not self.slack(u, x) and self.use(self.link[u][x]):
                    return True
            for b in self.tops(self.n + 1):
                if self.label[b] == INNER and not self.dual[b]:
                    self.expand(b)

    def tops(self, first: int = 1) -> list[int]:
        return [x for x in range(first, self.last + 1) if self.top[x] == x]

    def slack(self, x: int, y: int) -> int:
        u, v = self.link[x][y]
        return self.dual[u] + self.dual[v] - 2 * self.weight[u][v]

    def make_outer(self, x: int) -> None:
        self.label[x] = OUTER
        self.queue += [v for v in range(1, self.n + 1) if self.petal_of[x][v]]

    def offer(self, u: int, x: int) -> None:
        """Record the edge from an outer vertex to the node x if none has less slack."""
        if not self.nearest[x] or self.slack(u, x) < self.slack(self.nearest[x], x):
            self.nearest[x] = u

    def find_nearest(self, x: int) -> None:
        self.nearest[x] = NONE
        for u in range(1, self.n + 1):
            if self.link[u][x] != NO_EDGE and self.top[u] != x and self.label[self.top[u]] == OUTER:
                self.offer(u, x)

    def scan(self, u: int) -> bool:
        """Follow the tight edges of an outer vertex; True if the matching has grown."""
        if self.label[self.top[u]] == INNER:
            return False
        for v in range(1, self.n + 1):
            if self.weight[u][v] and self.top[u] != self.top[v]:
                if self.slack(u, v):
                    self.offer(u, self.top[v])
                elif self.use((u, v)):
                    return True
        return False

    def use(self, edge: Edge) -> bool:
        """Add a tight edge from an outer node to the trees; True if the matching has grown."""
        x, y = self.top[edge[0]], self.top[edge[1]]
        if self.label[y] == FREE:
            self.label[y] = INNER
            self.above[y] = edge[0]
            partner = self.top[self.mate[y]]
            self.nearest[y] = self.nearest[partner] = NONE
            self.make_outer(partner)
        elif self.label[y] == OUTER:
            meeting = self.meeting(x, y)
            if not meeting:
                self.flip(x, y)
                self.flip(y, x)
                return True
            self.contract(x, meeting, y)
        return False

    def parent(self, x: int) -> int:
        """The outer node two steps above an outer node."""
        return self.top[self.above[self.top[self.mate[x]]]] if self.mate[x] else NONE

    def meeting(self, x: int, y: int) -> int:
        """Where the paths from two outer nodes to their roots meet."""
        passed: set[int] = set()
        while x:
            passed.add(x)
            x = self.parent(x)
        while y and y not in passed:
            y = self.parent(y)
        return y

    def flip(self, x: int, y: int) -> None:
        """Match x to y and flip all edges on the path from x to the root."""
        while True:
            partner = self.top[self.mate[x]]
            self.match(x, y)
            if not partner:
                return
            x, y = self.top[self.above[partner]], partner
            self.match(y, x)

    def match(self, x: int, y: int) -> None:
        """Match a node to another; in a blossom, the base moves to the petal of the edge."""
        u, self.mate[x] = self.link[x][y]
        if x > self.n:
            petal = self.petal_of[x][u]
            steps = self.steps_to(x, petal)
            for i in range(steps):
                self.match(self.petals[x][i], self.petals[x][i ^ 1])
            self.match(petal, y)
            self.petals[x] = self.petals[x][steps:] + self.petals[x][:steps]

    def steps_to(self, b: int, petal: int) -> int:
        """The even number of steps from the base to a petal; the cycle is reversed if necessary."""
        cycle = self.petals[b]
        if cycle.index(petal) % 2:
            cycle[1:] = cycle[:0:-1]
        return cycle.index(petal)

    def contract(self, x: int, base: int, y: int) -> None:
        """Make a blossom of the cycle that the edge between two outer nodes closes."""
        b = next((b for b in range(self.n + 1, self.last + 1) if not self.top[b]), self.last + 1)
        self.last = max(self.last, b)
        left, right = self.branch(x, base), self.branch(y, base)
        self.petals[b] = cycle = [base, *reversed(left), *right]
        self.dual[b] = 0
        self.mate[b] = self.mate[base]
        self.above[b] = self.above[base]
        self.petal_of[b] = [NONE] * (self.n + 1)
        for other in range(1, self.last + 1):
            self.link[b][other] = self.link[other][b] = NO_EDGE
        for petal in cycle:
            self.set_top(petal, b)
            for v in range(1, self.n + 1):
                if self.petal_of[petal][v]:
                    self.petal_of[b][v] = petal
                    if self.label[petal] == INNER:
                        self.queue.append(v)
            for other in range(1, self.last + 1):
                if self.link[petal][other] != NO_EDGE and (
                    self.link[b][other] == NO_EDGE
                    or self.slack(petal, other) < self.slack(b, other)
                ):
                    self.link[b][other] = self.link[petal][other]
                    self.link[other][b] = self.link[other][petal]
        self.top[b] = b
        self.label[b] = OUTER
        self.find_nearest(b)

    def branch(self, x: int, base: int) -> list[int]:
        """The nodes on the path from x up to, but not including, the base."""
        nodes: list[int] = []
        while x != base:
            nodes += [x, self.top[self.mate[x]]]
            x = self.parent(x)
        return nodes

    def set_top(self, x: int, b: int) -> None:
        self.top[x] = b
        if x > self.n:
            for petal in self.petals[x]:
                self.set_top(petal, b)

    def expand(self, b: int) -> None:
        """Undo an inner blossom: the path through it stays in its tree, other petals are freed."""
        for petal in self.petals[b]:
            self.set_top(petal, petal)
        u, _ = self.link[b][self.above[b]]
        entry = self.petal_of[b][u]
        steps = self.steps_to(b, entry)
        cycle = self.petals[b]
        for i in range(0, steps, 2):
            inner, outer = cycle[i], cycle[i + 1]
            self.above[inner] = self.link[outer][inner][0]
            self.label[inner] = INNER
            self.nearest[inner] = NONE
            self.find_nearest(outer)
            self.make_outer(outer)
        self.label[entry] = INNER
        self.above[entry] = self.above[b]
        for petal in cycle[steps + 1 :]:
            self.label[petal] = FREE
            self.find_nearest(petal)
        self.top[b] = NONE

    def change_duals(self) -> bool:
        """Change the duals until an edge becomes tight or a blossom can be undone.

        Return False if the duals of the unmatched vertices reach 0 first: the matching is heaviest.
        """
        tops = self.tops()
        steps = [self.dual[b] // 2 for b in tops if b > self.n and self.label[b] == INNER]
        for x in tops:
            if self.nearest[x] and self.label[x] != INNER:
                slack = self.slack(self.nearest[x], x)
                steps.append(slack if self.label[x] == FREE else slack // 2)
        labels = [self.label[self.top[v]] for v in range(1, self.n + 1)]
        outer = [self.dual[v] for v, label in enumerate(labels, 1) if label == OUTER]
        step = min(steps + outer)
        if step == min(outer):
            return False
        for v, label in enumerate(labels, 1):
            self.dual[v] += {OUTER: -step, INNER: step, FREE: 0}[label]
        for b in tops:
            if b > self.n:
                self.dual[b] += {OUTER: 2 * step, INNER: -2 * step, FREE: 0}[self.label[b]]
        return True
