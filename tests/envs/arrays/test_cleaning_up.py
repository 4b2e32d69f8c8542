from itertools import combinations
from random import Random

import pytest

from rlve.envs.arrays.cleaning_up import CleaningUp

PROBLEM = CleaningUp(N=6, A=[2, 2, 5, 1, 5, 5], gold_answer=4)


def test_schedule():
    assert [CleaningUp.level(d) for d in (0, 1, 20)] == [[{"N": 4}], [{"N": 5}], [{"N": 24}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2 3 4 6", 1.0),
        ("2 6", (4 / 5) ** 5),
        ("6", (4 / 9) ** 5),
        ("1 2 3 4 5 6", (4 / 6) ** 5),
        ("2 3 4", -0.5),
        ("2 3 4 7", -0.5),
        ("0 2 6", -0.5),
        ("2 2 6", -0.5),
        ("4 3 6", -0.5),
        ("-1 6", -0.5),
        ("1 2 3 4 5 6 6", -0.5),
        ("", -1.0),
        ("2, 6", -1.0),
        ("end", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_least_cost_of_all_divisions():
    assert PROBLEM.gold_answer == least_cost(PROBLEM.A)
    for seed in range(120):
        N = 4 + seed % 6
        problem = CleaningUp.sample(Random(seed), N=N)
        assert set(problem.A) <= set(range(1, N + 1))
        assert problem.gold_answer == least_cost(problem.A)
        assert problem.gold_answer < min(N, len(set(problem.A)) ** 2)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def least_cost(A):
    costs = []
    for k in range(len(A)):
        for cuts in combinations(range(1, len(A)), k):
            bounds = (0, *cuts, len(A))
            batches = [A[bounds[i] : bounds[i + 1]] for i in range(k + 1)]
            costs.append(sum(len(set(batch)) ** 2 for batch in batches))
    return min(costs)
