"""Dialogues on the command line: played, shown, listed."""

import json

from rlve.catalogue import CATALOGUE
from rlve.registry import dialogues, environment


def test_a_person_plays_a_dialogue(rlve):
    played = rlve("play", "GuessNumber", "-d", 0, "-s", 1, "-n", 1, stdin="ten\n\n/quit\n")
    assert "I am thinking of an integer from 1 to 10." in played.out
    assert "This move cannot be read: not an integer" in played.out
    assert "You have 3 messages left." in played.out
    assert "0 of 0 problems solved." in played.out
    guesses = "".join(f"{guess}\n\n" for guess in (3, 3, 3, 3))
    ended = rlve("play", "GuessNumber", "-d", 0, "-s", 1, "-n", 1, stdin=guesses)
    won = rlve("play", "GuessNumber", "-d", 0, "-s", 1, "-n", 1, stdin="/reference\n")
    assert ("You have won." in ended.out) == ("1 of 1 problems solved." in ended.out)
    assert "You have won." in won.out  # so does the program
    assert "0 of 1 problems solved." in won.out


def test_a_dialogue_is_shown_and_listed(rlve):
    shown = rlve("show", "PlayNim", "-d", 2, "-s", 3).out
    assert "You may send" in shown
    assert "\nYou have won.\n" in shown
    record = json.loads(rlve("show", "GuessNumber", "--json").out)
    problem = environment("GuessNumber").from_parameters(record["parameters"])
    assert problem.verify(record["reference"]).correct
    assert rlve("list", "-f", "dialogues", "--names").out.split() == dialogues()
    assert len(rlve("list", "-c", "D4", "--names").out.split()) == 4
    assert f"{len(CATALOGUE)} environments" in rlve("list").out
    assert "3 messages" in rlve("show", "Sorting_3Tries").out
