from itertools import combinations

from rlve.envs.arrays.max_non_adjacent_k_element_sum import Max_NonAdjacent_KElementSum

PROBLEM = Max_NonAdjacent_KElementSum(N=5, K=2, A=[4, 5, 4, 1, 2], gold_answer=8)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 10: {"N": 18}, 20: {"N": 56}}
REWARDS = {
    1.0: ["0 2", "2 0"],
    (7 / 8) ** 5: ["1 4"],
    (6 / 8) ** 5: ["0 4"],
    -0.5: ["0 1", "1 1", "1", "0 2 4", "1 5", "-1 1", ""],
    -1.0: ["0, 2"],
}
SAMPLES = {150: {"N": range(4, 11)}}


def test_gold_is_the_largest_sum_of_all_choices(problem):
    sums = []
    for chosen in combinations(range(problem.N), problem.K):
        if all(abs(i - j) != 1 for i, j in combinations(chosen, 2)):
            sums.append(sum(problem.A[i] for i in chosen))
    assert problem.gold_answer == max(sums)
