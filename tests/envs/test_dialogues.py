"""Problems that answer back: every dialogue is won by its program and keeps every rule."""

from random import Random

import pytest

import rlve
from rlve.catalogue import DIALOGUES, Entry
from rlve.collections import COLLECTIONS, D4, D16, D_HELD_OUT, resolve
from rlve.registry import registered
from rlve.rules import RULES, check

SPEED = {"quick"}  # is for `rlve check`: a test measures no time


@pytest.mark.parametrize("name", sorted(DIALOGUES))
def test_the_program_wins_at_every_level(name):
    cls = rlve.environment(name)
    assert DIALOGUES[name]._replace(collection="") == Entry.of(cls, "dialogues")
    assert cls.__module__ == DIALOGUES[name].module
    for d in range(11):
        problem = cls.generate(difficulty=d, seed=d)
        messages = problem.reference_moves()
        assert all(reply.allowed for reply in problem.replies(messages))
        assert len(messages) <= problem.turns
        assert problem.verify(problem.reference()) == rlve.Verdict(1.0, True, True)
        assert f"{problem.turns} message" in problem.prompt()


@pytest.mark.parametrize("name", sorted(DIALOGUES))
def test_rules(name):
    found = check(rlve.environment(name), rules={*RULES} - SPEED, levels=(0, 3, 8), seeds=1)
    assert [f"{rule}: {complaint}" for rule, complaint in found if not complaint.excused] == []


REFUSED = {  # each with moves of which the last is not allowed
    "Bandit": ["0"],
    "Battleships": ["0 1", "1 1 / 1 1"],
    "BullsAndCows": ["1 2 9"],
    "DarkMaze": ["north", "north / west"],
    "DebugProgram": ["run -1 1"],
    "HiddenGraph": ["count 1 1"],
    "HiddenLinearMap": ["ask 0 1"],
    "HiddenPermutation": ["ask 0 1"],
    "LightsOut": ["0 1"],
    "Minefield": ["0 1"],
    "Notakto": ["9 9"],
    "PlayNim": ["1 99", "1 99 / 2 99"],
    "RobotRules": ["0"],
    "SlidingTiles": ["9"],
    "Sokoban": [" / ".join(["up"] * 4)],
    "SortByComparisons": ["compare 1 1"],
    "TowersOfHanoi": ["1 1"],
    "Treblecross": ["0", "5 / 5"],
    "TwentyQuestions": ["ask 99 1"],
    "WeighCoins": ["weigh 1 1"],
}


@pytest.mark.parametrize("name", sorted(DIALOGUES.keys() - {"GuessNumber", "HiddenPolynomial"}))
def test_a_reply_says_whether_the_move_was_allowed(name):
    problem = rlve.environment(name).generate(difficulty=0, seed=1)
    for moves in REFUSED[name]:
        reply = problem.respond([f"<answer>{move}</answer>" for move in moves.split(" / ")])
        assert (reply.readable, reply.allowed) == (True, False), reply.text
    unread = problem.respond(["hm"])
    assert (unread.readable, unread.allowed) == (False, True)


def last_words(problem, *moves):
    return problem.respond([f"<answer>{move}</answer>" for move in moves]).text


def test_a_lost_game_shows_how_it_was_lost():
    nim = rlve.environment("PlayNim")(heaps=[1, 2])
    assert last_words(nim, "2 2") == (
        "I take 1 from heap 1. No stone is left.\nIt is over: you have not won."
    )
    strip = rlve.environment("Treblecross")(N=7, crosses=[0])
    assert "I choose cell 2.\nXXX....\nIt is over" in last_words(strip, "3")
    mines = rlve.environment("Minefield").generate(difficulty=0, seed=1)
    row, column = mines.mines[0]
    there = f"There is a mine in row {row + 1}, column {column + 1}.\n"
    assert last_words(mines, f"{row + 1} {column + 1}").startswith(there)
    board = rlve.environment("Notakto")(N=1, crosses=[[0, 1]])
    assert "You have ended the last board.\n1: XXX ... ... (over)" in last_words(board, "1 3")


@pytest.mark.parametrize("name", ["HiddenPolynomial", "HiddenLinearMap", "DebugProgram"])
def test_numbers_are_worked_out(name):
    prompts = [rlve.environment(name).generate(difficulty=d, seed=1).prompt() for d in range(8)]
    assert not any(" - 1" in prompt or "..., c[1]" in prompt for prompt in prompts)
    if name == "HiddenPolynomial":
        assert "f(x) = c[0] + c[1] * x. Each" in prompts[0]
        assert "c[0] + c[1] * x + c[2] * x^2. Each" in prompts[2]
        assert "c[0] + c[1] * x + ... + c[4] * x^4. Each" in prompts[6]
        assert "coefficients\nc[0], c[1], ..., c[4], 5 integers" in prompts[6]


def test_a_maze_can_be_searched_depth_first_in_any_order():
    for seed in range(40):
        problem = rlve.environment("DarkMaze").generate(difficulty=seed % 8, seed=seed)
        here, seen, steps = [problem.start], {problem.start}, 0
        order = Random(seed)
        while here[-1] != problem.goal:
            near = [b if a == here[-1] else a for a, b in problem.passages if here[-1] in (a, b)]
            new = [cell for cell in near if cell not in seen]
            here.append(order.choice(new)) if new else here.pop()
            seen.add(here[-1])
            steps += 1
        assert len(here) - 1 <= steps <= problem.turns


def test_they_are_a_list_of_their_own():
    assert rlve.dialogues() == sorted(DIALOGUES)
    assert {*D16, *D_HELD_OUT} <= {*DIALOGUES}
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
