from itertools import product
from random import Random

from rlve.envs.number_theory.negative_base import NegativeBase

PROBLEM = NegativeBase(
    MAX_N=16, MAX_R=16, N=-15, R=2, gold_answer=[1, 1, 0, 0, 0, 1], reference_answer="1 1 0 0 0 1"
)
SCHEDULE = {
    0: {"MAX_N": 4, "MAX_R": 4},
    1: {"MAX_N": 8, "MAX_R": 8},
    2: {"MAX_N": 16, "MAX_R": 16},
    10: {"MAX_N": 4096, "MAX_R": 16},
}
REWARDS = {
    1.0: ["1 1 0 0 0 1"],
    5 / 6: ["1 1 0 0 1 1"],
    4 / 6: ["1 1 0 0 9 -1"],
    0.0: ["0 0 1 1 1 0", "0 1 1 0 0 0 1", "1 1 0 0 0", "", "110001"],
    -1.0: ["1 1 0 0 0 A", "1, 1, 0, 0, 0, 1"],
}


def test_digits_are_the_only_ones_with_the_value():
    expansions = {
        R: {value(digits, R): list(digits) for k in range(1, length + 1) for digits in words(R, k)}
        for R, length in ((2, 9), (3, 6), (4, 5), (5, 4), (6, 4), (7, 3), (8, 3))
    }
    for seed in range(200):
        bound = 2 + seed // 6
        problem = NegativeBase.sample(Random(seed), MAX_N=bound, MAX_R=min(bound, 8))
        assert 0 < abs(problem.N) <= bound
        assert problem.gold_answer == expansions[problem.R][problem.N]
        assert problem.reference_answer.split() == [str(digit) for digit in problem.gold_answer]


def test_digits_have_the_value_at_every_level():
    for d in range(21):
        problem = NegativeBase.generate(difficulty=d, seed=d)
        assert value(problem.gold_answer, problem.R) == problem.N
        assert all(0 <= digit < problem.R for digit in problem.gold_answer)
        assert problem.gold_answer[0] > 0


def words(R, length):
    return product(range(1, R), *[range(R)] * (length - 1))


def value(digits, R):
    return sum(digit * (-R) ** i for i, digit in enumerate(reversed(digits)))
