from itertools import combinations, pairwise
from math import comb
from random import Random

import pytest

from rlve.envs.combinatorics.combination_odd_subsequence_counting import (
    CombinationOddSubsequenceCounting,
)

PROBLEM = CombinationOddSubsequenceCounting(N=3, A=[7, 3, 1], reference_answer=4)
NONE = CombinationOddSubsequenceCounting(N=2, A=[1, 3], reference_answer=0)


def test_schedule():
    levels = [CombinationOddSubsequenceCounting.level(d) for d in (0, 1, 2, 8, 20)]
    assert levels == [[{"N": n}] for n in (3, 4, 5, 12, 50)]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "4", 1.0),
        (PROBLEM, "3", (3 / 4) ** 10),
        (PROBLEM, "8", (1 / 2) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "-4", -1.0),
        (PROBLEM, "4.0", -1.0),
        (NONE, "0", 1.0),
        (NONE, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_number_of_good_subsequences():
    for seed in range(120):
        N = 2 + seed % 8
        problem = CombinationOddSubsequenceCounting.sample(Random(seed), N=N)
        assert len(set(problem.A)) == N
        assert set(problem.A) <= set(range(1, 2 * N))
        assert problem.reference_answer == enumerated(problem.A)


def enumerated(A):
    return sum(
        all(comb(x, y) % 2 for x, y in pairwise(chosen))
        for size in range(2, len(A) + 1)
        for chosen in combinations(A, size)
    )
