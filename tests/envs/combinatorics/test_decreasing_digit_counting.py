from itertools import pairwise
from random import Random

from rlve.envs.combinatorics.decreasing_digit_counting import DecreasingDigitCounting, increasing

PROBLEM = DecreasingDigitCounting(MAX_K=2, MAX_W=8, K=2, W=4, reference_answer=3)
SCHEDULE = {
    0: {"MAX_K": 2, "MAX_W": 8},
    1: {"MAX_K": 3, "MAX_W": 24},
    11: {"MAX_K": 13, "MAX_W": 106496},
}
REWARDS = {
    1.0: ["3"],
    (2 / 3) ** 10: ["2"],
    (1 / 2) ** 10: ["6"],
    0.0: ["0"],
    -1.0: ["-3", "three", ""],
}


def test_number_of_integers():
    counts = {K: enumerated(K, 14) for K in (2, 3, 4)}
    for K, by_length in counts.items():
        for W in range(K + 1, 15):
            assert increasing(K, W) == sum(by_length[: W + 1])
    for seed in range(100):
        problem = DecreasingDigitCounting.sample(Random(seed), MAX_K=2 + seed % 3, MAX_W=14)
        assert problem.K < problem.W <= 14
        assert problem.reference_answer == sum(counts[problem.K][: problem.W + 1])


def enumerated(K, W):
    """By their number of bits, how many integers have increasing digits."""
    counts = [0] * (W + 1)
    for R in range(2**K, 2**W):
        bits = bin(R)[2:]
        padded = bits.zfill(-(-len(bits) // K) * K)
        digits = [padded[i : i + K] for i in range(0, len(padded), K)]
        counts[len(bits)] += all(x < y for x, y in pairwise(digits))
    return counts
