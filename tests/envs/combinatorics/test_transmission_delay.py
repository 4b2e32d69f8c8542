from itertools import pairwise
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


def test_delays_are_those_of_the_schedule():
    for seed in range(100):
        p = TransmissionDelay.generate(difficulty=1 + seed % 8, seed=seed)
        limits = []
        for bit in "01":
            text = "".join(map(str, p.A))
            places = [i + 1 for i in range(p.N) if text[i] == bit]
            limits += [places[0] - 2, p.N - 1 - places[-1]]
            limits += [(b - a - 2) // 2 for a, b in pairwise(places)]
        assert 1 <= p.D <= max(limits)


def test_first_level_has_several_answers():
    problems = [TransmissionDelay.generate(difficulty=0, seed=seed) for seed in range(60)]
    assert {problem.D for problem in problems} == {1}
    assert {problem.reference_answer for problem in problems} == {2, 4, 5}


def test_counts_beyond_32_bits():
    assert count_arrays([0, 1] * 40, 80) == comb(80, 40)
