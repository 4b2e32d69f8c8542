from itertools import combinations

from rlve.envs.arrays.cleaning_up import CleaningUp

PROBLEM = CleaningUp(N=6, A=[2, 2, 5, 1, 5, 5], gold_answer=4)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["2 3 4 6"],
    (4 / 5) ** 5: ["2 6"],
    (4 / 6) ** 5: ["1 2 3 4 5 6"],
    (4 / 9) ** 5: ["6"],
    -0.5: ["2 3 4", "2 3 4 7", "0 2 6", "2 2 6", "4 3 6", "-1 6", "1 2 3 4 5 6 6"],
    -1.0: ["", "2, 6", "end"],
}
SAMPLES = {120: {"N": range(4, 10)}}


def test_gold_is_the_least_cost_of_all_divisions(problem):
    N = problem.N
    assert set(problem.A) <= set(range(1, N + 1))
    A = problem.A
    costs = []
    for k in range(len(A)):
        for cuts in combinations(range(1, len(A)), k):
            bounds = (0, *cuts, len(A))
            batches = [A[bounds[i] : bounds[i + 1]] for i in range(k + 1)]
            costs.append(sum(len(set(batch)) ** 2 for batch in batches))
    assert problem.gold_answer == min(costs)
    assert problem.gold_answer < min(N, len(set(problem.A)) ** 2)
