import pytest

from rlve.envs.number_theory.lcm import LCM, WORDINGS

PROBLEM = LCM(MAX_a_b=15, a=4, b=6, reference_answer=12, prompt_template=0)
SCHEDULE = {d: {"MAX_a_b": n} for d, n in enumerate([15, 22, 33, 49, 73])}
REWARDS = {1.0: ["12", "+12"], 0.0: ["24", "-12"], -1.0: ["12 cm", ""]}
SAMPLES = {150: {"difficulty": range(7)}}


def test_gold_is_the_smallest_common_multiple(problem):
    assert problem.reference_answer == next(
        n for n in range(problem.a, problem.a * problem.b + 1, problem.a) if n % problem.b == 0
    )


@pytest.mark.parametrize("index", [*range(len(WORDINGS)), 10, 137, -1])
def test_every_wording_shows_both_numbers(index):
    problem = LCM(MAX_a_b=900, a=871, b=594, reference_answer=517374, prompt_template=index)
    assert "871" in problem.prompt()
    assert "594" in problem.prompt()
