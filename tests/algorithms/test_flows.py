from itertools import combinations
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.algorithms import flows
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


VERTICES = st.integers(0, 7)


@given(st.lists(st.tuples(VERTICES, VERTICES, st.integers(0, 9)), max_size=40))
def test_layers_at_a_time_make_no_difference(arcs):
    rooms = []
    for many in (flows.MANY_ARCS, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(flows, "MANY_ARCS", many)
            network = Network(8)
            for arc in arcs:
                network.add(*arc)
            network.send(0, 7)
        rooms.append(network.room)
    assert rooms[0] == rooms[1]


def test_arcs_without_limit():
    network = Network(4)
    network.add(0, 1, 3)
    unlimited = network.add(1, 2, inf)
    network.add(2, 3, 10**30)
    assert network.send(0, 3) == network.flow(unlimited) == 3
    assert network.send(0, 3) == 0


def cut(arcs, side):
    return sum(capacity for s, t, capacity in arcs if s in side and t not in side)
