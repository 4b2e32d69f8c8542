from itertools import product

import pytest

from rlve.envs.logic.bit_equation_counting import BitEquationCounting

PROBLEM = BitEquationCounting(N=3, expression="_ & (_ | _)", reference_answer=3)


@pytest.mark.parametrize(("d", "N"), [(0, 2), (1, 3), (2, 4), (8, 10), (20, 45)])
def test_schedule(d, N):
    assert BitEquationCounting.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3", 1.0),
        ("2", (2 / 3) ** 10),
        ("4", (3 / 4) ** 10),
        ("8", (3 / 8) ** 10),
        ("0", 0.0),
        ("9", -0.5),
        ("-1", -0.5),
        ("", -1.0),
        ("3/8", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_count_over_all_values():
    for seed in range(120):
        problem = BitEquationCounting.generate(difficulty=seed % 6, seed=seed)
        assert problem.expression.count("_") == problem.N
        pattern = problem.expression.replace("_", "{}")
        ones = sum(eval(pattern.format(*values)) for values in product([0, 1], repeat=problem.N))
        assert problem.reference_answer == ones
