from itertools import product
from random import Random

from rlve.algorithms import close_values
from rlve.algorithms.close_values import cheapest_close_values


def test_values_are_the_least_of_all_cheapest_ones(monkeypatch):
    for seed in range(120):
        rng = Random(seed)
        P, Q = rng.choice([(1, 1), (1, 5), (5, 1), (2, 2), (2, 3), (3, 2)])
        R = rng.randint(1, 3)
        highest = rng.choice([1, 3, 20])  # low ones have many cheapest ways
        costs = [[[rng.randint(1, highest) for _ in range(R)] for _ in range(Q)] for _ in range(P)]
        D = rng.randint(0, R)
        expected = least_of_all(costs, D)
        for few in (P * Q * R, 0):  # by a flow through all costs, or after bounds
            monkeypatch.setattr(close_values, "FEW_COSTS", few)
            assert cheapest_close_values(costs, D) == expected


def test_values_of_long_strips():
    """Of two rows: the best total for each pair of values in the last column."""
    for seed in range(6):
        rng = Random(seed)
        Q, R = rng.randint(60, 90), rng.randint(13, 16)
        costs = [[[rng.randint(1, 200) for _ in range(R)] for _ in range(Q)] for _ in range(2)]
        D = rng.randint(1, 3)
        values = cheapest_close_values(costs, D)
        for i, j in product(range(2), range(Q)):
            assert abs(values[i][j] - values[1 - i][j]) <= D
            assert j == 0 or abs(values[i][j] - values[i][j - 1]) <= D
        total = sum(costs[i][j][values[i][j]] for i, j in product(range(2), range(Q)))
        assert total == column_by_column(costs, R, D)


def test_bounds_and_a_flow_through_all_costs_agree(monkeypatch):
    for seed in range(12):
        rng = Random(seed)
        P, Q, R = rng.randint(8, 12), rng.randint(8, 12), rng.randint(4, 9)
        highest = rng.choice([2, 100])
        costs = [[[rng.randint(1, highest) for _ in range(R)] for _ in range(Q)] for _ in range(P)]
        D = rng.randint(1, 3)
        monkeypatch.setattr(close_values, "FEW_COSTS", 0)
        bounded = cheapest_close_values(costs, D)
        monkeypatch.setattr(close_values, "FEW_COSTS", P * Q * R)
        assert bounded == cheapest_close_values(costs, D)


def test_costs_too_large_for_bounds(monkeypatch):
    monkeypatch.setattr(close_values, "FEW_COSTS", 0)
    costs = [[[10**400 + 1, 10**400], [7, 10**400]]]
    assert cheapest_close_values(costs, 1) == [[1, 0]]


def least_of_all(costs, D):
    P, Q, R = len(costs), len(costs[0]), len(costs[0][0])
    cells = list(product(range(P), range(Q)))
    sides = [(p, q) for p, q in product(cells, cells) if abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1]
    ways = [dict(zip(cells, values, strict=True)) for values in product(range(R), repeat=P * Q)]
    valid = [way for way in ways if all(abs(way[p] - way[q]) <= D for p, q in sides)]
    totals = [sum(costs[i][j][v] for (i, j), v in way.items()) for way in valid]
    best = [way for way, total in zip(valid, totals, strict=True) if total == min(totals)]
    return [[min(way[i, j] for way in best) for j in range(Q)] for i in range(P)]


def column_by_column(costs, R, D):
    pairs = [(x, y) for x, y in product(range(R), range(R)) if abs(x - y) <= D]
    before = {
        (x, y): [(a, b) for a, b in pairs if abs(a - x) <= D and abs(b - y) <= D] for x, y in pairs
    }
    best = dict.fromkeys(pairs, 0)
    for upper, lower in zip(*costs, strict=True):
        best = {
            (x, y): upper[x] + lower[y] + min(best[pair] for pair in before[x, y]) for x, y in pairs
        }
    return min(best.values())
