from itertools import product
from random import Random

import pytest

from rlve.envs.strings.double_palindromic_string_counting import (
    DoublePalindromicStringCounting,
)

# Four strings of two symbols, and of three symbols all but 1 2 1 and 2 1 2.
PROBLEM = DoublePalindromicStringCounting(MAX_N=3, C=2, N=3, reference_answer=10)


@pytest.mark.parametrize(("d", "MAX_N"), [(0, 3), (1, 4), (8, 12)])
def test_schedule(d, MAX_N):
    assert DoublePalindromicStringCounting.level(d) == [
        {"MAX_N": MAX_N, "C": C} for C in (2, 3, 4, 5)
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("10", 1.0),
        ("8", 0.8**10),
        ("20", 0.5**10),
        ("0", -1.0),
        ("-10", -1.0),
        ("1e1", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


@pytest.mark.parametrize(("C", "longest"), [(2, 10), (3, 7), (4, 5), (5, 4)])
def test_gold_counts_all_such_strings(C, longest):
    counts = [0, 0]
    for n in range(2, longest + 1):
        counts.append(counts[-1] + sum(map(is_double, product(range(C), repeat=n))))
    for seed in range(40):
        problem = DoublePalindromicStringCounting.sample(Random(seed), MAX_N=longest, C=C)
        assert 2 <= problem.N <= longest
        assert problem.reference_answer == counts[problem.N]


def is_double(word):
    return any(
        word[:i] == word[:i][::-1] and word[i:] == word[i:][::-1] for i in range(1, len(word))
    )
