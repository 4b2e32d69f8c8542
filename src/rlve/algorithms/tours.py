"""Lightest tours (cycles through all vertices of a directed graph) and heaviest paths."""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count
from math import inf

from rlve.algorithms.assignment import Assignment, Costs
from rlve.algorithms.graphs import WeightedEdge


def lightest_tour(cost: Costs) -> list[int] | None:
    """The vertices of a lightest tour, starting at 0, or None; an infinite cost means no arc."""
    n = len(cost)
    successors = _lightest_successors(
        [[inf if s == t else cost[s][t] for t in range(n)] for s in range(n)],
        forbidden=lambda found: found if len(found) > 1 else [],
    )
    return None if successors is None else cycles(successors)[0]


def heaviest_path(n: int, arcs: Iterable[WeightedEdge]) -> list[int]:
    """The vertices of a path of the largest total weight that visits no vertex twice.

    It is a cycle through an extra vertex, and each vertex it leaves out is its own successor.
    """
    cost: Costs = [[0 if n in (s, t) or s == t else inf for t in range(n + 1)] for s in range(n)]
    cost.append([0] * n + [inf])
    for s, t, w in arcs:
        cost[s][t] = -w
    successors = _lightest_successors(
        cost,
        forbidden=lambda found: [cycle for cycle in found if len(cycle) > 1 and n not in cycle],
    )
    path: list[int] = []
    at = n
    while successors and (at := successors[at]) != n:
        path.append(at)
    return path


def _lightest_successors(
    cost: Costs, forbidden: Callable[[list[list[int]]], list[list[int]]]
) -> list[int] | None:
    """A lightest assignment of successors among those without a forbidden cycle.

    Branch and bound (Carpaneto and Toth, 1980). A lightest assignment with any cycles is a lower
    bound. If some of its cycles are forbidden, an arc of the shortest of them must go: there is one
    branch for each arc, which leaves it out and keeps those before it.
    """
    order = count()
    heap: list[tuple[float, int, int, list[list[int]], Assignment]] = []

    def push(assignment: Assignment) -> None:
        wrong = forbidden(cycles(assignment.columns()))
        heappush(heap, (assignment.weight(), len(wrong), next(order), wrong, assignment))

    root = Assignment([row[:] for row in cost])
    if all(root.add(row) for row in range(len(cost))):
        push(root)
    while heap:
        _, _, _, wrong, assignment = heappop(heap)
        if not wrong:
            return assignment.columns()
        shortest = min(wrong, key=len)
        kept = assignment.cost
        for s, t in zip(shortest, shortest[1:] + shortest[:1], strict=True):
            branch = assignment.without(s, t, [row[:] for row in kept])
            if branch is not None:
                push(branch)
            kept = keeping(kept, s, t)
    return None


def cycles(successors: list[int]) -> list[list[int]]:
    """The cycles of a permutation, each starting at its smallest element."""
    result: list[list[int]] = []
    seen: set[int] = set()
    for start in range(len(successors)):
        cycle: list[int] = []
        at = start
        while at not in seen:
            seen.add(at)
            cycle.append(at)
            at = successors[at]
        if cycle:
            result.append(cycle)
    return result


def keeping(cost: Costs, s: int, t: int) -> Costs:
    """The costs without the arcs that a tour with the arc from s to t cannot have."""
    return [
        [c if (i == s) == (j == t) else inf for j, c in enumerate(row)]
        for i, row in enumerate(cost)
    ]
