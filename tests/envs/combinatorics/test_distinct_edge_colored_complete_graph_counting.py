from itertools import combinations, permutations, product
from random import Random

from rlve.envs.combinatorics.distinct_edge_colored_complete_graph_counting import (
    DistinctEdgeColoredCompleteGraphCounting,
    colourings,
)

PROBLEM = DistinctEdgeColoredCompleteGraphCounting(N=3, M=2, MOD=666623333, reference_answer=4)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["4"], 0.0: ["8", "666623332"], -0.5: ["666623333", "-4"], -1.0: ["2^2", ""]}


def test_number_of_colourings():
    counts = {(3, M): orbits(3, M) for M in range(2, 8)}
    counts |= {(4, M): orbits(4, M) for M in (2, 3, 4)} | {(5, 2): orbits(5, 2)}
    assert (counts[3, 2], counts[4, 2], counts[5, 2]) == (4, 11, 34)
    for (N, M), count in counts.items():
        assert colourings(N, M) == count
    cycles = {N: edge_cycles(N) for N in range(3, 7)}
    for (N, M), count in counts.items():
        assert average(cycles[N], M) == count
    for seed in range(100):
        problem = DistinctEdgeColoredCompleteGraphCounting.sample(Random(seed), N=3 + seed % 4)
        assert problem.M in range(2, problem.N * (problem.N - 1) // 2 + 1)
        assert problem.reference_answer == average(cycles[problem.N], problem.M) % problem.MOD


def test_two_colours_give_the_number_of_graphs():
    assert [colourings(N, 2) for N in range(6, 11)] == [156, 1044, 12346, 274668, 12005168]


def orbits(N, M):
    """The number of classes of colourings, each found from its first member."""
    edges = list(combinations(range(N), 2))
    places = [
        [edges.index(tuple(sorted((p[u], p[v])))) for u, v in edges] for p in permutations(range(N))
    ]
    seen, classes = set(), 0
    for colouring in product(range(M), repeat=len(edges)):
        if colouring not in seen:
            classes += 1
            seen.update(tuple(colouring[i] for i in place) for place in places)
    return classes


def edge_cycles(N):
    """For each permutation of the vertices, the number of cycles in which it moves the edges."""
    numbers = []
    for p in permutations(range(N)):
        left, cycles = set(combinations(range(N), 2)), 0
        while left:
            u, v = left.pop()
            cycles += 1
            while (image := tuple(sorted((p[u], p[v])))) in left:
                left.remove(image)
                u, v = image
        numbers.append(cycles)
    return numbers


def average(cycles, M):
    return sum(M**number for number in cycles) // len(cycles)
