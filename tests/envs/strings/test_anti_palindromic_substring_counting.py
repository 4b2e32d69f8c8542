import pytest

from rlve.envs.strings.anti_palindromic_substring_counting import (
    AntiPalindromicSubstringCounting,
)

# 01 twice, 10 once, 0101 once.
PROBLEM = AntiPalindromicSubstringCounting(N=5, S="01011", reference_answer=4)
NONE = AntiPalindromicSubstringCounting(N=3, S="111", reference_answer=0)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (5, 8), (8, 12)])
def test_schedule(d, N):
    assert AntiPalindromicSubstringCounting.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "4", 1.0),
        (PROBLEM, "3", (3 / 4) ** 10),
        (PROBLEM, "5", (4 / 5) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "-4", -1.0),
        (PROBLEM, "4.0", -1.0),
        (PROBLEM, "", -1.0),
        (NONE, "0", 1.0),
        (NONE, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_follows_from_the_definition():
    for seed in range(200):
        problem = AntiPalindromicSubstringCounting.generate(difficulty=seed % 10, seed=seed)
        S = problem.S
        assert len(S) == problem.N
        substrings = [S[i:j] for j in range(len(S) + 1) for i in range(j)]
        flipped = ["".join("10"[int(digit)] for digit in text) for text in substrings]
        gold = sum(a[::-1] == b for a, b in zip(substrings, flipped, strict=True))
        assert problem.reference_answer == gold
