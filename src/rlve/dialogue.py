"""Problems that answer back.

A dialogue is an environment whose problem replies to moves. It is a frozen record like any other
problem: what it says depends on the record and the model's messages so far, and on nothing else. So
nobody keeps a session, every conversation can be replayed, and a conversation that was interrupted
goes on from its messages.

    problem = rlve.environment("GuessNumber").generate(difficulty=3, seed=1)
    problem.prompt()                    the opening: the rules, the form of a move, how many turns
    reply = problem.respond(messages)   to the last of the model's messages; the caller keeps them
    reply.text, reply.verdict           what to tell the model, and, when it is over, the verdict

A subclass defines `turns`, `parse` (one move), `reply` and `play` in place of `score` and
`reference`. A whole conversation is also an output: its messages joined by `conversation`. So it is
stored and judged by `verify` like the output for any other problem.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from rlve.answers import BETWEEN_TAGS, Marker, Reading, check_reading, extract, integers
from rlve.contract import ILL_FORMED, Environment, Problem, Verdict, check_output
from rlve.errors import Unparseable, UserError
from rlve.rewards import UNPARSEABLE, WRONG
from rlve.text import counted

Move = TypeVar("Move")
Command: TypeAlias = tuple[str, list[int]]
"""A word and its integers, such as `ask 3 5`."""
Player: TypeAlias = Generator[str, str, None]
"""A program that plays: it yields moves and is sent the replies."""

BREAK = "\x1e"  # the record separator of ASCII, between two messages of a conversation
WON = "You have won."
LOST = "It is over: you have not won."
REFUSALS = (  # the replies to moves that change nothing begin like this
    "Not allowed: ",
    "There is a wall. ",
    "You cannot go there.",
    "You have fired there before.",
)


class Ending(NamedTuple):
    """The reward of a game that is over, and what there is to say about how it ended."""

    reward: float
    said: str


class Reply(msgspec.Struct, frozen=True):
    """What is said to a message and, if that ends the conversation, the verdict."""

    text: str
    verdict: Verdict | None = None
    readable: bool = True
    """Whether the message had a move that could be read; if not, the turn was wasted."""
    allowed: bool = True
    """Whether a move that could be read was allowed; if not, the turn was wasted as well."""


class Dialogue(Environment[Move]):
    """An environment that replies to moves of the type `Move`."""

    marked = True  # the opening says how a move is marked, so no prompt format does
    unique_up_to = None  # there are many ways to win

    @property
    def turns(self) -> int:
        """How many messages the model may send."""
        raise NotImplementedError(f"{type(self).__name__} does not define turns")

    def opening(self) -> str:
        """The rules of the game and the form of a move."""
        return self.fill()

    def reply(self, moves: Sequence[Move]) -> str | float | Ending:
        """What is said to the last of these moves or, when it is over, the reward.

        To a move that is not allowed: "Not allowed: " and why.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define reply()")

    def play(self) -> Player:
        """Play well: yield moves as text and be sent the replies."""
        raise NotImplementedError(f"{type(self).__name__} does not define play()")

    # What every dialogue can do.

    def prompt(self) -> str:
        return (
            f"{self.opening()}\n\nThis is a dialogue. You may send {counted(self.turns, 'message')}"
            f". Each makes one move, written {BETWEEN_TAGS}, and gets a reply. A "
            "message whose move cannot be read or is not allowed is also counted."
        )

    def respond(self, messages: Sequence[str]) -> Reply:
        """The reply to the last of the model's messages; no string makes this raise.

        UserError if there is no message, or one after the end.
        """
        replies = list(self.replies(messages))
        if not messages or len(replies) < len(messages):
            over = f"was over after {counted(len(replies), 'message')}" if messages else "is empty"
            raise UserError(f"there is nothing to reply to: the conversation {over}")
        return replies[-1]

    def replies(self, messages: Iterable[str]) -> Iterator[Reply]:
        """The reply to each message in turn, up to the one that ends the conversation."""
        moves: list[Move] = []
        turns = self.turns
        for turn, message in enumerate(messages, 1):
            check_output(message)
            try:
                move = self.parse(extract(_unbroken(message)))
            except Unparseable as error:
                said, readable = f"This move cannot be read: {error}.", False
            else:
                readable = True
                moves.append(move)
                said = self.reply(moves)
            if not isinstance(said, str):
                reward, how = said if isinstance(said, Ending) else (said, "")
                won = reward >= self.passing
                verdict = Verdict(reward=float(reward), correct=won, well_formed=True)
                yield Reply(f"{how}\n{WON if won else LOST}".lstrip(), verdict)
                return
            allowed = not said.startswith(REFUSALS)
            if turn >= turns:
                ended = Verdict(reward=WRONG, correct=False, well_formed=True)
                yield Reply(f"{said}\n{LOST}", ended if moves else ILL_FORMED, readable, allowed)
                return
            left = counted(turns - turn, "message")
            yield Reply(f"{said}\nYou have {left} left.", readable=readable, allowed=allowed)

    def reference_moves(self) -> list[str]:
        """Messages that win, played by program."""
        moves: list[Move] = []
        messages: list[str] = []
        player = self.play()
        text = next(player)
        while True:
            messages.append(f"<answer>{text}</answer>")
            moves.append(self.parse(text))
            said = self.reply(moves)
            if not isinstance(said, str) or len(messages) == self.turns:
                return messages
            text = player.send(said)

    def reference(self) -> str | None:
        return conversation(self.reference_moves())

    def score(self, answer: Move) -> float:
        """The reward of a conversation of one move."""
        said = self.reply([answer])
        if isinstance(said, Ending):
            return said.reward
        return WRONG if isinstance(said, str) else said

    def verify(self, output: str, *, marker: Marker = "any", reading: Reading = "exact") -> Verdict:
        """Judge a conversation; no string makes this raise.

        One that the model left unfinished is lost. Its opening says how moves are marked, so the
        marker and the reading of a prompt format change nothing.
        """
        check_output(output)
        check_reading(reading)
        last = None
        for last in self.replies(messages_of(output)):  # noqa: B007  the last is what counts
            pass
        if last is not None and last.verdict is not None:
            return last.verdict
        readable = any(map(self._is_readable, messages_of(output)))
        reward = WRONG if readable else UNPARSEABLE
        return Verdict(reward=reward, correct=False, well_formed=readable)

    def _reason(self, output: str, marker: Marker, verdict: Verdict) -> tuple[str | None, str]:
        """The last move, and what was said to it."""
        *before, last = messages_of(output)
        *_, reply = self.replies([*before, last])
        return _unmarked(last), reply.text

    def _is_readable(self, message: str) -> bool:
        try:
            self.parse(extract(message))
        except Unparseable:
            return False
        return True


def conversation(messages: Iterable[str]) -> str:
    """The model's messages as one output."""
    return BREAK.join(map(_unbroken, messages))


def messages_of(output: str) -> list[str]:
    """The messages in an output."""
    return output.split(BREAK)


def _unbroken(message: str) -> str:
    return message.replace(BREAK, " ")


def respond(item: tuple[Problem, Sequence[str]]) -> Reply:
    """The reply to messages; a function of a module, so that a worker of a pool can run it."""
    problem, messages = item
    if not isinstance(problem, Dialogue):
        raise TypeError(f"{type(problem).__name__} does not answer back")
    return problem.respond(messages)


def transcript(problem: "Dialogue[Any]", messages: Sequence[str]) -> str:
    """A conversation for people to read: each message, marked with an arrow, and its reply."""
    told = zip(messages, problem.replies(messages), strict=False)
    return "\n".join(f"> {_unmarked(message)}\n{reply.text}" for message, reply in told)


def _unmarked(message: str) -> str:
    try:
        return extract(message)
    except Unparseable:
        return message


# What several dialogues use.


def command(text: str, **forms: int | None) -> Command:
    """A word and its integers; `forms` has the words, each with its number of integers, if fixed.

    >>> command("ask 3 5", ask=2, answer=None)
    ('ask', [3, 5])
    """
    word, *rest = text.split(maxsplit=1) or [""]
    if word not in forms:
        raise Unparseable(f"a move begins with {' or '.join(forms)}, not {word[:40]!r}")
    return word, integers("".join(rest), count=forms[word])


def numbers_in(text: str) -> list[int]:
    """The integers of a reply, in order; how a program reads it."""
    words = "".join(c if c.isdigit() or c == "-" else " " for c in text).split()
    return [int(word) for word in words if word.lstrip("-").isdigit()]
