from itertools import permutations
from math import inf
from random import Random

from rlve.algorithms.assignment import lightest_assignment


def random_costs(rng, rows, columns):
    return [[rng.choice([inf, *range(-3, 12)]) for _ in range(columns)] for _ in range(rows)]


def test_lightest_among_all_assignments():
    for seed in range(300):
        rng = Random(seed)
        rows = rng.randint(1, 5)
        cost = random_costs(rng, rows, rows + rng.randint(0, 1))
        choices = permutations(range(len(cost[0])), rows)
        least = min(sum(cost[i][c[i]] for i in range(rows)) for c in choices)
        found = lightest_assignment(cost)
        if found is None:
            assert least == inf
        else:
            assert len(set(found)) == rows
            assert sum(cost[i][found[i]] for i in range(rows)) == least


def test_no_assignment_is_allowed():
    assert lightest_assignment([[1, inf], [2, inf]]) is None


def test_no_rows():
    assert lightest_assignment([]) == []
