from itertools import combinations

from rlve.envs.arrays.min_cost_reducing_lnds import MinCostReducingLNDS

PROBLEM = MinCostReducingLNDS(
    N=5,
    A=[2, 1, 3, 3, 1],
    B=[2, 1, 4, 2, 1],
    original_lnds_length=3,
    gold_answer=2,
    reference_answer="3",
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {
    1.0: ["3"],
    (2 / 3) ** 3: ["1 0"],
    (2 / 4) ** 3: ["2"],
    (2 / 10) ** 3: ["3 4 1 0 2"],
    -0.2: ["", "4", "0 4"],
    -0.5: ["3 3", "5", "-1"],
    -1.0: ["3, 4", "none"],
}
SAMPLES = {120: {"N": range(3, 9)}}


def test_gold_is_the_least_cost_of_all_sets(problem):
    original = longest(problem.A)
    assert problem.original_lnds_length == original
    everything = range(problem.N)
    costs = [
        sum(problem.B[i] for i in erased)
        for k in range(1, problem.N + 1)
        for erased in combinations(everything, k)
        if longest([problem.A[i] for i in everything if i not in erased]) < original
    ]
    assert problem.gold_answer == min(costs)


def longest(A):
    ending = []
    for i, a in enumerate(A):
        ending.append(1 + max((ending[j] for j in range(i) if A[j] <= a), default=0))
    return max(ending, default=0)
