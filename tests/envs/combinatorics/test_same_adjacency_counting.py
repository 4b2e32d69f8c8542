from itertools import pairwise, product
from random import Random

from rlve.envs.combinatorics.same_adjacency_counting import SameAdjacencyCounting

PROBLEM = SameAdjacencyCounting(MAX_N=7, MAX_M=2, N=3, M=2, MOD=4, reference_answer=2)
SCHEDULE = {
    0: {"MAX_N": 7, "MAX_M": 2},
    1: {"MAX_N": 11, "MAX_M": 4},
    2: {"MAX_N": 17, "MAX_M": 7},
    3: {"MAX_N": 26, "MAX_M": 11},
}
REWARDS = {1.0: ["2"], 0.0: ["0", "3"], -0.5: ["4", "6", "-2"], -1.0: ["2 mod 4", ""]}


def test_gold_counts_the_sequences():
    for seed in range(150):
        p = SameAdjacencyCounting.sample(Random(seed), MAX_N=3 + seed % 3, MAX_M=2 + seed % 4)
        assert 2 <= p.N <= p.MAX_N
        assert 2 <= p.M <= p.MAX_M
        assert p.M < p.MOD <= 10 * p.M
        sequences = product(range(p.M), repeat=p.N)
        count = sum(any(a == b for a, b in pairwise(sequence)) for sequence in sequences)
        assert p.reference_answer == count % p.MOD
