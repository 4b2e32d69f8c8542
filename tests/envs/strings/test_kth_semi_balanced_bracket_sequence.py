from itertools import product
from random import Random

import pytest

from rlve.envs.strings.kth_semi_balanced_bracket_sequence import Kth_SemiBalancedBracketSequence

# (() ()( ()) )()
PROBLEM = Kth_SemiBalancedBracketSequence(N=3, K=2, reference_answer="()(")
SCHEDULE = {0: {"N": 3}, 1: {"N": 5}, 20: {"N": 43}}
REWARDS = {
    1.0: ["()("],
    (2 / 3) ** 5: ["())", "((("],
    0.0: [")()"],
    -0.5: ["()", "()()", "[](", "( ) (", ""],
}


@pytest.mark.parametrize("N", [3, 5, 7, 9, 11])
def test_gold_is_found_in_the_sorted_list(N):
    balanced = words(N - 1)
    listed = sorted({text[:i] + c + text[i:] for text in balanced for i in range(N) for c in "()"})
    for seed in range(100):
        problem = Kth_SemiBalancedBracketSequence.sample(Random(seed), N=N)
        assert problem.reference_answer == listed[problem.K - 1]
    assert len(listed) == {3: 4, 5: 10, 7: 28, 9: 84, 11: 264}[N]


def words(length):
    """The balanced strings, those from which deleting () again and again leaves nothing."""
    return {text for text in map("".join, product("()", repeat=length)) if not reduced(text)}


def reduced(text):
    while "()" in text:
        text = text.replace("()", "")
    return text
