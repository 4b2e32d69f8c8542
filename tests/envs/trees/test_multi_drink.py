from itertools import pairwise
from random import Random

from rlve.envs.trees.multi_drink import MultiDrink
from support.graphs import distances

# The path 2 - 0 - 3 - 1 - 4.
PROBLEM = MultiDrink(N=5, edges=[(0, 2), (1, 3), (0, 3), (1, 4)], reference_answer="2 0 3 1 4")
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["2 0 3 1 4", "4 1 3 0 2", "2 3 4 1 0", "0 2 3 1 4"],
    (3 / 4) ** 5: ["0 2 1 3 4"],
    (2 / 4) ** 5: ["2 4 0 3 1"],
    -0.5: ["2 0 3 1", "2 0 3 1 4 4", "2 0 3 1 1", "1 2 3 4 5", ""],
    -1.0: ["2, 0, 3, 1, 4"],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_score_counts_the_pairs_that_are_near(problem, seed):
    n = problem.N
    far = distances(range(n), problem.edges)
    order = Random(seed).sample(range(n), n)
    near = sum(far[pair] <= 2 for pair in pairwise(order))
    assert problem.score(order) == (near / (n - 1)) ** 5
