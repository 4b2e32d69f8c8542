from rlve.envs.strings.anti_palindromic_substring_counting import AntiPalindromicSubstringCounting

# 01 twice, 10 once, 0101 once.
PROBLEM = AntiPalindromicSubstringCounting(N=5, S="01011", reference_answer=4)
NONE = AntiPalindromicSubstringCounting(N=3, S="111", reference_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 5: {"N": 8}, 8: {"N": 12}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["4"],
            (4 / 5) ** 10: ["5"],
            (3 / 4) ** 10: ["3"],
            0.0: ["0"],
            -1.0: ["-4", "4.0", ""],
        },
    ),
    (NONE, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {200: {"difficulty": range(10)}}


def test_gold_follows_from_the_definition(problem):
    S = problem.S
    assert len(S) == problem.N
    substrings = [S[i:j] for j in range(len(S) + 1) for i in range(j)]
    flipped = ["".join("10"[int(digit)] for digit in text) for text in substrings]
    gold = sum(a[::-1] == b for a, b in zip(substrings, flipped, strict=True))
    assert problem.reference_answer == gold
