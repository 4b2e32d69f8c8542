from itertools import pairwise, product

from rlve.envs.combinatorics.same_adjacency_counting import SameAdjacencyCounting

PROBLEM = SameAdjacencyCounting(MAX_N=7, MAX_M=2, N=3, M=2, MOD=4, reference_answer=2)
SCHEDULE = {
    0: {"MAX_N": 7, "MAX_M": 2},
    1: {"MAX_N": 11, "MAX_M": 4},
    2: {"MAX_N": 17, "MAX_M": 7},
    3: {"MAX_N": 26, "MAX_M": 11},
}
REWARDS = {1.0: ["2"], 0.0: ["0", "3"], -0.5: ["4", "6", "-2"], -1.0: ["2 mod 4", ""]}
SAMPLES = {150: {"MAX_N": range(3, 6), "MAX_M": range(2, 6)}}


def test_gold_counts_the_sequences(problem):
    assert 2 <= problem.N <= problem.MAX_N
    assert 2 <= problem.M <= problem.MAX_M
    assert problem.M < problem.MOD <= 10 * problem.M
    sequences = product(range(problem.M), repeat=problem.N)
    count = sum(any(a == b for a, b in pairwise(sequence)) for sequence in sequences)
    assert problem.reference_answer == count % problem.MOD
