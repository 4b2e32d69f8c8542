from math import gcd

from rlve.envs.number_theory.gcd_prime_counting import GCDPrime_Counting

PROBLEM = GCDPrime_Counting(MAX_N_M=5, N=4, M=5, reference_answer=4)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in enumerate([5, 7, 10, 15, 22, 33])}
REWARDS = {
    1.0: ["4"],
    (3 / 4) ** 10: ["3"],
    (1 / 2) ** 10: ["8"],
    0.0: ["0"],
    -1.0: ["-4", "4 pairs", ""],
}
SAMPLES = {120: {"difficulty": range(7)}}


def test_gold_counts_the_pairs(problem):
    primes = {n for n in range(2, 60) if all(n % d for d in range(2, n))}
    pairs = ((x, y) for x in range(1, problem.N + 1) for y in range(1, problem.M + 1))
    assert problem.reference_answer == sum(gcd(x, y) in primes for x, y in pairs)
