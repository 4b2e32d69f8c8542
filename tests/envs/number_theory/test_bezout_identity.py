from itertools import product
from random import Random

import pytest

from rlve.envs.number_theory.bezout_identity import BezoutIdentity

PROBLEM = BezoutIdentity(N=2, MAX_A=32, A=[6, -4], gold_answer=2, reference_answer="1 1")


def test_schedule():
    assert [BezoutIdentity.level(d) for d in (0, 1, 5)] == [
        [{"N": 2, "MAX_A": 32}],
        [{"N": 3, "MAX_A": 64}],
        [{"N": 7, "MAX_A": 1024}],
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 1", 1.0),
        ("-1 -2", 1.0),
        ("1 0", (2 / 6) ** 5),
        ("0 -1", (2 / 4) ** 5),
        ("0 0", -0.5),  # the sum is not positive
        ("-1 -1", -0.5),
        ("1", -0.5),  # the wrong number of coefficients
        ("1 1 0", -0.5),
        ("", -0.5),
        ("1, 1", -1.0),
        ("1 0.5", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_smallest_positive_sum():
    for seed in range(100):
        N = 2 + seed % 2
        problem = BezoutIdentity.sample(Random(seed), N=N, MAX_A=9)
        bound = range(-9, 10)
        sums = (
            sum(a * x for a, x in zip(problem.A, X, strict=True)) for X in product(bound, repeat=N)
        )
        assert problem.gold_answer == min(s for s in sums if s > 0)


def test_reference_is_a_short_witness():
    for seed in range(100):
        problem = BezoutIdentity.generate(difficulty=seed % 12, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        assert all(2 <= abs(a) <= problem.MAX_A for a in problem.A)
        coefficients = map(int, problem.reference_answer.split())
        assert max(map(abs, coefficients)) <= problem.N * problem.MAX_A
