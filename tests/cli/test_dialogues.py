"""Dialogues on the command line: shown, listed."""

import json

from rlve.catalogue import CATALOGUE
from rlve.registry import dialogues, environment


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
