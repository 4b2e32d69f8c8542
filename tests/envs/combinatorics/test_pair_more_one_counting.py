from math import comb

from rlve.envs.combinatorics.pair_more_one_counting import PairMoreOneCounting

PROBLEM = PairMoreOneCounting(MAX_M=10, MAX_delta=5, M=1, delta=1, K=1, reference_answer=4)
SCHEDULE = {
    0: {"MAX_M": 10, "MAX_delta": 5},
    1: {"MAX_M": 20, "MAX_delta": 6},
    2: {"MAX_M": 40, "MAX_delta": 7},
    20: {"MAX_M": 10 * 2**20, "MAX_delta": 62},
}
REWARDS = {1.0: ["4"], 0.0: ["5", "0", "9"], -0.5: ["10", "-1"], -1.0: ["4.0", ""]}
SAMPLES = {150: {"difficulty": range(5)}}


def test_gold_counts_the_pairs(problem):
    N, M = problem.M + problem.delta, problem.M
    fewer = [0]  # strings T with less than i ones
    for ones in range(M + 1):
        fewer.append(fewer[-1] + comb(M, ones))
    count = sum(comb(N, i) * fewer[min(i, M + 1)] for i in range(N + 1))
    assert problem.reference_answer == count % 10**problem.K
