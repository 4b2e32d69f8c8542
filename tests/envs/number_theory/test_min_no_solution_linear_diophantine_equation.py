from math import gcd
from random import Random

import pytest

from rlve.envs.number_theory.min_no_solution_linear_diophantine_equation import (
    MinNoSolutionLinearDiophantineEquation,
)

PROBLEM = MinNoSolutionLinearDiophantineEquation(MAX_A_B=16, A=3, B=7, reference_answer=11)


def test_schedule():
    levels = [MinNoSolutionLinearDiophantineEquation.level(d) for d in (0, 1, 2, 20)]
    assert levels == [[{"MAX_A_B": bound}] for bound in (16, 32, 64, 16 * 2**20)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("11", 1.0),
        ("+011", 1.0),
        ("12", 0.0),
        ("8", 0.0),
        ("-11", 0.0),
        ("9" * 1000, 0.0),
        ("9" * 1002, -1.0),
        ("11.0", -1.0),
        ("z = 11", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_is_the_largest_number_that_no_sum_reaches():
    for seed in range(150):
        problem = MinNoSolutionLinearDiophantineEquation.sample(Random(seed), 3 + seed // 6)
        A, B = problem.A, problem.B
        assert 2 <= min(A, B) <= max(A, B) <= problem.MAX_A_B
        assert gcd(A, B) == 1
        reached = {A * x + B * y for x in range(B + 1) for y in range(A + 1)}
        missed = [z for z in range(A * B + 1) if z not in reached]
        assert problem.reference_answer == missed[-1]
