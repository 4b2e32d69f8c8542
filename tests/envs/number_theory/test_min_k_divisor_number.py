from random import Random

from rlve.envs.number_theory.min_k_divisor_number import (
    MAX_ANSWER,
    MinKDivisorNumber,
    count_divisors,
    smallest_with_divisors,
)

PROBLEM = MinKDivisorNumber(MAX_K=5, K=4, reference_answer=6)
LARGE = MinKDivisorNumber(MAX_K=331, K=331, reference_answer=2**330)
HUGE = MinKDivisorNumber(MAX_K=10007, K=10007, reference_answer=2**10006)
SCHEDULE = {0: {"MAX_K": 5}, 1: {"MAX_K": 10}, 2: {"MAX_K": 20}, 10: {"MAX_K": 5120}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["6"],
            (6 / 8) ** 2: ["8"],
            (6 / 10) ** 2: ["10"],
            (6 / 180_002) ** 2: [str(2 * 90_001)],  # 90,001 is a prime
            0.0: [
                str(2 * 1_000_003),  # the shape is below 1e-9
                "7",
                "12",
                "1",
            ],
            -1.0: ["0", "-6", "2 * 3", ""],
        },
    ),
    (LARGE, {1.0: [str(2**330)], 0.0: [str(2**330 + 1), "9" * 1000]}),
    (HUGE, {1.0: [str(2**10006)], 0.0: [str(2**10006 * 6), "9" * 4000], -1.0: ["9" * 5000]}),
]


def divisor_counts(limit):
    counts = [0] * (limit + 1)
    for d in range(1, limit + 1):
        for n in range(d, limit + 1, d):
            counts[n] += 1
    return counts


COUNTS = divisor_counts(20_000)


def test_count_divisors():
    for n in range(1, 3000):
        assert count_divisors(n) == COUNTS[n]
    assert count_divisors(1009**2 * 10007 * 12) == 3 * 2 * 6
    assert count_divisors((10**9 + 7) * (10**9 + 9)) == 0


def test_gold_is_the_smallest():
    first = {count: n for n, count in reversed(list(enumerate(COUNTS)))}
    for K in range(1, 200):
        smallest = smallest_with_divisors(K)
        assert smallest == first.get(K, smallest)
        assert K in first or smallest > 20_000
    assert sum(K in first for K in range(1, 200)) > 40


def test_gold_against_plain_search_over_exponents():
    for seed in range(100):
        problem = MinKDivisorNumber.sample(Random(seed), MAX_K=3000)
        assert problem.reference_answer < MAX_ANSWER
        assert problem.reference_answer == plain_search(problem.K)


def plain_search(K, primes=(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
    if K == 1:
        return 1
    factors = [f for f in range(2, K + 1) if K % f == 0]
    return min(primes[0] ** (f - 1) * plain_search(K // f, primes[1:]) for f in factors)
