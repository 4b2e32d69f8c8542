from itertools import combinations

from rlve.envs.number_theory.subset_sum_sequence import SubsetSumSequence

PROBLEM = SubsetSumSequence(MAX_N=6, MAX_K=3, N=5, K=3, reference_answer=10)
SCHEDULE = {
    0: {"MAX_N": 3, "MAX_K": 2},
    1: {"MAX_N": 6, "MAX_K": 3},
    20: {"MAX_N": 3 * 2**20, "MAX_K": 22},
}
REWARDS = {
    1.0: ["10"],
    (9 / 10) ** 2: ["9"],
    (10 / 12) ** 2: ["12"],
    (1 / 10) ** 2: ["1"],
    0.0: ["11", "2", "9" * 1000, str(3**2000), str(3**8000)],
    -1.0: ["9" * 4002, "0", "-10", "101 in base 3", ""],
}
SAMPLES = {150: {"MAX_N": range(3, 153), "MAX_K": range(2, 17)}}


def test_answer_is_the_term_of_the_sorted_sums(problem):
    assert 1 <= problem.N <= problem.MAX_N
    assert 2 <= problem.K <= problem.MAX_K
    powers = [problem.K**i for i in range(8)]
    sums = sorted(sum(chosen) for n in range(1, 9) for chosen in combinations(powers, n))
    assert problem.reference_answer == sums[problem.N - 1]
