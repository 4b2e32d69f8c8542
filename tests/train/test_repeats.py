"""Which problems of a run had come up before."""

import msgspec
import pytest

from rlve.envs.arrays.sorting import Sorting
from rlve.envs.dialogues.guess_number import GuessNumber
from rlve.stream import Item
from rlve.train import repeats as module
from rlve.train.repeats import Repeats


def items(cls, *seeds, difficulty=6):
    problems = [cls.generate(difficulty=difficulty, seed=seed) for seed in seeds]
    return [Item(0, cls.__name__, difficulty, 0, problem) for problem in problems]


@pytest.mark.parametrize("cls", [Sorting, GuessNumber])
def test_problems_are_counted_by_environment_and_level(cls):
    """Dialogues of a level may all open with the same words."""
    repeats = Repeats()
    assert repeats.count([*items(cls, 1, 2), *items(cls, 1, difficulty=9)]) == {}
    again = repeats.count([*items(cls, 1, 1, 5), *items(cls, 1, difficulty=9)])
    assert again == {cls.__name__: {6: 2, 9: 1}}
    resumed = Repeats()
    resumed.load_state_dict(msgspec.json.decode(msgspec.json.encode(repeats.state_dict())))
    assert resumed.state_dict() == repeats.state_dict()
    assert resumed.count(items(cls, 5, 7)) == {cls.__name__: {6: 1}}


def test_of_a_level_with_many_problems_no_more_are_remembered(monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 3)
    repeats = Repeats()
    assert repeats.count(items(Sorting, 1, 2, 2)) == {"Sorting": {6: 1}}
    assert repeats.count(items(Sorting, 3, 4, 4, 1)) == {}
    assert len(repeats.state_dict()["Sorting"][6]) == 3
