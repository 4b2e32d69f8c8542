from itertools import combinations
from random import Random

import pytest

from rlve.envs.permutations.min_swap_two_permutations import MinSwapTwoPermutations

PROBLEM = MinSwapTwoPermutations(N=4, A=[1, 1, 3, 4], B=[2, 2, 4, 3], gold_answer=1)


def test_schedule():
    assert [MinSwapTwoPermutations.level(d)[0]["N"] for d in (0, 1, 2, 8, 20)] == [3, 4, 5, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0", 1.0),
        ("1", 1.0),
        ("1 2 3", (1 / 3) ** 5),
        ("1 2 2", (1 / 3) ** 5),
        ("2", -0.2),
        ("0 0", -0.2),
        ("", -0.2),
        ("4", -0.5),
        ("0 -1", -0.5),
        ("0,", -1.0),
        ("none", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_agrees_with_all_choices():
    for seed in range(200):
        problem = MinSwapTwoPermutations.sample(Random(seed), N=3 + seed % 6)
        A, B, N = problem.A, problem.B, problem.N
        assert sorted(A + B) == sorted(2 * list(range(1, N + 1)))
        fine = (
            size
            for size in range(N + 1)
            for chosen in combinations(range(N), size)
            if len({B[i] if i in chosen else A[i] for i in range(N)}) == N
            and len({A[i] if i in chosen else B[i] for i in range(N)}) == N
        )
        assert problem.gold_answer == next(fine) > 0
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
