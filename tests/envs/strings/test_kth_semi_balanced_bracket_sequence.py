from itertools import product
from random import Random

import pytest

from rlve.envs.strings.kth_semi_balanced_bracket_sequence import (
    Kth_SemiBalancedBracketSequence,
)

# (() ()( ()) )()
PROBLEM = Kth_SemiBalancedBracketSequence(N=3, K=2, reference_answer="()(")


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 5), (20, 43)])
def test_schedule(d, N):
    assert Kth_SemiBalancedBracketSequence.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("()(", 1.0),
        ("())", (2 / 3) ** 5),
        ("(((", (2 / 3) ** 5),
        (")()", 0.0),
        ("()", -0.5),
        ("()()", -0.5),
        ("[](", -0.5),
        ("( ) (", -0.5),
        ("", -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_unmarked_answer_is_unparseable():
    assert PROBLEM.verify("()(").reward == -1.0


@pytest.mark.parametrize("N", [3, 5, 7, 9, 11])
def test_gold_is_found_in_the_sorted_list(N):
    balanced = words(N - 1)
    listed = sorted({text[:i] + c + text[i:] for text in balanced for i in range(N) for c in "()"})
    for seed in range(40):
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
