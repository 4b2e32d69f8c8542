from math import comb
from random import Random

import pytest

from rlve.envs.combinatorics.fixed_mod_k_selection_counting import (
    FixedModK_Selection_Counting,
)

PROBLEM = FixedModK_Selection_Counting(MAX_N=8, MAX_K=5, N=2, K=3, R=1, MOD=10, reference_answer=1)


def test_schedule():
    levels = [FixedModK_Selection_Counting.level(d) for d in (0, 1, 2, 20)]
    assert levels == [
        [{"MAX_N": n, "MAX_K": k}] for n, k in ((8, 5), (16, 6), (32, 7), (8 * 2**20, 62))
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("1", 1.0), ("0", 0.0), ("9", 0.0), ("10", -0.5), ("21", -0.5), ("-9", -0.5), ("", -1.0)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_sum_of_binomial_coefficients():
    for seed in range(200):
        problem = FixedModK_Selection_Counting.sample(
            Random(seed), MAX_N=1 + seed % 9, MAX_K=2 + seed % 7
        )
        objects = problem.N * problem.K
        total = sum(comb(objects, size) for size in range(problem.R, objects + 1, problem.K))
        assert problem.reference_answer == total % problem.MOD
