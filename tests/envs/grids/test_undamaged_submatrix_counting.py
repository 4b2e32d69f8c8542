from itertools import combinations
from random import Random

import pytest

from rlve.envs.grids.undamaged_submatrix_counting import UndamagedSubmatrixCounting

PROBLEM = UndamagedSubmatrixCounting(
    MAX_N_M=3, N=2, M=3, matrix=[[0, 1, 1], [1, 0, 1]], reference_answer=6
)
ZEROS = UndamagedSubmatrixCounting(MAX_N_M=3, N=2, M=2, matrix=[[0, 0], [0, 0]], reference_answer=0)


def test_schedule():
    sizes = [UndamagedSubmatrixCounting.level(d)[0]["MAX_N_M"] for d in (0, 1, 2, 7, 8, 20)]
    assert sizes == [3, 4, 5, 10, 12, 50]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "6", 1.0),
        (PROBLEM, "5", (5 / 6) ** 10),
        (PROBLEM, "7", (6 / 7) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "9" * 1000, 0.0),
        (PROBLEM, "-6", -1.0),
        (PROBLEM, "6.0", -1.0),
        (PROBLEM, "", -1.0),
        (ZEROS, "0", 1.0),
        (ZEROS, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_counts_all_rectangles_of_ones():
    for seed in range(120):
        problem = UndamagedSubmatrixCounting.sample(Random(seed), MAX_N_M=2 + seed % 6)
        assert problem.reference_answer == sum(
            all(all(row[left:right]) for row in problem.matrix[top:bottom])
            for top, bottom in combinations(range(problem.N + 1), 2)
            for left, right in combinations(range(problem.M + 1), 2)
        )
