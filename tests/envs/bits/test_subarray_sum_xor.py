from functools import reduce
from operator import xor
from random import Random

import pytest

from rlve.envs.bits.subarray_sum_xor import SubarraySumXor

# 1 ^ 3 ^ 2 ^ 4 ^ 5 ^ 6
PROBLEM = SubarraySumXor(N=3, A=[1, 3, 2], reference_answer=7)


def test_schedule():
    assert [SubarraySumXor.level(d) for d in (0, 1, 20)] == [[{"N": 3}], [{"N": 4}], [{"N": 23}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("7", 1.0),
        ("07", 1.0),
        ("6", 0.0),
        ("-7", 0.0),
        ("9" * 1000, 0.0),
        ("7.0", -1.0),
        ("1 3 2", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_is_that_of_all_subarrays():
    for seed in range(120):
        N = 3 + seed % 15
        problem = SubarraySumXor.sample(Random(seed), N=N)
        assert all(0 <= x <= N for x in problem.A)
        sums = [sum(problem.A[i : j + 1]) for i in range(N) for j in range(i, N)]
        assert problem.reference_answer == reduce(xor, sums)
