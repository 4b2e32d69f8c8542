"""Tours: cycles through all vertices of a directed graph, given by its matrix of arc costs."""

from heapq import heappop, heappush
from itertools import count
from math import inf

from rlve.algorithms.assignment import Assignment, Costs


def lightest_tour(cost: Costs) -> list[int] | None:
    """The vertices of a lightest tour, from 0 on; an infinite cost is no arc; None if no tour is.

    Branch and bound (Carpaneto and Toth, 1980). A lightest assignment of successors is a bound
    from below, and a tour if it is a single cycle. Otherwise some arc of its shortest cycle is not
    in the tour: one branch for each arc leaves it out and keeps those before it.
    """
    n = len(cost)
    order = count()
    heap: list[tuple[float, int, int, list[list[int]], Assignment]] = []

    def push(assignment: Assignment) -> None:
        found = cycles(assignment.columns())
        heappush(heap, (assignment.weight(), len(found), next(order), found, assignment))

    root = Assignment([[inf if s == t else cost[s][t] for t in range(n)] for s in range(n)])
    if all(root.add(row) for row in range(n)):
        push(root)
    while heap:
        _, number, _, found, assignment = heappop(heap)
        if number == 1:
            return found[0]
        shortest = min(found, key=len)
        kept = assignment.cost
        for s, t in zip(shortest, shortest[1:] + shortest[:1], strict=True):
            branch = assignment.without(s, t, [row[:] for row in kept])
            if branch is not None:
                push(branch)
            kept = keeping(kept, s, t)
    return None


def cycles(successors: list[int]) -> list[list[int]]:
    """The cycles of a permutation, each from its smallest element on."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for start in range(len(successors)):
        cycle: list[int] = []
        at = start
        while at not in seen:
            seen.add(at)
            cycle.append(at)
            at = successors[at]
        if cycle:
            found.append(cycle)
    return found


def keeping(cost: Costs, s: int, t: int) -> Costs:
    """The costs without the arcs that a tour with the arc from s to t cannot have."""
    return [
        [c if (i == s) == (j == t) else inf for j, c in enumerate(row)]
        for i, row in enumerate(cost)
    ]
