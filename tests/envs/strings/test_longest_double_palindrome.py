from itertools import combinations

from rlve.envs.strings.longest_double_palindrome import Longest_DoublePalindrome

PROBLEM = Longest_DoublePalindrome(N=5, S="00101", gold_answer=5)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 5: {"N": 10}, 6: {"N": 12}}
REWARDS = {
    1.0: ["0 2 5"],
    (4 / 5) ** 5: ["1 2 5"],
    (2 / 5) ** 5: ["3 4 5"],
    -0.5: [
        "0 1 5",  # 0101 is not a palindrome
        "0 3 5",
        "0 0 5",
        "0 5 5",
        "0 2 6",
        "-1 2 5",
        "5 2 0",
    ],
    -1.0: ["0 2", "0 2 5 5", "0, 2, 5", ""],
}
SAMPLES = {120: {"difficulty": range(7)}}


def test_gold_is_the_largest_of_all_lengths(problem):
    S, N = problem.S, problem.N
    assert len(S) == N
    lengths = [
        C - A for A, B, C in combinations(range(N + 1), 3) if mirrored(S[A:B]) and mirrored(S[B:C])
    ]
    assert problem.gold_answer == max(lengths)


def mirrored(text):
    return all(text[i] == text[-1 - i] for i in range(len(text) // 2))
