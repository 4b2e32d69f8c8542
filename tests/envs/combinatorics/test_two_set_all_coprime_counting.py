from itertools import product
from math import gcd
from random import Random

from rlve.envs.combinatorics.two_set_all_coprime_counting import (
    TwoSet_AllCoprime_Counting,
    count_pairs,
)

PROBLEM = TwoSet_AllCoprime_Counting(N=8, set=[4, 2], reference_answer=7)
SCHEDULE = {0: {"N": 8}, 1: {"N": 9}, 2: {"N": 10}, 3: {"N": 12}, 4: {"N": 14}, 5: {"N": 16}}
REWARDS = {1.0: ["7"], (6 / 7) ** 10: ["6"], (1 / 2) ** 10: ["14"], -1.0: ["0", "-7", "7.0", ""]}
SAMPLES = {200: {"N": range(8, 28)}}


def test_gold_counts_the_pairs(problem):
    assert 2 <= len(problem.set) < problem.N
    assert len(problem.set) == len(set(problem.set))
    assert 2 <= min(problem.set) <= max(problem.set) <= problem.N
    if len(problem.set) <= 8:
        assert problem.reference_answer == by_brute_force(problem.set)


def by_brute_force(numbers):
    count = 0
    for places in product("ST-", repeat=len(numbers)):
        S = [number for number, place in zip(numbers, places, strict=True) if place == "S"]
        T = [number for number, place in zip(numbers, places, strict=True) if place == "T"]
        count += all(gcd(s, t) == 1 for s in S for t in T)
    return count


def test_numbers_with_large_primes():
    rng = Random(1)
    for _ in range(40):
        numbers = rng.sample(range(2, 100), 6)
        assert count_pairs(numbers) == by_brute_force(numbers)
    multiples = [37, 74, 111, 4, 9]
    assert count_pairs(multiples) == by_brute_force(multiples)
