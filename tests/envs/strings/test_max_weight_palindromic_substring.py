import pytest

from rlve.envs.strings.max_weight_palindromic_substring import (
    MaxWeightPalindromicSubstring,
)

PROBLEM = MaxWeightPalindromicSubstring(N=6, S="bababb", gold_answer=6)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (8, 12)])
def test_schedule(d, N):
    assert MaxWeightPalindromicSubstring.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("bab", 1.0),  # the two occurrences overlap
        ("babab", (5 / 6) ** 5),
        ("b", (4 / 6) ** 5),
        ("a", (2 / 6) ** 5),
        ("aa", 0.0),
        ("c", 0.0),
        ("bababab", 0.0),  # longer than S
        ("a" * 50_000, 0.0),
        ("", 0.0),
        ("ba", -0.5),
        ("T=bab", -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_unmarked_answer_is_unparseable():
    assert PROBLEM.verify("bab").reward == -1.0


def test_gold_is_the_largest_of_all_products():
    for seed in range(100):
        problem = MaxWeightPalindromicSubstring.generate(difficulty=seed % 8, seed=seed)
        S = problem.S
        assert len(S) == problem.N
        substrings = [S[i:j] for j in range(len(S) + 1) for i in range(j)]
        products = [len(T) * substrings.count(T) for T in substrings if list(T) == list(T)[::-1]]
        assert problem.gold_answer == max(products)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
