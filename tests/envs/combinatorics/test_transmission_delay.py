from math import comb

from rlve.envs.combinatorics.transmission_delay import TransmissionDelay, count_arrays

PROBLEM = TransmissionDelay(N=4, A=[0, 1, 0, 1], D=1, reference_answer=5)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {1.0: ["5"], (4 / 5) ** 10: ["4"], (1 / 2) ** 10: ["10"], -1.0: ["0", "-5", "5.0", ""]}
SAMPLES = {150: {"N": range(4, 8)}}


def test_gold_counts_the_arrays_of_all_permutations(problem):
    A, D = problem.A, problem.D
    assert 2 <= sum(A) <= problem.N - 2
    partial = {(0, ())}  # the set of indices of A in use, and B so far
    for i in range(len(A)):
        partial = {
            (used | 1 << j, (*B, A[j]))
            for used, B in partial
            for j in range(max(0, i - D), min(len(A), i + D + 1))
            if not used >> j & 1
        }
    found = {B for _, B in partial}
    assert tuple(A) in found
    assert problem.reference_answer == len(found)


def test_counts_beyond_32_bits():
    assert count_arrays([0, 1] * 40, 80) == comb(80, 40)
