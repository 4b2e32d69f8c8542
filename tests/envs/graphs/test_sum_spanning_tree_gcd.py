from itertools import combinations
from math import gcd

from rlve.envs.graphs.sum_spanning_tree_gcd import SumSpanningTreeGCD
from support.graphs import spans

PROBLEM = SumSpanningTreeGCD(
    N=3,
    edge_density=0.9,
    edges=[(1, 2, 6), (1, 3, 4), (2, 3, 9)],
    MOD=998244353,
    reference_answer=6,  # gcd(6, 4) + gcd(6, 9) + gcd(4, 9)
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.5, 0.7, 0.9]},
    1: {"N": 5, "edge_density": [0.4, 0.5, 0.7, 0.9]},
    20: {"N": 24, "edge_density": [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9]},
}
REWARDS = {
    1.0: ["6"],
    0.0: ["7", "0", "998244352"],
    -0.5: ["998244353", "998244359", "-1"],
    -1.0: ["", "six"],
}
SAMPLES = {120: {"difficulty": range(3)}}


def test_gold_is_the_sum_over_all_trees(problem):
    choices = combinations(problem.edges, problem.N - 1)
    values = [gcd(*(w for _, _, w in tree)) for tree in choices if spans(tree, problem.N)]
    assert problem.reference_answer == sum(values) % problem.MOD
    assert len({(u, v) for u, v, _ in problem.edges}) == len(problem.edges)
