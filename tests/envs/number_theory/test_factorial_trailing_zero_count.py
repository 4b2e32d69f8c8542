from math import factorial

import pytest

from rlve.envs.number_theory.factorial_trailing_zero_count import (
    FactorialTrailingZeroCount,
)

PROBLEM = FactorialTrailingZeroCount(MAX_N_K=10, N=6, K=4, reference_answer=2)  # 720 = 45 * 4^2


def test_schedule():
    levels = [FactorialTrailingZeroCount.level(d) for d in range(5)]
    assert levels == [[{"MAX_N_K": n}] for n in (10, 15, 22, 33, 49)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2", 1.0),
        ("02", 1.0),
        ("1", 0.0),
        ("-2", 0.0),
        ("2.0", -1.0),
        ("2 zeros", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_counts_the_zeros():
    for seed in range(150):
        problem = FactorialTrailingZeroCount.generate(difficulty=seed % 8, seed=seed)
        number, zeros = factorial(problem.N), 0
        while number % problem.K == 0:
            number //= problem.K
            zeros += 1
        assert problem.reference_answer == zeros
