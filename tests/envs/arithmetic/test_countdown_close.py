from fractions import Fraction

import pytest

from rlve.envs.arithmetic.countdown_close import CountdownClose
from support.arithmetic import results

PROBLEM = CountdownClose(
    num_operands=3,
    max_operand=8,
    max_target=80,
    target=74,
    operands=[4, 6, 8],
    reference_result=72.0,
)
SCHEDULE = {
    d: [
        {"num_operands": 3 + d, "max_operand": n, "max_target": 10 * n}
        for n in (8, 16, 24, 32, 40, 48)
    ]
    for d in (0, 1, 20)
}
PASSING = 1 / 3  # earned by 72, the closest to 74
REWARDS = {
    1 / 3: ["6 * (4 + 8)", "(8 + 4) * 6"],
    1 / 71: ["8 / (6 - 4) "],
    12 / 899: ["4 / (6 * 8)"],
    1 / (1 + 192 - 74): ["4 * 6 * 8"],
    1 / (1 + 192 + 74): ["-(4 * 6 * 8)"],
    -0.5: ["4 + 6", "4 + 6 + 8 + 1", "46 + 8", "as close as possible", ""],
    -1.0: [
        "4 6 8",
        "4 ** 6 + 8",
        "4 // 6 + 8",
        "4.6 * 8",
        "4 * 6 +* 8",
        "(4 + 6) * 8)",
        "pow(4, 6) + 8",
    ],
}
SAMPLES = {100: {"difficulty": [1, *[0] * 19]}}


def test_division_by_zero_is_unparseable():
    problem = CountdownClose.from_parameters(PROBLEM.parameters() | {"operands": [4, 4, 8]})
    assert problem.verify("<answer>8 / (4 - 4)</answer>").reward == -1.0


@pytest.mark.parametrize("stored", [92 / 3, 92 / 3 + 1e-12, 92 / 3 - 1e-12])
def test_rounding_errors_of_a_stored_result_do_not_matter(stored):
    problem = CountdownClose(
        num_operands=4,
        max_operand=24,
        max_target=240,
        target=31,
        operands=[3, 23, 2, 2],
        reference_result=stored,
    )
    assert problem.verify("<answer>23 * (2 + 2) / 3</answer>").correct
    assert not problem.verify("<answer>23 + 3 + 2 + 2</answer>").correct


def test_more_than_six_numbers_have_to_reach_the_target():
    problem = CountdownClose(
        num_operands=8,
        max_operand=48,
        max_target=480,
        target=1,
        operands=[48, 48, 48, 48, 48, 47, 1, 1],
    )
    assert problem.passing == 1.0
    assert "reference_result" not in problem.parameters()
    close = problem.verify("<answer>1 + (1 - 47/48) / 48 / 48 / 48 / 48</answer>")
    assert close.reward == pytest.approx(1.0, abs=1e-8)
    assert close.reward < 1.0
    assert not close.correct
    assert problem.verify(f"<answer>{problem.reference()}</answer>").reward == 1.0


def test_result_is_the_closest_of_all_values(problem):
    best = min(abs(v - problem.target) for v in results([Fraction(n) for n in problem.operands]))
    assert abs(problem.reference_result - problem.target) == pytest.approx(float(best))
