from itertools import combinations
from random import Random

import pytest

from rlve.envs.grids.submatrix_sum_divisible_counting import SubmatrixSumDivisibleCounting

PROBLEM = SubmatrixSumDivisibleCounting(
    MAX_N_M=3, N=2, M=2, K=3, matrix=[[1, 2], [0, 1]], reference_answer=3
)
NONE = SubmatrixSumDivisibleCounting(
    MAX_N_M=3, N=2, M=2, K=4, matrix=[[1, 1], [1, 2]], reference_answer=0
)


def test_schedule():
    sizes = [SubmatrixSumDivisibleCounting.level(d)[0]["MAX_N_M"] for d in (0, 1, 7, 20)]
    assert sizes == [3, 4, 10, 23]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "3", 1.0),
        (PROBLEM, "2", (2 / 3) ** 10),
        (PROBLEM, "4", (3 / 4) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "9" * 1000, 0.0),
        (PROBLEM, "-3", -1.0),
        (PROBLEM, "three", -1.0),
        (PROBLEM, "", -1.0),
        (NONE, "0", 1.0),
        (NONE, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_counts_all_submatrices():
    problems = [
        SubmatrixSumDivisibleCounting.sample(Random(s), MAX_N_M=2 + s % 6) for s in range(120)
    ]
    for problem in [PROBLEM, NONE, *problems]:
        assert problem.reference_answer == sum(
            sum(sum(row[left:right]) for row in problem.matrix[top:bottom]) % problem.K == 0
            for top, bottom in combinations(range(problem.N + 1), 2)
            for left, right in combinations(range(problem.M + 1), 2)
        )
