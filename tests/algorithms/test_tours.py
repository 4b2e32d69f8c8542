from itertools import permutations
from math import inf
from random import Random

from rlve.algorithms.tours import lightest_tour


def weight(cost, tour):
    return sum(cost[tour[i - 1]][tour[i]] for i in range(len(tour)))


def test_lightest_among_all_tours():
    for seed in range(200):
        rng = Random(seed)
        n = rng.randint(2, 6)
        choices = [inf] * rng.randint(1, 6) + list(range(9))
        cost = [[rng.choice(choices) for _ in range(n)] for _ in range(n)]
        least = min(weight(cost, (0, *rest)) for rest in permutations(range(1, n)))
        tour = lightest_tour(cost)
        if tour is None:
            assert least == inf
        else:
            assert sorted(tour) == list(range(n))
            assert tour[0] == 0
            assert weight(cost, tour) == least


def test_no_tour():
    assert lightest_tour([[0, 1, inf], [1, 0, inf], [inf, inf, 0]]) is None
