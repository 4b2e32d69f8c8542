from itertools import combinations
from random import Random

import pytest

from rlve.envs.arrays.max_non_adjacent_k_element_sum import Max_NonAdjacent_KElementSum

PROBLEM = Max_NonAdjacent_KElementSum(N=5, K=2, A=[4, 5, 4, 1, 2], gold_answer=8)


def test_schedule():
    sizes = [Max_NonAdjacent_KElementSum.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)]
    assert sizes == [4, 5, 6, 18, 56]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 2", 1.0),
        ("2 0", 1.0),
        ("1 4", (7 / 8) ** 5),
        ("0 4", (6 / 8) ** 5),
        ("0 1", -0.5),
        ("1 1", -0.5),
        ("1", -0.5),
        ("0 2 4", -0.5),
        ("1 5", -0.5),
        ("-1 1", -0.5),
        ("", -0.5),
        ("0, 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_largest_sum_of_all_choices():
    assert PROBLEM.gold_answer == largest_sum(PROBLEM)
    for seed in range(150):
        problem = Max_NonAdjacent_KElementSum.sample(Random(seed), N=4 + seed % 7)
        assert problem.gold_answer == largest_sum(problem)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def largest_sum(problem):
    sums = []
    for chosen in combinations(range(problem.N), problem.K):
        if all(abs(i - j) != 1 for i, j in combinations(chosen, 2)):
            sums.append(sum(problem.A[i] for i in chosen))
    return max(sums)
