"""Problems that answer back: every dialogue is won by its program and keeps every rule."""

from functools import cache
from itertools import product
from random import Random

import pytest

import rlve
from rlve.catalogue import CATALOGUE, DIALOGUES, Entry
from rlve.collections import COLLECTIONS, D4, D16, D_HELD_OUT, resolve
from rlve.envs.dialogues import notakto
from rlve.registry import registered
from rlve.rules import RULES, check

LATER = ("HiddenLinearMap", "Notakto")  # in no collection: those stay as they were published
SPEED = {"quick"}  # is for `rlve check`: a test measures no time


@pytest.mark.parametrize("name", sorted(DIALOGUES))
def test_the_program_wins_at_every_level(name):
    cls = rlve.environment(name)
    assert DIALOGUES[name]._replace(collection="") == Entry.of(cls, "dialogues")
    assert cls.__module__ == DIALOGUES[name].module
    for d in range(11):
        problem = cls.generate(difficulty=d, seed=d)
        messages = problem.reference_moves()
        assert len(messages) <= problem.turns
        assert problem.verify(problem.reference()) == rlve.Verdict(1.0, True, True)
        assert f"{problem.turns} message" in problem.prompt()


@pytest.mark.parametrize("name", sorted(DIALOGUES))
def test_rules(name):
    found = check(rlve.environment(name), rules={*RULES} - SPEED, levels=(0, 3, 8), seeds=1)
    assert [f"{rule}: {complaint}" for rule, complaint in found if not complaint.excused] == []


def test_notakto_is_played_as_well_as_possible():
    """Against a search of all games from there."""

    @cache
    def lost(boards):
        live = tuple(board for board in boards if not notakto.is_over(board))
        every = (notakto.Move(*move) for move in product(range(len(live)), range(9)))
        moves = [notakto.after(live, move) for move in every if notakto.is_allowed(live, move)]
        return bool(moves) and not any(lost(tuple(sorted(boards))) for boards in moves)

    rng = Random(1)
    late = [board for board in range(512) if board.bit_count() > 3 and not notakto.is_over(board)]
    sums = [rng.choices(late, k=count) for count in (2, 3, 4) for _ in range(60)]
    for boards in (*product(range(512)), *product((16, 17), late), *sums):
        assert notakto.is_lost(boards) == lost(tuple(sorted(boards)))


def test_they_are_a_list_of_their_own():
    assert len(CATALOGUE) == 400
    assert rlve.dialogues() == sorted(DIALOGUES) == sorted({*D16, *D_HELD_OUT, *LATER})
    assert (len(D4), len(D16), len(D_HELD_OUT)) == (4, 16, 4)
    assert D16[:4] == D4
    assert not {*D16} & {*D_HELD_OUT}
    assert not {*DIALOGUES} & {*rlve.environments()}
    assert not any({*DIALOGUES} & {*COLLECTIONS[name]} for name in COLLECTIONS if name[0] != "D")
    assert resolve(["d4", "Sorting"]) == [*D4, "Sorting"]
    assert resolve([], families=["dialogues"]) == rlve.dialogues()
    with pytest.raises(rlve.UnknownEnvironment, match="did you mean 'GuessNumber'"):
        rlve.environment("GuesNumber")
    with pytest.raises(rlve.UserError, match="GuessNumber is a dialogue, and only problems that"):
        rlve.Gym("GuessNumber", group=2)

    class Mine(rlve.environment("GuessNumber")):
        """Guess my number."""

    with registered(Mine):
        assert "Mine" in rlve.dialogues()
        assert "Mine" not in rlve.environments()
