import pytest

from rlve.envs.strings.longest_repeated_palindrome import Longest_RepeatedPalindrome

PROBLEM = Longest_RepeatedPalindrome(N=12, S="100110011110", gold_answer=8)


@pytest.mark.parametrize(("d", "N"), [(0, 5), (1, 6), (5, 10), (6, 12)])
def test_schedule(d, N):
    assert Longest_RepeatedPalindrome.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("10011001", 1.0),
        ("1111", (4 / 8) ** 5),
        ("0000", -0.5),  # no substring
        ("01100110", -0.5),
        ("1001", -0.5),  # a palindrome, but 1 and 1 around 00
        ("100110", -0.5),  # 6 digits
        ("", -0.5),
        ("1 1 1 1", -0.5),
        ("1" * 50_000, -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_unmarked_answer_is_unparseable():
    assert PROBLEM.verify("10011001").reward == -1.0


def test_gold_is_the_largest_of_all_lengths():
    for seed in range(150):
        problem = Longest_RepeatedPalindrome.generate(difficulty=seed % 12, seed=seed)
        S, N = problem.S, problem.N
        assert len(S) == N
        lengths = [
            4 * n
            for n in range(1, N // 4 + 1)
            for i in range(N - 4 * n + 1)
            if all(
                S[i + n + k] == S[i + n - 1 - k] == S[i + 2 * n + (n - 1 - k)] == S[i + 3 * n + k]
                for k in range(n)
            )
        ]
        assert problem.gold_answer == max(lengths)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
