from itertools import combinations
from random import Random

import pytest

from rlve.envs.arrays.weighted_lis import WeightedLIS

PROBLEM = WeightedLIS(N=5, arrayA=[2, 4, 2, 5, 0], arrayB=[1, 3, 3, 2, 5], gold_answer=6)


def test_schedule():
    assert [WeightedLIS.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)] == [4, 5, 6, 18, 56]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 2 3", 1.0),
        ("0 1 3", 1.0),
        ("4", (5 / 6) ** 5),
        ("0", (1 / 6) ** 5),
        ("", 0.0),
        ("1 2", -0.5),
        ("3 0", -0.5),
        ("0 0", -0.5),
        ("0 5", -0.5),
        ("-1 3", -0.5),
        ("0, 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_largest_weight_of_all_subsequences():
    for problem in (PROBLEM, *(generated(seed) for seed in range(120))):
        pairs = list(zip(problem.arrayA, problem.arrayB, strict=True))
        weights = [
            sum(b for _, b in part)
            for k in range(1, problem.N + 1)
            for part in combinations(pairs, k)
            if sorted(a for a, _ in part) == [a for a, _ in part]
        ]
        assert problem.gold_answer == max(weights)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def generated(seed):
    return WeightedLIS.sample(Random(seed), N=1 + seed % 8)
