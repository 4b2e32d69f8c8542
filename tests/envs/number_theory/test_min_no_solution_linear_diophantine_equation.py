from math import gcd

from rlve.envs.number_theory.min_no_solution_linear_diophantine_equation import (
    MinNoSolutionLinearDiophantineEquation,
)

PROBLEM = MinNoSolutionLinearDiophantineEquation(MAX_A_B=16, A=3, B=7, reference_answer=11)
SCHEDULE = {0: {"MAX_A_B": 16}, 1: {"MAX_A_B": 32}, 2: {"MAX_A_B": 64}, 20: {"MAX_A_B": 16 * 2**20}}
REWARDS = {
    1.0: ["11", "+011"],
    0.0: ["12", "8", "-11", "9" * 1000],
    -1.0: ["9" * 1002, "11.0", "z = 11", ""],
}
SAMPLES = {150: {"MAX_A_B": range(3, 28)}}


def test_answer_is_the_largest_number_that_no_sum_reaches(problem):
    A, B = problem.A, problem.B
    assert 2 <= min(A, B) <= max(A, B) <= problem.MAX_A_B
    assert gcd(A, B) == 1
    reached = {A * x + B * y for x in range(B + 1) for y in range(A + 1)}
    missed = [z for z in range(A * B + 1) if z not in reached]
    assert problem.reference_answer == missed[-1]
