"""One rule for all: what is not marked, or no answer of the environment's kind, is ill-formed."""

import pytest

from rlve.catalogue import CATALOGUE
from rlve.contract import Verdict
from rlve.registry import environment

NO_ANSWERS = ("banana", "\u00d7", "42 banana", "a word, and another one", "Maybe")


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_what_nobody_can_read_is_ill_formed(name: str):
    problem = environment(name).generate(difficulty=1, seed=0)
    for text in NO_ANSWERS:
        verdict = problem.verify(f"<answer>{text}</answer>")
        assert not verdict.well_formed, (text, verdict)
        assert verdict.reward <= 0
    assert problem.verify(problem.reference()) == Verdict(-1, correct=False, well_formed=False)
    assert problem.verify(f"<answer>{problem.reference()}</answer>").well_formed


@pytest.mark.parametrize(
    "name", ["EuclidGame", "StoneGame", "MultipleFlippingGame", "LampChanging"]
)
def test_published_rewards_of_ill_formed_words_stay(name: str):
    problem = environment(name).generate(difficulty=1, seed=0)
    assert problem.verify("<answer>banana</answer>").reward == -0.5
