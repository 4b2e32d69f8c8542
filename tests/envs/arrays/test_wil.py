from random import Random

import pytest

from rlve.envs.arrays.wil import WIL

PROBLEM = WIL(N=6, A=[2, 3, 1, 6, 1, 4], D=2, P=6, gold_answer=5)


def test_schedule():
    assert [WIL.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)] == [3, 4, 5, 16, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3 4 1 5", 1.0),
        ("4 5 1 5", 1.0),
        ("4 4 2 5", (4 / 5) ** 5),
        ("1 2 1 2", (2 / 5) ** 5),
        ("6 6 3 3", (1 / 5) ** 5),
        ("1 2 1 5", -0.5),
        ("3 5 1 6", -0.5),
        ("0 1 1 2", -0.5),
        ("6 7 1 2", -0.5),
        ("2 1 1 2", -0.5),
        ("1 2 2 1", -0.5),
        ("1 2 0 2", -0.5),
        ("4 5 4 7", -0.5),
        ("3 4 1", -1.0),
        ("3 4 1 5 5", -1.0),
        ("3-4 1-5", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_longest_of_all_pairs_of_intervals():
    for problem in (PROBLEM, *(generated(seed) for seed in range(120))):
        assert 1 <= problem.D < problem.N
        assert problem.P >= 1
        assert problem.gold_answer == longest(problem)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def generated(seed):
    return WIL.sample(Random(seed), N=3 + seed % 6)


def longest(problem):
    N = problem.N
    intervals = [(i, j) for i in range(N) for j in range(i + 1, N + 1)]
    lengths = []
    for i, j in intervals:
        if j - i <= problem.D:
            changed = problem.A[:i] + [0] * (j - i) + problem.A[j:]
            lengths += [b - a for a, b in intervals if sum(changed[a:b]) <= problem.P]
    return max(lengths)
