from itertools import permutations

from rlve.envs.permutations.max_tree_constrained_permutation_weight import (
    Max_TreeConstrainedPermutation_Weight,
)

PROBLEM = Max_TreeConstrainedPermutation_Weight(N=3, W=[3, 1, 2], A=[0, 1, 0], gold_answer=11)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["3 1 2", "1 2 3"],
    (10 / 11) ** 5: ["1 3 2"],
    -0.5: ["3 2 1", "2 1 3", "1 2", "1 2 2", "0 1 2", "1 2 3 4", ""],
    -1.0: ["1,2,3"],
}
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_agrees_with_all_permutations(problem):
    assert all(0 <= before < after for after, before in enumerate(problem.A, 1))
    sums = [
        sum(i * problem.W[e - 1] for i, e in enumerate(P, 1))
        for P in permutations(range(1, problem.N + 1))
        if all(
            before == 0 or P.index(before) < P.index(after)
            for after, before in enumerate(problem.A, 1)
        )
    ]
    assert problem.gold_answer == max(sums)
