from itertools import combinations
from math import prod
from random import Random

import pytest

from rlve.envs.optimization.max_mult_split import MaxMultSplit

PROBLEM = MaxMultSplit(N=4, K=2, string="3639", gold_answer=1701)


def test_schedule():
    assert MaxMultSplit.level(0) == [{"N": 3, "K": 2}]
    assert MaxMultSplit.level(1) == [{"N": 4, "K": 2}, {"N": 4, "K": 3}]
    assert {level["K"] for level in MaxMultSplit.level(20)} == {2, 5, 15, 25, 35, 45, 47, 49}
    assert {level["N"] for level in MaxMultSplit.level(20)} == {50}


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3 63 9", 1.0),
        ("36 3 9", (972 / 1701) ** 3),
        ("3 6 39", (702 / 1701) ** 3),
        ("3 063 9", -0.5),  # tokens are read as integers
        ("3 6 3 9", -0.5),
        ("36 39", -0.5),
        ("3 36 9", -0.5),
        ("3 63 -9", -0.5),
        ("3 6 3", -0.5),
        ("3 63 " + "9" * 900, -0.5),
        ("", -0.5),
        ("3*63*9", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=1e-12)


def test_gold_is_the_largest_of_all_products():
    for seed in range(150):
        N = 3 + seed % 7
        problem = MaxMultSplit.sample(Random(seed), N=N, K=2 + seed % (N - 2))
        largest = 0
        for cuts in combinations(range(1, N), problem.K):
            bounds = [0, *cuts, N]
            parts = [problem.string[bounds[i] : bounds[i + 1]] for i in range(problem.K + 1)]
            largest = max(largest, prod(map(int, parts)))
        assert problem.gold_answer == largest
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
