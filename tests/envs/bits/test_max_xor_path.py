from random import Random

from rlve.envs.bits.max_xor_path import MaxXorPath
from support.searching import ways

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


REWARDS = {1.0: ["6"], 0.0: ["3", "7", "-6", "9" * 1000], -1.0: ["0 2", "six", ""]}


def test_largest_of_all_that_walks_reach():
    for seed in range(120):
        rng = Random(seed)
        problem = MaxXorPath.sample(rng, **rng.choice(MaxXorPath.level(seed % 4)[::5]))
        assert problem.reference_answer == max(reachable(problem)) < 2**problem.MAX_bit_length - 1
        assert all(u < v and 0 <= w < 2**problem.MAX_bit_length for u, v, w in problem.edges)


def reachable(problem):
    """The XORs with which the last vertex is reached, by a search over vertices with XORs."""

    def steps(state):
        for u, v, w in problem.edges:
            if state[0] in (u, v):
                yield w, (u + v - state[0], state[1] ^ w)

    return {x for (vertex, x), _ in ways((0, 0), steps) if vertex == problem.N - 1}
