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


def test_gold_counts_the_pairs():
    primes = {n for n in range(2, 60) if all(n % d for d in range(2, n))}
    for seed in range(120):
        p = GCDPrime_Counting.generate(difficulty=seed % 7, seed=seed)
        pairs = ((x, y) for x in range(1, p.N + 1) for y in range(1, p.M + 1))
        assert p.reference_answer == sum(gcd(x, y) in primes for x, y in pairs)
