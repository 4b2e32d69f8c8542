from rlve.envs.strings.max_weight_palindromic_substring import MaxWeightPalindromicSubstring

PROBLEM = MaxWeightPalindromicSubstring(N=6, S="bababb", gold_answer=6)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}}
REWARDS = {
    1.0: ["bab"],  # the two occurrences overlap
    (5 / 6) ** 5: ["babab"],
    (4 / 6) ** 5: ["b"],
    (2 / 6) ** 5: ["a"],
    0.0: [
        "aa",
        "c",
        "bababab",  # longer than S
        "a" * 50_000,
        "",
    ],
    -0.5: ["ba", "T=bab"],
}
SAMPLES = {100: {"difficulty": range(8)}}


def test_gold_is_the_largest_of_all_products(problem):
    S = problem.S
    assert len(S) == problem.N
    substrings = [S[i:j] for j in range(len(S) + 1) for i in range(j)]
    products = [len(T) * substrings.count(T) for T in substrings if list(T) == list(T)[::-1]]
    assert problem.gold_answer == max(products)
