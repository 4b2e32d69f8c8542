from random import Random

import pytest

from rlve.envs.arrays.bounded_subarray_counting import BoundedSubarrayCounting

PROBLEM = BoundedSubarrayCounting(N=2, M=2, A=[1, 2], K=3, reference_answer=7)


def test_schedule():
    levels = [BoundedSubarrayCounting.level(d) for d in (0, 1, 2, 20)]
    assert levels == [
        [{"N": 3, "M": 2}],
        [{"N": 4, "M": 3}],
        [{"N": 5, "M": 4}],
        [{"N": 50, "M": 45}],
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("7", 1.0),
        ("6", (6 / 7) ** 10),
        ("14", 0.5**10),
        ("0", 0.0),
        ("-7", -1.0),
        ("7.", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_count_is_that_of_all_subarrays():
    assert PROBLEM.reference_answer == count(PROBLEM)
    for seed in range(150):
        problem = BoundedSubarrayCounting.sample(Random(seed), N=1 + seed % 6, M=2 + seed % 4)
        assert problem.reference_answer == count(problem)


def count(problem):
    B = [value for _ in range(problem.M) for value in problem.A]
    sums = [sum(B[i:j]) for i in range(len(B)) for j in range(i + 1, len(B) + 1)]
    return sum(total <= problem.K for total in sums)
