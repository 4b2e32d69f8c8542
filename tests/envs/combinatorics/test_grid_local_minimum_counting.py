from collections import Counter
from itertools import permutations

from rlve.envs.combinatorics.grid_local_minimum_counting import (
    GridLocalMinimumCounting,
    fillings,
    neighbourhoods,
)

PROBLEM = GridLocalMinimumCounting(
    MAX_N_M=3, N=2, M=2, grid=[["X", "."], [".", "."]], reference_answer=6
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 20: {"MAX_N_M": 23}}
REWARDS = {
    1.0: ["6"],
    (4 / 6) ** 10: ["4"],
    (1 / 4) ** 10: ["24"],
    0.0: ["0"],
    -1.0: ["-6", "3!", ""],
}
SAMPLES = {150: {"MAX_N_M": [3, 4]}}


def test_number_of_fillings(problem):
    if problem.N * problem.M <= 12:
        marked = [cell == "X" for row in problem.grid for cell in row]
        assert problem.reference_answer == inserted(marked, neighbours(problem.N, problem.M))


def test_number_of_fillings_of_all_patterns():
    for N, M in ((2, 2), (2, 3), (3, 2)):
        near = neighbours(N, M)
        counts = Counter(
            tuple(all(p[cell] < p[other] for other in near[cell]) for cell in range(N * M))
            for p in permutations(range(N * M))
        )
        for marked, count in counts.items():
            assert inserted(marked, near) == count
            mask = sum(1 << cell for cell in range(N * M) if marked[cell])
            assert fillings(mask, neighbourhoods(N, M)) == count


def neighbours(N, M):
    places = [(i, j) for i in range(N) for j in range(M)]
    return [
        [places.index(b) for b in places if b != a and abs(a[0] - b[0]) <= 1 >= abs(a[1] - b[1])]
        for a in places
    ]


def inserted(marked, near):
    """1, 2, 3, ... are placed one by one; a minimum is a cell that is filled before those near."""
    ways = {frozenset(): 1}
    for _ in marked:
        longer = {}
        for filled, count in ways.items():
            for cell in range(len(marked)):
                if cell not in filled and marked[cell] == filled.isdisjoint(near[cell]):
                    longer[filled | {cell}] = longer.get(filled | {cell}, 0) + count
        ways = longer
    (count,) = ways.values()
    return count
