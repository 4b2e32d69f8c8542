from math import lcm

import pytest

from rlve.envs.number_theory.crt import CRT

PROBLEM = CRT(MAX_X=5, M=2, B=[4, 6], X_mod_B=[1, 5], reference_answer=5)


def test_schedule():
    assert CRT.level(0) == [{"MAX_X": 5, "M": 2}]
    assert CRT.level(2) == [{"MAX_X": 10, "M": 2}]
    assert CRT.level(3) == [{"MAX_X": 10, "M": 2}, {"MAX_X": 10, "M": 3}]
    assert [level[-1] for level in map(CRT.level, (4, 5, 6, 7, 20))] == [
        {"MAX_X": 15, "M": 3},
        {"MAX_X": 22, "M": 3},
        {"MAX_X": 22, "M": 4},
        {"MAX_X": 33, "M": 4},
        {"MAX_X": 1234, "M": 8},
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("5", 1.0),
        ("17", 1.0),  # another solution
        ("1", (1 / 2) ** 10),
        ("0", 0.0),
        ("-7", -1.0),
        ("5 17", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_planted_number_and_its_residue_class_are_the_solutions():
    for seed in range(100):
        problem = CRT.generate(difficulty=seed % 5, seed=seed)
        period = lcm(*problem.B)
        assert len(set(problem.B)) == min(problem.M, problem.reference_answer - 1)
        right = [
            x for x in range(min(period, 400)) if problem.verify(f"<answer>{x}</answer>").correct
        ]
        assert right == [x for x in [problem.reference_answer % period] if x < 400]
