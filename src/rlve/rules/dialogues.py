"""Rules about problems that answer back."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import NamedTuple, cast

from rlve.answers import extract
from rlve.contract import Verdict
from rlve.dialogue import Dialogue, Reply
from rlve.registry import is_dialogue
from rlve.rules.answers import faults, unchanged
from rlve.rules.hostile_outputs import Output, answers
from rlve.rules.subject import Case, Complaint, Raised, Subject, marked, short

NO_MOVE = "I have not decided yet."
TRIED_LEVELS = 3  # levels at which to try hostile messages
FULL_LEVELS = 10  # up to here, many games are played at every level
GAMES = 17  # for each seed that is checked, so 51 by default
EARNED = (0, 1, 3, 6, 10)  # levels at which trivial players should lose
SMALL = 1  # up to here, games can be too small to lose: what is won is shown, and excused
PAYS = (3, 4, 5)  # what a reply must begin with, at least, for a player to stay
ALLOWED = 1 / 3  # of its games may be won by a trivial player
NUMBER = re.compile(r"\d+")
WORD = re.compile(r"\w+")
RANGE = re.compile(r"from (\d+) to (\d+)")
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
ABSURD = ("0", "-1", "9" * 30)  # in the place of every number of a move
SECONDS = 1.0  # of processor time for all replies to one conversation


def replies(subject: Subject) -> Iterator[Complaint]:
    """A reply depends on the problem and the messages alone; turns are counted; nothing breaks."""
    if not is_dialogue(subject.environment):
        return
    for case in subject.cases():
        yield from _checked(subject, case, _replayed)
    for case in subject.cases(subject.spread(TRIED_LEVELS), seeds=1):
        yield from _checked(subject, case, _wasted)
        yield from _checked(subject, case, _survived)
        yield from unchanged(case)


def players(subject: Subject) -> Iterator[Complaint]:
    """The program wins within the turns, and who does not play loses most games."""
    if not is_dialogue(subject.environment):
        return
    full = [d for d in subject.levels if d <= FULL_LEVELS]
    for d in subject.levels:
        games = subject.seeds * GAMES if d in full else subject.seeds
        for case in subject.cases([d], seeds=games):
            yield from _checked(subject, case, _won)
    for d in [d for d in EARNED if d in subject.levels]:
        cases = list(subject.cases([d], seeds=subject.seeds * GAMES))
        scripts = [moves for case in cases if (moves := _script(subject, case))]
        for name, play in PLAYERS.items() if len(scripts) > 1 else ():
            won = sum(_wins(subject, case, scripts, play) for case in cases)
            if won > ALLOWED * len(cases):
                reason = subject.environment.guessable
                yield Complaint(
                    message="a player that does not think wins too often: redraw such problems, "
                    "or say in `guessable` why this cannot be avoided",
                    difficulty=d,
                    evidence=f"{name} wins {won} of {len(cases)} games",
                    excused=reason is not None or d <= SMALL,
                )


def _dialogue(case: Case) -> "Dialogue[object]":
    if not isinstance(case.problem, Dialogue):
        raise TypeError(f"{type(case.problem).__name__} is not a dialogue")
    return case.problem


def _script(subject: Subject, case: Case) -> list[str]:
    """The messages of the program; none if it fails, of which the rule `players` complains."""

    def played() -> list[str] | Raised:
        return subject.attempt("reference_moves()", case, _dialogue(case).reference_moves)

    messages = subject.once("script", case, played)
    return [] if isinstance(messages, Raised) else messages


def _checked(
    subject: Subject,
    case: Case,
    look: Callable[["Dialogue[object]", list[str]], Iterator[tuple[str, str]]],
) -> Iterator[Complaint]:
    """What a look at a problem and the program's messages finds, as complaints."""
    found, seconds = subject.timed(
        look.__name__.strip("_"),
        case.difficulty,
        case.seed,
        lambda: list(look(_dialogue(case), _script(subject, case))),
    )
    if isinstance(found, Raised):
        yield case.complain("the environment raised an exception", found.text)
        return
    for fault, seen in found:
        yield case.complain(fault, seen)
    if look is _won and seconds > SECONDS:
        yield case.complain(
            f"replying to a whole conversation takes more than {SECONDS:g} s: do less for each "
            "reply, or set max_difficulty",
            f"{seconds:.2f} s",
        )


def _replayed(problem: "Dialogue[object]", script: list[str]) -> Iterator[tuple[str, str]]:
    """Replies are the same again, for a problem made from its record, and for each beginning."""
    first = list(problem.replies(script))
    copy = type(problem).from_parameters(problem.parameters())
    for other, name in ((problem, "again"), (copy, "from a problem rebuilt from its parameters")):
        if list(other.replies(script)) != first:
            yield f"the same messages get different replies {name}", ""
    if problem.reference_moves() != copy.reference_moves():
        yield "reference_moves() differ for a problem rebuilt from its parameters", ""
    for count in sorted({1, len(script) // 2 + 1, len(script)}):
        reply = copy.respond(script[:count])
        if reply != first[count - 1]:
            yield "respond() differs from the reply in the whole conversation", short(reply.text)
    if not all(reply.verdict or _said(reply).strip() for reply in first):
        yield "a reply is empty: say what came of the move", ""


def _wasted(problem: "Dialogue[object]", script: list[str]) -> Iterator[tuple[str, str]]:
    """An unreadable message costs a turn, says why, and changes nothing else."""
    if problem.turns > 1:
        reply = problem.respond([NO_MOVE])
        if reply.verdict is not None or not _said(reply):
            yield "an unreadable message must get a reply that says why", short(reply.text)
        straight = list(problem.replies(script[:2]))
        delayed = list(problem.replies([NO_MOVE, *script[:2]]))[1:]
        for before, after in zip(straight, delayed, strict=False):
            if after.verdict is None and _said(before) != _said(after):
                yield "an unreadable message changes later replies", short(after.text)
    silent = list(problem.replies([NO_MOVE] * (problem.turns + 1)))
    ended = [reply.verdict is not None for reply in silent]
    if len(silent) != problem.turns or ended != [*[False] * (problem.turns - 1), True]:
        yield "the dialogue does not end after `turns` messages", f"{len(silent)} replies"
    verdict = silent[-1].verdict
    if verdict is None or verdict.well_formed or verdict.correct:
        yield "unreadable messages alone must be ill-formed", str(verdict)
    late = [NO_MOVE] * (problem.turns - len(script) + 1) + script
    verdict = list(problem.replies(late))[-1].verdict
    if verdict is None or verdict.correct:
        yield "winning one message too late counts as won", str(verdict)


def _survived(problem: "Dialogue[object]", script: list[str]) -> Iterator[tuple[str, str]]:
    """No message makes respond() raise, leave its bounds, or win by nonsense."""
    tried = dict.fromkeys((*script[:1], *script[-1:]))
    absurd = [Output(NUMBER.sub(value, move)) for move in tried for value in ABSURD]
    for output in (*answers(), *absurd):
        shown = output.label or short(output.text)
        for messages in ([output.text], [*script[:1], output.text]):
            for reply in problem.replies(messages):
                if reply.verdict is None or len(script) == 1:
                    continue
                for fault, seen in faults(problem, reply.verdict):
                    yield fault, f"{shown}: {seen}"
                if reply.verdict.correct and output.text not in script:
                    yield "nonsense wins", shown


def _won(problem: "Dialogue[object]", script: list[str]) -> Iterator[tuple[str, str]]:
    turns = cast(object, problem.turns)
    if not isinstance(turns, int) or turns < 1:
        yield "turns must be an integer of at least 1", repr(turns)
        return
    told = list(problem.replies(script or [NO_MOVE]))
    verdict = told[-1].verdict
    if verdict is None or verdict.reward != 1 or not verdict.correct or len(told) < len(script):
        yield "reference_moves() do not win", f"{len(script)} of {turns} messages: {verdict}"
    if str(turns) not in problem.prompt():
        yield "the opening does not say how many messages may be sent", str(turns)
    for reply in told:
        yield from faults(problem, reply.verdict) if reply.verdict else ()


def _said(reply: Reply) -> str:
    """A reply without the line that counts the messages left."""
    return reply.text.rpartition("\n")[0]


class Game(NamedTuple):
    """What a player that does not think may know."""

    rng: Random
    opening: str
    other: list[str]  # what won another game
    moves: list[str]  # what was played in several other games
    sent: list[str]  # the messages so far
    told: list[str]  # and the replies to them


def _stay(least: int, patience: int, game: Game) -> str:
    """The same move until so many replies in a row begin with less, as payments do."""
    latest = list(zip(game.sent, game.told, strict=True))[-patience:]
    low = [sent for sent, told in latest if int((NUMBER.findall(told) or ["0"])[0]) < least]
    if game.sent and low != [game.sent[-1]] * patience:
        return game.sent[-1]
    return game.rng.choice([m for m in game.moves if m not in game.sent[-1:]] or game.moves)


def _wander(game: Game) -> str:
    """Any move that the last reply calls open, but not back, if there is another."""
    said = (game.told or [game.opening])[-1].partition("Open:")[2]
    words = WORD.findall(said.partition(".")[0])
    named = sorted({move for move in game.moves if extract(move) in words})
    back = OPPOSITE.get(extract(game.sent[-1])) if game.sent else None
    return game.rng.choice([m for m in named if extract(m) != back] or named or game.moves)


def _narrow(game: Game) -> str:
    """Any number that is still possible: between those to which the reply was higher or lower."""
    low, high = map(int, (RANGE.findall(game.opening) or [("1", "10")])[0])
    for message, reply in zip(game.sent, game.told, strict=True):
        number = int((NUMBER.findall(message) or ["0"])[0])
        if reply.startswith("higher"):
            low = max(low, number + 1)
        elif reply.startswith("lower"):
            high = min(high, number - 1)
    return marked(str(game.rng.randint(min(low, high), high)))


PLAYERS: dict[str, Callable[[Game], str]] = {
    "always the first move of another game": lambda game: game.other[0],
    "always the last move of another game": lambda game: game.other[-1],
    "any move of other games": lambda game: game.rng.choice(game.moves),
    "the last reply as the next move": lambda game: (
        marked(game.told[-1]) if game.told else game.other[0]
    ),
    **{f"the same move while it pays {least} or more": partial(_stay, least, 1) for least in PAYS},
    **{
        f"the same move until {patience} in a row pay less": partial(_stay, PAYS[0], patience)
        for patience in (2, 3, 4)
    },
    "any way but back": _wander,
    "any number still possible": _narrow,
}


def _wins(
    subject: Subject, case: Case, scripts: list[list[str]], play: Callable[[Game], str]
) -> bool:
    problem = _dialogue(case)
    others = [scripts[(case.seed + step) % len(scripts)] for step in range(1, min(6, len(scripts)))]
    rng = Random(f"{case.difficulty}/{case.seed}")
    moves = [move for script in others for move in script]
    game = Game(rng, problem.opening(), others[0], moves, [], [])

    def messages() -> Iterator[str]:
        while True:
            game.sent.append(play(game))
            yield game.sent[-1]

    def conversation() -> Verdict | None:
        verdict = None
        for reply in problem.replies(messages()):
            game.told.append(reply.text)
            verdict = reply.verdict
        return verdict

    verdict = subject.attempt("respond()", case, conversation)
    return isinstance(verdict, Verdict) and verdict.correct
