from itertools import combinations
from math import inf
from random import Random

from rlve.algorithms.flows import Network


def random_arcs(rng, n):
    return [
        (s, t, rng.randint(0, 5))
        for s in range(n)
        for t in range(n)
        if s != t and rng.random() < 0.5
    ]


def test_send_is_a_minimum_cut():
    for seed in range(150):
        rng = Random(seed)
        n = rng.randint(2, 6)
        arcs = random_arcs(rng, n)
        network = Network(n)
        numbers = [network.add(*arc) for arc in arcs]
        value = network.send(0, n - 1)
        sides = [
            {0, *others} for size in range(n - 1) for others in combinations(range(1, n - 1), size)
        ]
        assert value == min(cut(arcs, side) for side in sides)
        assert value == cut(arcs, network.reached(0))
        surplus = [0] * n
        for (s, t, capacity), number in zip(arcs, numbers, strict=True):
            assert 0 <= network.flow(number) <= capacity
            surplus[s] -= network.flow(number)
            surplus[t] += network.flow(number)
        assert surplus == [-value, *[0] * (n - 2), value]


def test_arcs_without_limit():
    network = Network(4)
    network.add(0, 1, 3)
    unlimited = network.add(1, 2, inf)
    network.add(2, 3, 10**30)
    assert network.send(0, 3) == network.flow(unlimited) == 3
    assert network.send(0, 3) == 0


def cut(arcs, side):
    return sum(capacity for s, t, capacity in arcs if s in side and t not in side)
