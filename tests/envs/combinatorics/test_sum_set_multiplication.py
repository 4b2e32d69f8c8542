from itertools import permutations
from math import factorial, prod
from random import Random

from rlve.envs.combinatorics.sum_set_multiplication import SumSetMultiplication, sum_of_products

PROBLEM = SumSetMultiplication(MAX_N=3, MAX_K=8, N=3, K=4, MOD=998244353, reference_answer=300)
SCHEDULE = {
    0: {"MAX_N": 3, "MAX_K": 8},
    1: {"MAX_N": 4, "MAX_K": 12},
    2: {"MAX_N": 5, "MAX_K": 18},
    3: {"MAX_N": 6, "MAX_K": 27},
    20: {"MAX_N": 23, "MAX_K": 26151},
}
REWARDS = {
    1.0: ["300"],
    0.0: [
        "50",  # of sets
        "0",
        "998244352",
    ],
    -0.5: ["998244353", "-1"],
    -1.0: ["6 * 50", ""],
}


def test_gold_adds_up_all_sequences():
    for N in range(1, 6):
        for K in range(N, 8):
            sequences = permutations(range(1, K + 1), N)
            assert sum_of_products(N, K) == sum(map(prod, sequences))
    for seed in range(150):
        p = SumSetMultiplication.sample(Random(seed), MAX_N=3 + seed % 8, MAX_K=15 + seed)
        assert 3 <= p.N <= p.MAX_N
        assert p.N < p.K <= p.MAX_K
        sums = [1] + [0] * p.N  # over sets, by size
        for x in range(1, p.K + 1):
            for size in range(p.N, 0, -1):
                sums[size] += x * sums[size - 1]
        assert p.reference_answer == factorial(p.N) * sums[p.N] % p.MOD
