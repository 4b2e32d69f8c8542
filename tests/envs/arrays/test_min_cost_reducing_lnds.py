from itertools import combinations
from random import Random

import pytest

from rlve.envs.arrays.min_cost_reducing_lnds import MinCostReducingLNDS

PROBLEM = MinCostReducingLNDS(
    N=5,
    A=[2, 1, 3, 3, 1],
    B=[2, 1, 4, 2, 1],
    original_lnds_length=3,
    gold_answer=2,
    reference_answer="3",
)


def test_schedule():
    sizes = [MinCostReducingLNDS.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)]
    assert sizes == [3, 4, 5, 16, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3", 1.0),
        ("1 0", (2 / 3) ** 3),
        ("2", (2 / 4) ** 3),
        ("3 4 1 0 2", (2 / 10) ** 3),
        ("", -0.2),
        ("4", -0.2),
        ("0 4", -0.2),
        ("3 3", -0.5),
        ("5", -0.5),
        ("-1", -0.5),
        ("3, 4", -1.0),
        ("none", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_least_cost_of_all_sets():
    for problem in (PROBLEM, *(generated(seed) for seed in range(120))):
        original = longest(problem.A)
        assert problem.original_lnds_length == original
        everything = range(problem.N)
        costs = [
            sum(problem.B[i] for i in erased)
            for k in range(1, problem.N + 1)
            for erased in combinations(everything, k)
            if longest([problem.A[i] for i in everything if i not in erased]) < original
        ]
        assert problem.gold_answer == min(costs)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def generated(seed):
    return MinCostReducingLNDS.sample(Random(seed), N=3 + seed % 6)


def longest(A):
    ending = []
    for i, a in enumerate(A):
        ending.append(1 + max((ending[j] for j in range(i) if A[j] <= a), default=0))
    return max(ending, default=0)
