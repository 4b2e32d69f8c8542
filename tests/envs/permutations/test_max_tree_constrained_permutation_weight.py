from itertools import permutations
from random import Random

import pytest

from rlve.envs.permutations.max_tree_constrained_permutation_weight import (
    Max_TreeConstrainedPermutation_Weight,
)

PROBLEM = Max_TreeConstrainedPermutation_Weight(N=3, W=[3, 1, 2], A=[0, 1, 0], gold_answer=11)


def test_schedule():
    sizes = [Max_TreeConstrainedPermutation_Weight.level(d)[0]["N"] for d in (0, 1, 2, 8, 20)]
    assert sizes == [3, 4, 5, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3 1 2", 1.0),
        ("1 2 3", 1.0),
        ("1 3 2", (10 / 11) ** 5),
        ("3 2 1", -0.5),
        ("2 1 3", -0.5),
        ("1 2", -0.5),
        ("1 2 2", -0.5),
        ("0 1 2", -0.5),
        ("1 2 3 4", -0.5),
        ("", -0.5),
        ("1,2,3", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_agrees_with_all_permutations():
    for seed in range(120):
        problem = Max_TreeConstrainedPermutation_Weight.sample(Random(seed), N=3 + seed % 4)
        assert all(0 <= before < after for after, before in enumerate(problem.A, 1))
        sums = [
            sum(i * problem.W[e - 1] for i, e in enumerate(P, 1))
            for P in permutations(range(1, problem.N + 1))
            if all(
                before == 0 or P.index(before) < P.index(after)
                for after, before in enumerate(problem.A, 1)
            )
        ]
        assert problem.gold_answer == max(sums)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
