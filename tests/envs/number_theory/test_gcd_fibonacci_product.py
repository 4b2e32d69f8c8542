from math import gcd
from random import Random

from rlve.envs.number_theory.gcd_fibonacci_product import GCDFibonacciProduct, fibonacci_product

PROBLEM = GCDFibonacciProduct(MAX_N_M=5, N=4, M=4, MOD=998244353, reference_answer=6)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in enumerate([5, 7, 10, 15, 22, 33])}
REWARDS = {
    1.0: ["6"],
    0.0: ["7", "0", "998244352"],
    -0.5: [
        "998244353",
        "998244359",  # right, but not reduced
        "-1",
    ],
    -1.0: ["six", ""],
}
SAMPLES = {100: {"difficulty": range(6)}}


def brute_force(N, M, MOD):
    fibonacci = [0, 1]
    while len(fibonacci) <= N:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    product = 1
    for i in range(1, N + 1):
        for j in range(1, M + 1):
            product = product * fibonacci[gcd(i, j)] % MOD
    return product


def test_gold_is_the_product(problem):
    assert problem.reference_answer == brute_force(problem.N, problem.M, problem.MOD)


def test_factors_that_vanish_modulo_a_small_modulus():
    rng = Random(0)
    for _ in range(100):
        N, M, MOD = rng.randint(1, 25), rng.randint(1, 25), rng.randint(1, 40)
        assert fibonacci_product(N, M, MOD) == brute_force(N, M, MOD) % MOD
