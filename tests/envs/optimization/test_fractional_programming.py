from fractions import Fraction
from itertools import combinations

from rlve.envs.optimization.fractional_programming import FractionalProgramming

PROBLEM = FractionalProgramming(
    N=3, K=2, B=[2, 1, 3], A=[3, 2, 1], reference_answer="0 1", gold_SumA=5, gold_SumB=3
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 1", "1 0"],
    (4 * 3 / (5 * 5)) ** 5: ["0 2"],
    (3 / 4 * 3 / 5) ** 5: ["1 2"],
    -0.5: ["0", "0 1 2", "0 0", "0 3", "-1 0", ""],
    -1.0: ["0,1"],
}
SAMPLES = {150: {"N": range(3, 9)}}


def test_gold_is_the_highest_of_all_ratios(problem):
    highest = max(
        Fraction(sum(problem.A[i] for i in chosen), sum(problem.B[i] for i in chosen))
        for chosen in combinations(range(problem.N), problem.K)
    )
    assert Fraction(problem.gold_SumA, problem.gold_SumB) == highest
