from functools import cache
from itertools import pairwise
from random import Random

from rlve.envs.arrays.wyr_leveling_ground import WYRLevelingGround
from support.searching import ways

PROBLEM = WYRLevelingGround(N=2, A=2, B=3, H=[-14, -4], reference_answer=6)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 2: {"N": 4}, 3: {"N": 5}, 10: {"N": 14}, 20: {"N": 45}}
REWARDS = {1.0: ["6"], 0.0: ["5", "7", "-6"], -1.0: ["6.0", "6 6", ""]}
SAMPLES = {150: {"N": 2}}


def test_answer_is_the_shortest_way_in_the_graph_of_arrays(problem):
    assert problem.reference_answer == distances(problem.A, problem.B)[tuple(problem.H)]


@cache
def distances(A, B, farthest=45):
    """From (0, 0) to all arrays of two elements."""

    def additions(array):
        for s in (A, -A, B, -B):
            for left, right in ((1, 0), (0, 1), (1, 1)):
                after = array[0] + s * left, array[1] + s * right
                if max(map(abs, after)) <= farthest:
                    yield s, after

    return {array: len(way) for array, way in ways((0, 0), additions)}


def test_answer_is_the_minimum_over_all_ways_to_write_the_differences():
    for seed in range(100):
        problem = WYRLevelingGround.sample(Random(seed), N=1 + seed % 6)
        assert problem.reference_answer == fewest(problem)


def fewest(problem):
    """Over the sum of the coefficients x of A; no |x| exceeds the number of operations."""
    most = problem.reference_answer
    costs = {0: 0}
    for before, after in pairwise([0, *problem.H, 0]):
        written = [
            (x, abs(x) + abs(rest // problem.B))
            for x in range(-most, most + 1)
            if (rest := after - before - problem.A * x) % problem.B == 0
        ]
        previous, costs = costs, {}
        for total, cost in previous.items():
            for x, added in written:
                costs[total + x] = min(cost + added, costs.get(total + x, cost + added))
    return costs[0] / 2
