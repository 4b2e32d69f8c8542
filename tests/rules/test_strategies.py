"""Strategies that look at the prompt only, and the table of what they earn."""

import sys
from pathlib import Path

import pytest

from rlve.catalogue import CATALOGUE
from rlve.contract import Verdict
from rlve.registry import environment
from rlve.rules.guesses import OPEN, is_the_task
from rlve.rules.strategies import PANEL, PROBLEMS, Earnings, Question, Sight, earnings

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import guesses

TABLE = guesses.stored()
SAMPLE = sorted(CATALOGUE)[7::50]
REMEDY = "if the change is wanted, run docs/guesses.py with the names of what changed"


def answers(prompt, solved=()):
    found = {}
    for label, answer in PANEL.items():
        try:
            found[label] = answer(Sight.of(prompt, solved))
        except (IndexError, ValueError):
            continue
    return found


def question(prompt, right):
    def judge(text):
        return Verdict(reward=float(text == right), correct=text == right, well_formed=True)

    return Question(prompt, right, judge)


def test_strategies_see_the_prompt_only():
    prompt = "Here are 3 numbers that you add up:\n\n5 9 7\n\nOutput format: the 1 sum."
    found = answers(prompt, ["4", "4", "8"])
    assert found["number 1"] == "3"
    assert found["the sum of number 2 and number 3"] == "14"
    assert found["the longest line, sorted"] == "5 7 9"
    assert found["the longest line, argsort from 0"] == "0 2 1"
    assert found["the median in the longest line"] == "7"
    assert found["the first token"] == "5"
    assert found["1, 2, 3, ... of the length number 1"] == "1 2 3"
    assert found["number 1 from the end"] == "7"  # not of the output format
    assert found["the constant right most often, rank 1"] == "4"


def test_the_best_strategy_is_measured_on_other_problems():
    """The first half says 8; the second half never does."""
    lucky = [question("Guess a number.", "8" if i < 10 else "9") for i in range(20)]
    assert earnings(lucky).wins == 0
    sums = [question(f"What is {i} plus {i * i}?", str(i + i * i)) for i in range(20)]
    best = earnings(sums)
    assert (best.strategy, best.wins, best.tried) == ("the sum of number 1 and number 2", 10, 10)
    assert best.reward == 1.0


def test_the_table_has_all_environments():
    assert {key.partition("/")[0] for key in TABLE} == set(CATALOGUE)
    assert {row["tried"] for row in TABLE.values()} == {PROBLEMS // 2}
    levels: dict[str, list[Earnings]] = {}
    for key, row in TABLE.items():
        levels.setdefault(key.partition("/")[0], []).append(Earnings(**row))
    assert {name for name, found in levels.items() if is_the_task(found)} == THE_TASK


@pytest.mark.parametrize("name", SAMPLE)
def test_the_table_is_what_is_measured(name):
    assert {key: value._asdict() for key, value in guesses.measure(name).items()} == {
        key: row for key, row in TABLE.items() if key.startswith(f"{name}/")
    }, REMEDY


def test_few_environments_can_be_guessed():
    often = {
        key.partition("/")[0]
        for key, row in TABLE.items()
        if not key.endswith("/0") and row["wins"] / row["tried"] > OPEN
    }
    silent = {name for name in often if environment(name).guessable is None}
    assert len(often) <= 30
    assert silent <= TWO_ANSWERS | THE_TASK


# An answer of yes or no is right in half of the problems.
TWO_ANSWERS = {
    *("CheckAllCycleXorZero", "DeltaNimGame", "EuclidGame", "LampChanging"),
    *("MultipleFlippingGame", "SplittingGame", "StoneGame"),
}
THE_TASK = {"Multiplication", "Sorting"}
