from itertools import combinations

import pytest

from rlve.envs.strings.longest_double_palindrome import Longest_DoublePalindrome

PROBLEM = Longest_DoublePalindrome(N=5, S="00101", gold_answer=5)


@pytest.mark.parametrize(("d", "N"), [(0, 5), (1, 6), (5, 10), (6, 12)])
def test_schedule(d, N):
    assert Longest_DoublePalindrome.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 2 5", 1.0),
        ("1 2 5", (4 / 5) ** 5),
        ("3 4 5", (2 / 5) ** 5),
        ("0 1 5", -0.5),  # 0101 is not a palindrome
        ("0 3 5", -0.5),
        ("0 0 5", -0.5),
        ("0 5 5", -0.5),
        ("0 2 6", -0.5),
        ("-1 2 5", -0.5),
        ("5 2 0", -0.5),
        ("0 2", -1.0),
        ("0 2 5 5", -1.0),
        ("0, 2, 5", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_largest_of_all_lengths():
    for seed in range(120):
        problem = Longest_DoublePalindrome.generate(difficulty=seed % 7, seed=seed)
        S, N = problem.S, problem.N
        assert len(S) == N
        lengths = [
            C - A
            for A, B, C in combinations(range(N + 1), 3)
            if mirrored(S[A:B]) and mirrored(S[B:C])
        ]
        assert problem.gold_answer == max(lengths)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def mirrored(text):
    return all(text[i] == text[-1 - i] for i in range(len(text) // 2))
