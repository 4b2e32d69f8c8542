from random import Random

import pytest

from rlve.envs.arrays.monotonic_stack import MonotonicStack

PROBLEM = MonotonicStack(N=5, A=[4, 2, 2, 3, 1], reference_answer=5)


def test_schedule():
    sizes = [MonotonicStack.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)]
    assert sizes == [4, 5, 6, 18, 56]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("5", 1.0), ("6", 0.0), ("-5", 0.0), ("5.0", -1.0), ("4 0 0 1 0", -1.0), ("", -1.0)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_follows_the_definition():
    for problem in (PROBLEM, *(generated(seed) for seed in range(150))):
        A, N = problem.A, problem.N
        pairs = [(i, j) for i in range(N) for j in range(i + 1, N)]
        smaller = [all(A[k] < A[i] for k in range(i + 1, j + 1)) for i, j in pairs]
        assert problem.reference_answer == sum(smaller)


def generated(seed):
    return MonotonicStack.sample(Random(seed), N=3 + seed % 10)
