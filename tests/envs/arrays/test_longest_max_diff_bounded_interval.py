from random import Random

import pytest

from rlve.envs.arrays.longest_max_diff_bounded_interval import (
    LongestMaxDiffBoundedInterval,
)

PROBLEM = LongestMaxDiffBoundedInterval(N=6, A=[5, 3, 4, 4, 6, 1], K=2, gold_answer=4)


def test_schedule():
    sizes = [LongestMaxDiffBoundedInterval.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)]
    assert sizes == [3, 4, 5, 16, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 4", 1.0),
        ("2 5", (3 / 4) ** 5),
        ("5 6", (1 / 4) ** 5),
        ("1 5", -0.2),
        ("0 6", -0.2),
        ("3 3", -0.5),
        ("4 2", -0.5),
        ("-1 3", -0.5),
        ("3 7", -0.5),
        ("4", -1.0),
        ("0 4 4", -1.0),
        ("0-4", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_longest_of_all_blocks():
    for seed in range(150):
        N = 3 + seed % 12
        problem = LongestMaxDiffBoundedInterval.sample(Random(seed), N=N)
        blocks = [problem.A[i:j] for i in range(N) for j in range(i + 1, N + 1)]
        narrow = [block for block in blocks if max(block) - min(block) <= problem.K]
        assert problem.gold_answer == max(map(len, narrow))
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
