from itertools import combinations

from rlve.envs.arrays.minimum_max_slicer import Minimum_MaxSlicer

PROBLEM = Minimum_MaxSlicer(N=6, M=3, A=[2, 5, 3, 1, 4, 2], gold_answer=7, reference_answer="1 3 5")
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 10: {"N": 18}, 20: {"N": 56}}
REWARDS = {
    1.0: ["1 3 5"],
    (7 / 8) ** 3: ["0 2 5"],
    (7 / 10) ** 3: ["2 4 5"],
    -0.5: ["1 5", "1 2 3 5", "1 3 4", "1 3 6", "-1 3 5", "3 1 5", "3 3 5", ""],
    -1.0: ["1, 3, 5"],
}
SAMPLES = {150: {"N": range(4, 11)}}


def test_gold_is_the_best_of_all_ways_to_cut(problem):
    found = []
    for cuts in combinations(range(1, problem.N), problem.M - 1):
        sums = [0] * problem.M
        for i, a in enumerate(problem.A):
            sums[sum(cut <= i for cut in cuts)] += a
        found.append(max(sums))
    assert problem.gold_answer == min(found)
