from itertools import combinations

from rlve.envs.arrays.weighted_lis import WeightedLIS

PROBLEM = WeightedLIS(N=5, arrayA=[2, 4, 2, 5, 0], arrayB=[1, 3, 3, 2, 5], gold_answer=6)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 10: {"N": 18}, 20: {"N": 56}}
REWARDS = {
    1.0: ["0 2 3", "0 1 3"],
    (5 / 6) ** 5: ["4"],
    (1 / 6) ** 5: ["0"],
    0.0: [""],
    -0.5: ["1 2", "3 0", "0 0", "0 5", "-1 3"],
    -1.0: ["0, 2"],
}
SAMPLES = {120: {"N": range(1, 9)}}


def test_gold_is_the_largest_weight_of_all_subsequences(problem):
    pairs = list(zip(problem.arrayA, problem.arrayB, strict=True))
    weights = [
        sum(b for _, b in part)
        for k in range(1, problem.N + 1)
        for part in combinations(pairs, k)
        if sorted(a for a, _ in part) == [a for a, _ in part]
    ]
    assert problem.gold_answer == max(weights)
