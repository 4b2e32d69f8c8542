from rlve.envs.combinatorics.palindromic_substring_number_counting import (
    PalindromicSubstringNumberCounting,
    count_good,
)

PROBLEM = PalindromicSubstringNumberCounting(MAX_R=200, R=112, L=90, reference_answer=6)
NONE = PalindromicSubstringNumberCounting(MAX_R=20, R=20, L=12, reference_answer=0)
SCHEDULE = {d: {"MAX_R": n} for d, n in ((0, 20), (1, 30), (2, 45), (3, 67), (4, 100), (20, 65409))}
REWARDS = [
    (PROBLEM, {1.0: ["6"], (1 / 2) ** 10: ["3", "12"], 0.0: ["0"], -1.0: ["-6", "six", ""]}),
    (NONE, {1.0: ["0"], 0.0: ["1"], -1.0: ["-1"]}),
]


def test_gold_counts_the_good_integers():
    goods = [0]
    for x in range(1, 12_000):
        goods.append(goods[-1] + is_good(str(x)))
    assert [count_good(1, R) for R in range(1, 12_000)] == goods[1:]
    for seed in range(100):
        p = PalindromicSubstringNumberCounting.generate(difficulty=seed % 14, seed=seed)
        assert 1 <= p.L < p.R
        assert 20 <= p.R <= p.MAX_R
        assert p.reference_answer == goods[p.R] - goods[p.L - 1]


def is_good(text):
    parts = (text[i:j] for i in range(len(text)) for j in range(i + 2, len(text) + 1))
    return any(part == part[::-1] for part in parts)
