from math import comb
from random import Random

from rlve.envs.combinatorics.transmission_delay import TransmissionDelay, count_arrays

PROBLEM = TransmissionDelay(N=4, A=[0, 1, 0, 1], D=1, reference_answer=5)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {1.0: ["5"], (4 / 5) ** 10: ["4"], (1 / 2) ** 10: ["10"], -1.0: ["0", "-5", "5.0", ""]}


def test_gold_counts_the_arrays_of_all_permutations():
    assert len(reachable([0, 1, 0, 1], 1)) == 5
    for seed in range(150):
        p = TransmissionDelay.sample(Random(seed), N=4 + seed % 4)
        assert 2 <= sum(p.A) <= p.N - 2
        found = reachable(p.A, p.D)
        assert tuple(p.A) in found
        assert p.reference_answer == len(found)


def reachable(A, D):
    partial = {(0, ())}  # the set of indices of A in use, and B so far
    for i in range(len(A)):
        partial = {
            (used | 1 << j, (*B, A[j]))
            for used, B in partial
            for j in range(max(0, i - D), min(len(A), i + D + 1))
            if not used >> j & 1
        }
    return {B for _, B in partial}


def test_counts_beyond_32_bits():
    assert count_arrays([0, 1] * 40, 80) == comb(80, 40)
