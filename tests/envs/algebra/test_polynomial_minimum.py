from fractions import Fraction
from math import nextafter

import pytest

from rlve.envs.algebra.polynomial_minimum import PolynomialMinimum

# 2 (x - 1)^2 + 3, and 2 x^2 + 3 with its minimum at 0
PROBLEM = PolynomialMinimum(
    N=2, coeffs=[5, -4, 2], reference_answer=1.0, reference_value=3.0, worst_value=5.0
)
AT_ZERO = PolynomialMinimum(
    N=2, coeffs=[3, 0, 2], reference_answer=0.0, reference_value=3.0, worst_value=3.0
)
SCHEDULE = {0: {"N": 2}, 1: {"N": 4}, 20: {"N": 42}}
PASSING = 0.95 * 0.999**5
REWARDS = [
    (
        PROBLEM,
        {
            0.95: ["1", "+1.000", "10e-1"],
            0.95 * (3 / 4) ** 5: ["0.5", "1.5"],
            0.0: ["0", "-3", "1e300", "-1e300", "1e-300"],
            -1.0: ["", "1 1", "1/2", "nan", "inf", "1e400"],
        },
    ),
    (AT_ZERO, {0.95: ["0", "-0.0"], 0.0: ["0.001"]}),
]
SAMPLES = {100: {"difficulty": range(3)}}


@pytest.mark.parametrize(("stored", "reward"), [(3.0, 0.95), (4.0, 0.95 + 0.05 / 2)])
def test_an_answer_better_than_the_stored_one_gets_more(stored, reward):
    record = PROBLEM.parameters() | {"reference_value": stored}
    verdict = PolynomialMinimum.from_parameters(record).verify("<answer>1.0</answer>")
    assert verdict.reward == pytest.approx(reward)
    assert verdict.correct


def test_correct_within_a_thousandth():
    for answer, correct in [("1", True), ("1.0316", True), ("1.0317", False), ("0.9683", False)]:
        assert PROBLEM.verify(f"<answer>{answer}</answer>").correct == correct


def test_reference_is_the_minimum(problem):
    x = problem.reference_answer
    least = value(problem, x)
    assert problem.reference_value == float(least)
    assert problem.worst_value == problem.coeffs[0]
    best, step = grid_search(problem)
    assert abs(x - best) <= step
    assert least <= value(problem, nextafter(x, 3))
    assert least <= value(problem, nextafter(x, -3))
    assert problem.verify(f"<answer>{problem.reference()}</answer>").reward == 0.95


def value(problem, x):
    return sum(coefficient * Fraction(x) ** i for i, coefficient in enumerate(problem.coeffs))


def grid_search(problem):
    """The best point of grids that are finer and finer, and the last distance of their points."""
    best, step = Fraction(0), Fraction(1, 4)
    reach = 8
    for _ in range(5):
        points = [best + k * step for k in range(-reach, reach + 1)]
        best = min(points, key=lambda x: value(problem, x))
        reach, step = 10, step / 10
    return best, step * 10
