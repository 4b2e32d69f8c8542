from itertools import permutations
from random import Random

import pytest

from rlve.envs.permutations.cantor_expansion import CantorExpansion

PROBLEM = CantorExpansion(N=4, A=[2, 3, 1, 2], MOD=6, reference_answer=1)  # 7 modulo 6


def test_schedule():
    assert [CantorExpansion.level(d)[0]["N"] for d in (0, 1, 2, 20)] == [3, 4, 5, 23]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1", 1.0),
        ("2", 0.0),
        ("0", 0.0),
        ("7", -0.5),
        ("6", -0.5),
        ("-5", -0.5),
        ("1.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_count_agrees_with_all_rearrangements():
    for seed in range(200):
        problem = CantorExpansion.sample(Random(seed), N=3 + seed % 4)
        assert all(1 <= value <= problem.N for value in problem.A)
        assert 2 <= problem.MOD <= 100_000
        smaller = {p for p in permutations(problem.A) if p < tuple(problem.A)}
        assert problem.reference_answer == len(smaller) % problem.MOD


def test_the_literal_problem():
    smaller = {p for p in permutations(PROBLEM.A) if p < tuple(PROBLEM.A)}
    assert len(smaller) % PROBLEM.MOD == PROBLEM.reference_answer
