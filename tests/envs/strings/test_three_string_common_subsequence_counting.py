from itertools import combinations

from rlve.envs.strings.three_string_common_subsequence_counting import (
    ThreeStringCommonSubsequenceCounting,
)

# a, b, ab, ba
PROBLEM = ThreeStringCommonSubsequenceCounting(
    MAX_N=4, S=["aba", "bab", "abba"], reference_answer=4
)
NONE = ThreeStringCommonSubsequenceCounting(MAX_N=3, S=["aaa", "bbb", "aba"], reference_answer=0)
SCHEDULE = {0: {"MAX_N": 3}, 1: {"MAX_N": 4}, 20: {"MAX_N": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["4"],
            (4 / 5) ** 10: ["5"],
            (3 / 4) ** 10: ["3"],
            0.0: ["0"],
            -1.0: ["-4", "ab", ""],
        },
    ),
    (NONE, {1.0: ["0"], 0.0: ["2"]}),
]
SAMPLES = {100: {"difficulty": range(7)}}


def test_gold_is_the_size_of_the_intersection(problem):
    assert all(3 <= len(text) <= problem.MAX_N for text in problem.S)
    common = set.intersection(*map(subsequences, problem.S))
    assert problem.reference_answer == len(common)


def subsequences(text):
    return {chosen for n in range(1, len(text) + 1) for chosen in combinations(text, n)}
