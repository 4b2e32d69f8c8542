from random import Random

import pytest

from rlve.envs.bits.max_xor_path import MaxXorPath

# 0 - 2 is 6; with the cycle 0 - 1 - 2 - 0 it is 3
PROBLEM = MaxXorPath(
    N=3,
    edge_density=0.9,
    MAX_bit_length=3,
    edges=[(0, 2, 6), (0, 1, 1), (1, 2, 2)],
    reference_answer=6,
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.7, 0.8, 0.9], "MAX_bit_length": range(3, 8)},
    1: {"N": 5, "edge_density": [0.5, 0.6, 0.7, 0.8, 0.9], "MAX_bit_length": range(4, 9)},
    8: {"N": 14, "edge_density": [i / 10 for i in range(2, 10)], "MAX_bit_length": range(5, 10)},
    20: {"N": 56, "edge_density": [i / 10 for i in range(1, 10)], "MAX_bit_length": range(7, 12)},
}


@pytest.mark.parametrize(
    ("d", "N", "lengths", "densities"),
    [(1, 5, (4, 8), 5), (8, 14, (5, 9), 8), (20, 56, (7, 11), 9)],
)
def test_schedule_grows(d, N, lengths, densities):
    level = MaxXorPath.level(d)
    assert {settings["N"] for settings in level} == {N}
    found = {settings["MAX_bit_length"] for settings in level}
    assert (min(found), max(found)) == lengths
    assert len({settings["edge_density"] for settings in level}) == densities
    assert len(level) == 5 * densities


REWARDS = {1.0: ["6"], 0.0: ["3", "7", "-6", "9" * 1000], -1.0: ["0 2", "six", ""]}


def test_largest_of_all_that_walks_reach():
    for seed in range(120):
        rng = Random(seed)
        problem = MaxXorPath.sample(rng, **rng.choice(MaxXorPath.level(seed % 4)[::5]))
        assert problem.reference_answer == max(reachable(problem)) < 2**problem.MAX_bit_length - 1
        assert all(u < v and 0 <= w < 2**problem.MAX_bit_length for u, v, w in problem.edges)


def reachable(problem):
    """The XORs with which the last vertex is reached, by a search over vertices with XORs."""
    states, stack = {(0, 0)}, [(0, 0)]
    while stack:
        vertex, x = stack.pop()
        for u, v, w in problem.edges:
            if vertex in (u, v) and (state := (u + v - vertex, x ^ w)) not in states:
                states.add(state)
                stack.append(state)
    return {x for vertex, x in states if vertex == problem.N - 1}
