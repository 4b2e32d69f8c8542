from math import gcd, lcm

from rlve.envs.number_theory.gcd_lcm_counting import GcdLcmCounting, count_pairs, most_primes

PROBLEM = GcdLcmCounting(MAX_LCM=60, LCM=60, GCD=2, reference_answer=8)
NO_PAIR = GcdLcmCounting(MAX_LCM=10, LCM=8, GCD=3, reference_answer=0)
SCHEDULE = {d: {"MAX_LCM": n} for d, n in enumerate([10, 15, 22, 33, 49])}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["8"],
            (1 / 2) ** 10: ["4", "16"],
            (1 / 8) ** 10: ["1"],
            0.0: [
                "7",  # no power of two
                "9",
                "0",
            ],
            -1.0: ["-8", "2^3", ""],
        },
    ),
    (NO_PAIR, {1.0: ["0"], 0.0: ["1", "3"]}),
]
SAMPLES = {150: {"MAX_LCM": range(10, 45)}}


def test_gold_counts_the_pairs(problem):
    assert 1 <= problem.GCD <= problem.LCM <= problem.MAX_LCM
    found = (problem.GCD, problem.LCM)
    values = range(1, problem.LCM + 1)
    count = sum((gcd(P, Q), lcm(P, Q)) == found for P in values for Q in values)
    assert problem.reference_answer == count_pairs(problem.LCM, problem.GCD) == count


def test_most_primes():
    assert [most_primes(n) for n in (1, 2, 5, 6, 29, 30, 209, 210, 30029, 30030)] == [
        0, 1, 1, 2, 2, 3, 3, 4, 5, 6,
    ]  # fmt: skip
