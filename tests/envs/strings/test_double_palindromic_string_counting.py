from itertools import product
from random import Random

import pytest

from rlve.envs.strings.double_palindromic_string_counting import DoublePalindromicStringCounting

# Four strings of two symbols, and of three symbols all but 1 2 1 and 2 1 2.
PROBLEM = DoublePalindromicStringCounting(MAX_N=3, C=2, N=3, reference_answer=10)
SCHEDULE = {d: {"MAX_N": n, "C": range(2, 6)} for d, n in ((0, 3), (1, 4), (8, 12))}
REWARDS = {1.0: ["10"], 0.8**10: ["8"], 0.5**10: ["20"], -1.0: ["0", "-10", "1e1", ""]}


@pytest.mark.parametrize(("C", "longest"), [(2, 10), (3, 7), (4, 5), (5, 4)])
def test_gold_counts_all_such_strings(C, longest):
    counts = [0, 0]
    for n in range(2, longest + 1):
        counts.append(counts[-1] + sum(map(is_double, product(range(C), repeat=n))))
    for seed in range(100):
        problem = DoublePalindromicStringCounting.sample(Random(seed), MAX_N=longest, C=C)
        assert 2 <= problem.N <= longest
        assert problem.reference_answer == counts[problem.N]


def is_double(word):
    return any(
        word[:i] == word[:i][::-1] and word[i:] == word[i:][::-1] for i in range(1, len(word))
    )
