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


def test_schedule():
    assert MaxXorPath.level(0) == [
        {"N": 4, "edge_density": density, "MAX_bit_length": length}
        for density in (0.7, 0.8, 0.9)
        for length in (3, 4, 5, 6, 7)
    ]


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


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("6", 1.0),
        ("3", 0.0),
        ("7", 0.0),
        ("-6", 0.0),
        ("9" * 1000, 0.0),
        ("0 2", -1.0),
        ("six", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


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
