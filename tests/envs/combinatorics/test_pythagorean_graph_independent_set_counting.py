from itertools import combinations
from math import gcd, isqrt
from random import Random

from rlve.envs.combinatorics.pythagorean_graph_independent_set_counting import (
    PythagoreanGraph_IndependentSetCounting,
    joined_pairs,
    weigh_independent_sets,
)

PROBLEM = PythagoreanGraph_IndependentSetCounting(N=3, MOD=1000, H=[4, 2, 3], reference_answer=5)
SCHEDULE = {d: {"N": n} for d, n in enumerate([3, 4, 5, 6, 7, 8, 9, 10, 12])}
REWARDS = {1.0: ["5"], 0.0: ["6", "0", "999"], -0.5: ["1000", "-1"], -1.0: ["5 sets", ""]}
SAMPLES = {120: {"N": range(3, 10)}}


def test_joined_pairs():
    found = {tuple(sorted(pair)) for pair in joined_pairs(range(1, 200))}
    assert found == {(a, b) for a, b in combinations(range(1, 200), 2) if joined(a, b)}


def joined(a, b):
    return isqrt(a * a + b * b) ** 2 == a * a + b * b and gcd(a, b) == 1


def test_gold_counts_the_independent_sets(problem):
    edges = [
        1 << i | 1 << j
        for i, j in combinations(range(problem.N), 2)
        if joined(problem.H[i], problem.H[j])
    ]
    assert edges
    assert min(problem.H) >= 1
    assert max(problem.H) <= 2 * problem.N
    sets = range(1, 1 << problem.N)
    count = sum(all(chosen & edge != edge for edge in edges) for chosen in sets)
    assert problem.reference_answer == count % problem.MOD


def test_graphs_with_cycles():
    rng = Random(1)
    for _ in range(100):
        n = rng.randint(1, 7)
        edges = [edge for edge in combinations(range(n), 2) if rng.random() < 0.5]
        without = {v: rng.randint(0, 3) for v in range(n)}
        within = {v: rng.randint(0, 3) for v in range(n)}
        expected = 0
        for chosen in range(1 << n):
            weight = 1
            for v in range(n):
                weight *= within[v] if chosen >> v & 1 else without[v]
            independent = all(not (chosen >> u & chosen >> v & 1) for u, v in edges)
            expected += weight * independent
        neighbours = {
            v: {u for edge in edges if v in edge for u in edge if u != v} for v in range(n)
        }
        assert weigh_independent_sets(neighbours, without, within) == expected
