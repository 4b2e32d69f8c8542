from itertools import combinations

import pytest

from rlve.envs.strings.three_string_common_subsequence_counting import (
    ThreeStringCommonSubsequenceCounting,
)

# a, b, ab, ba
PROBLEM = ThreeStringCommonSubsequenceCounting(
    MAX_N=4, S=["aba", "bab", "abba"], reference_answer=4
)
NONE = ThreeStringCommonSubsequenceCounting(MAX_N=3, S=["aaa", "bbb", "aba"], reference_answer=0)


@pytest.mark.parametrize(("d", "MAX_N"), [(0, 3), (1, 4), (20, 23)])
def test_schedule(d, MAX_N):
    assert ThreeStringCommonSubsequenceCounting.level(d) == [{"MAX_N": MAX_N}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "4", 1.0),
        (PROBLEM, "3", (3 / 4) ** 10),
        (PROBLEM, "5", (4 / 5) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "-4", -1.0),
        (PROBLEM, "ab", -1.0),
        (PROBLEM, "", -1.0),
        (NONE, "0", 1.0),
        (NONE, "2", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_size_of_the_intersection():
    for seed in range(100):
        problem = ThreeStringCommonSubsequenceCounting.generate(difficulty=seed % 7, seed=seed)
        assert all(3 <= len(text) <= problem.MAX_N for text in problem.S)
        common = set.intersection(*map(subsequences, problem.S))
        assert problem.reference_answer == len(common)


def subsequences(text):
    return {chosen for n in range(1, len(text) + 1) for chosen in combinations(text, n)}
