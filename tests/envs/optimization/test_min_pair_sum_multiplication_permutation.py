from itertools import permutations
from random import Random

import pytest

from rlve.envs.optimization.min_pair_sum_multiplication_permutation import (
    MinPairSumMultiplicationPermutation,
)

PROBLEM = MinPairSumMultiplicationPermutation(
    N=3,
    A=[[1, 2, 3], [2, 1, 3], [3, 3, 1]],
    B=[[1, 1, 1], [1, 1, 1], [1, 1, 1]],
    gold_answer=9,
)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (20, 23)])
def test_schedule(d, N):
    assert MinPairSumMultiplicationPermutation.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 1 2", 1.0),
        ("1 0 2", (9 / 15) ** 5),
        ("2 1 0", (9 / 21) ** 5),
        ("0 1", -0.5),
        ("0 1 1", -0.5),
        ("1 2 3", -0.5),
        ("0 1 -1", -0.5),
        ("0 1 2 0", -0.5),
        ("", -0.5),
        ("0, 1, 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_smallest_over_all_permutations():
    for seed in range(120):
        problem = MinPairSumMultiplicationPermutation.sample(Random(seed), N=3 + seed % 4)
        rows = range(problem.N)
        assert problem.gold_answer == min(
            sum(problem.A[i][p[i]] for i in rows) * sum(problem.B[i][p[i]] for i in rows)
            for p in permutations(rows)
        )
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
