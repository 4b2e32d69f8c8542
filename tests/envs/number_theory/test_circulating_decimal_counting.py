from fractions import Fraction
from math import gcd

from rlve.envs.number_theory.circulating_decimal_counting import (
    CirculatingDecimalCounting,
    count_values,
)

# 1, 2, 3, 1/3 and 2/3
PROBLEM = CirculatingDecimalCounting(MAX_N=5, MAX_M=5, MAX_K=3, N=3, M=4, K=2, reference_answer=5)
SCHEDULE = {
    0: {"MAX_N": 5, "MAX_M": 5, "MAX_K": 3},
    1: {"MAX_N": 7, "MAX_M": 7, "MAX_K": 4},
    2: {"MAX_N": 10, "MAX_M": 10, "MAX_K": 5},
    8: {"MAX_N": 109, "MAX_M": 109, "MAX_K": 12},
}
REWARDS = {1.0: ["5"], (4 / 5) ** 10: ["4"], (1 / 2) ** 10: ["10"], -1.0: ["0", "-5", "5/3", ""]}
SAMPLES = {120: {"difficulty": range(4)}}


def purely_periodic(value, base):
    """Long division: the first remainder comes back."""
    first = remainder = value.numerator % value.denominator
    for _ in range(value.denominator):
        remainder = remainder * base % value.denominator
        if remainder == first:
            return True
    return False


def test_gold_counts_the_values_by_long_division(problem):
    values = {Fraction(x, y) for x in range(1, problem.N + 1) for y in range(1, problem.M + 1)}
    assert problem.reference_answer == sum(purely_periodic(value, problem.K) for value in values)


def test_larger_bounds_and_bases():
    for N, M, K in [(150, 90, 30), (60, 140, 210), (97, 120, 64), (120, 120, 77)]:
        pairs = sum(gcd(x, y) == 1 == gcd(y, K) for x in range(1, N + 1) for y in range(1, M + 1))
        assert count_values(N, M, K) == pairs
