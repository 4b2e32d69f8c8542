from rlve.envs.strings.longest_repeated_palindrome import Longest_RepeatedPalindrome

PROBLEM = Longest_RepeatedPalindrome(N=12, S="100110011110", gold_answer=8)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 5: {"N": 10}, 6: {"N": 12}}
REWARDS = {
    1.0: ["10011001"],
    (4 / 8) ** 5: ["1111"],
    -0.5: [
        "0000",  # no substring
        "01100110",
        "1001",  # a palindrome, but 1 and 1 around 00
        "100110",  # 6 digits
        "",
        "1 1 1 1",
        "1" * 50_000,
    ],
}
SAMPLES = {150: {"difficulty": range(12)}}


def test_gold_is_the_largest_of_all_lengths(problem):
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
