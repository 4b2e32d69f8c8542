from itertools import permutations

from rlve.envs.optimization.pipeline_arrangement import PipelineArrangement

PROBLEM = PipelineArrangement(
    N=3, A=[3, 1, 2], B=[1, 3, 2], gold_answer=7, reference_answer="1 2 0"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["1 2 0"],
    (7 / 8) ** 5: ["2 1 0"],
    (7 / 10) ** 5: ["0 2 1"],
    -0.5: ["1 2", "1 2 3", "1 1 0", "1 2 -1", "1 2 0 0", ""],
    -1.0: ["1, 2, 0"],
}
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_is_the_smallest_over_all_orders(problem):
    orders = permutations(range(problem.N))
    assert problem.gold_answer == min(longest(problem, order) for order in orders)


def longest(problem, order):
    """The last product leaves B when the longest chain of work before it is done."""
    return max(
        sum(problem.A[i] for i in order[: k + 1]) + sum(problem.B[i] for i in order[k:])
        for k in range(len(order))
    )
