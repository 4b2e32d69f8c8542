"""The contract of problems that answer back."""

import json
import re
from importlib import import_module

import pytest

import rlve
from rlve.dialogue import BREAK, command, conversation, messages_of, transcript
from rlve.formats import BASE, CHAT, PLAIN
from rlve.judges.math import MathQuestion
from rlve.rules import check
from rlve.rules.dialogues import PLAYERS

GUESS = rlve.environment("GuessNumber")
PROBLEM = GUESS(N=100, lies=0, secret=42, lies_at=[])  # seven guesses


def answer(move):
    return f"I think so. <answer>{move}</answer>"


def test_replies_follow_from_the_messages():
    assert PROBLEM.turns == 7
    assert PROBLEM.respond([answer(50)]) == rlve.Reply("lower\nYou have 6 messages left.")
    assert PROBLEM.respond([answer(50), r"\boxed{25}"]).text.startswith("higher\n")
    won = PROBLEM.respond([answer(50), answer(42)])
    assert won == rlve.Reply("You have won.", rlve.Verdict(1.0, True, True))
    for messages in ([], [answer(42), answer(42)], [answer(1)] * 8):
        with pytest.raises(rlve.UserError, match="there is nothing to reply to"):
            PROBLEM.respond(messages)
    with pytest.raises(TypeError):
        PROBLEM.respond([42])


def test_an_unreadable_message_costs_a_turn_and_says_why():
    for message in ("forty", "", BREAK, answer("4 2"), answer("forty-two"), "<answer>1"):
        reply = PROBLEM.respond([message])
        assert reply.verdict is None
        assert reply.text.startswith("This move cannot be read: ")
        assert reply.text.endswith("\nYou have 6 messages left.")
    wasted = ["hm"] * 7
    assert PROBLEM.respond(wasted).verdict == rlve.Verdict(-1.0, False, False)
    assert PROBLEM.respond([*wasted[:6], answer(41)]).verdict == rlve.Verdict(0.0, False, True)
    assert PROBLEM.respond([*wasted[:6], answer(42)]).verdict.correct


@pytest.mark.parametrize(
    ("messages", "verdict"),
    [
        ([answer(50), answer(42)], (1.0, True, True)),
        ([answer(50), answer(42), "and more"], (1.0, True, True)),
        ([answer(50)], (0.0, False, True)),  # left unfinished
        (["hm", ""], (-1.0, False, False)),
        ([answer(1)] * 7 + [answer(42)], (0.0, False, True)),
    ],
)
def test_a_conversation_is_judged_like_any_output(messages, verdict):
    output = conversation(messages)
    assert messages_of(output) == messages
    for options in ({}, {"marker": "boxed"}, {"reading": "forgiving"}):
        assert PROBLEM.verify(output, **options) == rlve.Verdict(*verdict)
    explained = PROBLEM.explain(output)
    assert explained.reward == verdict[0]
    assert explained.reason == list(PROBLEM.replies(messages))[-1].text


def test_a_message_cannot_pass_for_two():
    trick = answer(1) + BREAK + answer(42)
    assert messages_of(conversation([trick, "b"])) == [trick.replace(BREAK, " "), "b"]
    assert PROBLEM.respond([trick.replace("42", "43")]).verdict is None
    assert len(list(PROBLEM.replies([trick.replace("42", "43")]))) == 1


def test_a_conversation_goes_on_in_every_format():
    opening = CHAT.render(PROBLEM)
    assert opening == [{"role": "user", "content": PROBLEM.prompt()}]  # marked as it says itself
    assert CHAT.follow(opening, "a", "b") == [
        *opening,
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "b"},
    ]
    assert PLAIN.follow("p", "a", "b") == "pa\n\nb\n"
    assert BASE.follow(BASE.render(PROBLEM), "a", "b").endswith(
        "<think>a\nUser: b\nAssistant: Let me solve this step by step.\n<think>"
    )
    shown = transcript(PROBLEM, [answer(50), "hm", answer(42)])
    assert shown.splitlines()[0] == "> 50"
    assert shown.endswith("> 42\nYou have won.")


def test_commands():
    assert command("ask  3\n5", ask=2) == ("ask", [3, 5])
    for text in ("", "ask", "ask 1", "tell 1 2", "ask 1 2 3", "ask one two"):
        with pytest.raises(rlve.Unparseable):
            command(text, ask=2)


def test_lies_are_told_and_seen_through():
    problem = GUESS(N=3, lies=1, secret=3, lies_at=[0])
    assert [reply.text.split()[0] for reply in problem.replies([answer(2)] * 3)] == [
        "lower",
        "higher",
        "higher",
    ]
    assert problem.verify(problem.reference()).correct


class Faulty(GUESS):
    """Guess a number of somebody who forgets it, and crashes."""

    def reply(self, moves):
        if moves[-1] > 10**9:
            raise ZeroDivisionError
        return super().reply(moves) if len(moves) % 2 else ""

    def play(self):
        while True:
            yield "2"


class Easy(GUESS):
    """Guess any number."""

    def reply(self, moves):
        return 1.0


def test_the_rules_find_what_is_wrong():
    found = {
        complaint.message
        for _, complaint in check(Faulty, rules=["replies", "players"], levels=(0, 3), seeds=1)
    }
    assert "reference_moves() do not win" in found
    assert "a reply is empty: say what came of the move" in found
    assert "the environment raised an exception" in found
    found = [c for _, c in check(Easy, rules=["players"], levels=(3,), seeds=1)]
    assert all("a player that does not think wins" in complaint.message for complaint in found)
    assert len(found) == len(PLAYERS)  # one for each
    assert "wins 17 of 17 games" in found[0].evidence


@pytest.mark.parametrize(
    ("name", "player"),
    [
        ("Bandit", "the same move until 4 in a row pay less"),
        ("DarkMaze", "any way but back"),
        ("GuessNumber", "any number still possible"),
    ],
)
def test_what_players_win_is_what_is_declared(name, player):
    cls = rlve.environment(name)
    declared = {}
    for share, levels in re.findall(r"(\d+)% at d = (\d+(?: and \d+\b(?!%))?)", cls.guessable):
        declared |= dict.fromkeys(map(int, levels.split(" and ")), int(share) / 100)
    found = [c for _, c in check(cls, rules=["players"], levels=declared, seeds=4)]
    won = {c.difficulty: c.evidence.split() for c in found if c.evidence.startswith(player)}
    assert set(won) == set(declared) == {0, 1, 3, 6, 10}
    for d, words in won.items():
        assert abs(int(words[-4]) / int(words[-2]) - declared[d]) < 0.1
    assert all(complaint.excused for complaint in found)


def test_any_environment_gives_several_tries():
    cls = rlve.tries("Sorting", 2)
    assert (
        cls
        is rlve.environment("Sorting_2Tries")
        is getattr(import_module("rlve.attempts"), cls.__name__)
    )
    problem = cls.generate(difficulty=1, seed=1)
    inner = rlve.environment("Sorting").from_parameters(json.loads(problem.problem))
    assert inner.prompt() in problem.prompt()
    assert problem.turns == 2
    right = answer(inner.reference())
    unread, wrong = problem.respond([answer("no")]), problem.respond([answer("1 2")])
    assert "cannot be read: not an integer" in unread.text
    assert wrong.text == "This answer is wrong.\nYou have 1 message left."
    assert problem.respond([answer("1 2"), right]).verdict.correct
    assert problem.verify(problem.reference()).reward == 1
    assert not problem.respond([answer("1"), answer("2")]).verdict.correct
    assert cls.max_difficulty == 80
    for name, k in (("Sorting", 0), ("Sorting", 21), ("GuessNumber", 2), ("StoneGame", 2)):
        with pytest.raises(rlve.UserError):
            rlve.tries(name, k)
    assert rlve.tries("StoneGame", 1).turns
    assert rlve.tries(MathQuestion, 2).inner is MathQuestion
    assert check(cls, levels=(0, 4), seeds=1, rules=["declared", "replies", "round_trip"]) == []


def test_tries_say_if_low_levels_have_few_answers():
    for name in ("Josephus", "CatalanNumberMod", "Canon"):
        cls = rlve.tries(name, 3)
        games = [cls.generate(difficulty=0, seed=seed) for seed in range(100, 140)]
        references = {game.play().send(None) for game in games}
        tried = [[*game.replies(map(answer, references))][-1] for game in games]
        won = sum(reply.verdict.correct for reply in tried)
        assert (len(references), won) == (2, 40)
        assert "There are so few answers that 3 tries win all problems up to d = " in cls.guessable
    assert rlve.tries("Sorting", 3).guessable is rlve.tries("Josephus", 1).guessable is None
    both = rlve.tries("RootExtraction", 2)
    assert both.guessable.startswith(f"{both.inner.guessable} There are so few answers that 2")


@pytest.mark.parametrize(
    ("name", "k", "sure"), [("LASLaser", 4, 3), ("ClearSymmetry", 4, 4), ("CatalanNumberMod", 5, 3)]
)
def test_tries_say_up_to_which_level_there_are_as_few_answers(name, k, sure):
    cls = rlve.tries(name, k)
    assert f"{k} tries win all problems up to d = {sure} and at least " in cls.guessable
    for d in range(sure + 1):
        problems = [cls.inner.generate(difficulty=d, seed=seed) for seed in range(40)]
        assert len({problem.reference() for problem in problems}) <= k
