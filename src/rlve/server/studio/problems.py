"""One environment as its page shows it: a problem, verdicts on answers, levels, lengths."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from rlve.answers import extract
from rlve.contract import AnyEnvironment, Problem, Verdict, check_difficulty
from rlve.dialogue import Dialogue, messages_of
from rlve.errors import Unparseable, UserError
from rlve.pool import Failure, Pool, Request
from rlve.registry import dialogues, environment, environments, is_dialogue
from rlve.reports.pictures import draw
from rlve.server.studio.charts import Chart, Series, round_off

HIGHEST = 100  # the end of the slider, if the environment has no max_difficulty
SHOWN = 20  # every level up to this one is in the table; above it, some
LEVELS = 20  # at most so many levels whose lengths are measured, or that are shown above that
LENGTHS_TO = 60  # lengths are measured up to this level: beyond it, solving may take long
SEEDS = 2  # problems per level whose lengths are measured


class ProblemCard(NamedTuple):
    """A problem on a page."""

    name: str
    difficulty: int
    seed: int
    prompt: str
    parameters: str
    picture: Markup | None  # as SVG


class Turn(NamedTuple):
    """A message and the reply to it."""

    message: str  # as it was typed
    reply: str
    readable: bool
    allowed: bool


class Conversation(NamedTuple):
    """A dialogue as it stands: it follows from the problem and the messages alone."""

    turns: list[Turn]
    most: int
    verdict: Verdict | None  # once it is over

    @property
    def unreadable(self) -> int:
        return sum(not turn.readable for turn in self.turns)

    @property
    def refused(self) -> int:
        return sum(not turn.allowed for turn in self.turns)


class AnswerCard(NamedTuple):
    """What the page says about an answer."""

    verdict: Verdict | None
    reason: str | None  # a sentence on it, or why it could not be judged
    wrapped: bool  # whether it was put between <answer> and </answer>


def highest(cls: AnyEnvironment) -> int:
    """The end of the slider."""
    return HIGHEST if cls.max_difficulty is None else cls.max_difficulty


def spread(first: int, last: int) -> list[int]:
    """The levels from one to another, or some of them if they are many."""
    many = last - first
    if many <= LEVELS:
        return list(range(first, last + 1))
    return sorted({first + round(i * many / LEVELS) for i in range(LEVELS + 1)})


def request(name: str, difficulty: int, seed: int) -> Request:
    """The problem that a URL names."""
    cls = environment(name)
    return Request(cls, check_difficulty(cls, difficulty), seed)


def card_of(wanted: Request, problem: Problem) -> ProblemCard:
    """A problem as a page shows it."""
    parameters = msgspec.json.format(msgspec.json.encode(problem.parameters())).decode()
    name = wanted.environment.__name__
    picture = drawn(problem)
    return ProblemCard(name, wanted.difficulty, wanted.seed, problem.prompt(), parameters, picture)


def drawn(problem: Problem, answer: str | None = None) -> Markup | None:
    """A problem as a picture, if it has one, with an answer drawn in."""
    svg = draw(problem, answer)
    return None if svg is None else Markup(svg)  # noqa: S704  its labels are escaped there


def make_problem(pool: Pool, wanted: Request) -> Problem:
    """A problem, generated in a worker."""
    (result,) = pool.generate([wanted])
    if isinstance(result, Failure):
        raise UserError(f"no problem could be generated ({result.kind}): {result.message}")
    return result


class Solution(NamedTuple):
    """A correct answer, and the way to it where there is one."""

    answer: str | None
    worked: list[str]
    talk: Conversation | None = None  # how a program wins a dialogue
    picture: Markup | None = None  # the problem with the answer drawn in


def solve(pool: Pool, wanted: Request) -> Solution:
    """A correct answer and the worked solution, computed in a worker."""
    result = pool.show(wanted)
    if isinstance(result, Failure):
        raise UserError(f"no answer could be computed ({result.kind}): {result.message}")
    talk = None
    if isinstance(result.problem, Dialogue) and result.reference is not None:
        messages = [extract(message) for message in messages_of(result.reference)]
        talk = talk_about(pool, result.problem, messages)
    picture = None if result.reference is None else drawn(result.problem, result.reference)
    return Solution(result.reference, result.worked, talk, picture)


def talk_about(pool: Pool, problem: Problem, messages: Sequence[str]) -> Conversation:
    """The conversation that these messages make with a problem that answers back."""
    [talk] = pool.call_iter(replay, [(problem, messages)])
    if isinstance(talk, Failure):
        raise UserError(f"there is no reply ({talk.kind}): {talk.message}")
    return talk


def replay(item: tuple[Problem, Sequence[str]]) -> Conversation:
    """A conversation from what a person typed; runs in a worker."""
    problem, typed = item
    return _converse(problem, typed, [as_output(message) for message in typed])


def replay_output(item: tuple[Problem, str]) -> Conversation:
    """A conversation from a model's output, whose messages are as they were sent."""
    problem, output = item
    messages = messages_of(output)
    return _converse(problem, messages, messages)


def _converse(problem: Problem, shown: Sequence[str], messages: Sequence[str]) -> Conversation:
    if not isinstance(problem, Dialogue):
        raise TypeError(f"{type(problem).__name__} does not answer back")
    replies = list(problem.replies(messages))
    turns = [
        Turn(told, reply.text, reply.readable, reply.allowed)
        for told, reply in zip(shown, replies, strict=False)
    ]
    return Conversation(turns, problem.turns, replies[-1].verdict if replies else None)


def conversations(
    pool: Pool, name: str, difficulty: int | None, seed: int | None, outputs: Mapping[int, str]
) -> dict[int, Conversation]:
    """What the environment replied to each of these outputs; none if it does not answer back.

    A run does not store replies: they follow from the problem, which is made again.
    """
    if name not in {*environments(), *dialogues()} or difficulty is None or seed is None:
        return {}
    cls = environment(name)
    if not is_dialogue(cls):
        return {}
    problem = make_problem(pool, Request(cls, difficulty, seed))
    found = pool.call_iter(replay_output, [(problem, output) for output in outputs.values()])
    return {
        number: talk
        for number, talk in zip(outputs, found, strict=True)
        if not isinstance(talk, Failure)
    }


def as_output(answer: str) -> str:
    """What a person typed, as a model would write it: an answer is marked."""
    return answer if _is_marked(answer) else f"<answer>{answer}</answer>"


def judge(pool: Pool, wanted: Request, answer: str) -> AnswerCard:
    """The verdict on what a person typed: a bare answer, or an output that marks its answer."""
    problem = make_problem(pool, wanted)
    output = answer if problem.marked else as_output(answer)
    (result,) = pool.explain([(problem, output)])
    if isinstance(result, Failure):
        return AnswerCard(None, f"{result.kind}: {result.message}", output != answer)
    return AnswerCard(result, result.reason, output != answer)


def _is_marked(text: str) -> bool:
    try:
        extract(text)
    except Unparseable as error:
        return not str(error).startswith("no answer is marked")
    return True


def schedule(cls: AnyEnvironment) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The levels as a table: its columns, and the values of each level."""
    end = highest(cls)
    shown = [*range(min(SHOWN, end) + 1), *(spread(SHOWN, end)[1:] if end > SHOWN else ())]
    levels = {d: cls.level(d) for d in shown}
    keys = list(dict.fromkeys(key for rows in levels.values() for row in rows for key in row))
    return keys, [(d, [_cell(key, rows) for key in keys]) for d, rows in levels.items()]


def _cell(key: str, rows: list[dict[str, Any]]) -> str:
    values = list(dict.fromkeys(_text(row[key]) for row in rows if key in row))
    few = values if len(values) <= 4 else [*values[:3], "...", values[-1]]
    return " or ".join(few)


def _text(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@lru_cache(maxsize=64)
def lengths(pool: Pool, cls: AnyEnvironment) -> Chart:
    """How long prompts and answers get with difficulty; measured once."""
    levels = spread(0, min(highest(cls), LENGTHS_TO))
    wanted = [Request(cls, d, seed) for d in levels for seed in range(SEEDS)]
    sizes: dict[str, dict[int, list[int]]] = {"prompt": {}, "answer": {}}
    for asked, result in zip(wanted, pool.solve_iter(wanted), strict=True):
        if isinstance(result, Failure):
            continue
        problem, answer = result
        for size, text in zip(sizes.values(), (problem.prompt(), answer), strict=True):
            if text is not None:
                size.setdefault(asked.difficulty, []).append(len(text))
    series = [
        Series(
            name, [round_off(fmean(size[d])) if d in size else None for d in levels], i, points=True
        )
        for i, (name, size) in enumerate(sizes.items())
    ]
    return Chart(
        title="Length in characters",
        x=[float(d) for d in levels],
        along="difficulty",
        series=series,
        note=f"Mean of {SEEDS} problems at each difficulty shown.",
    )


@cache
def source(cls: AnyEnvironment) -> tuple[str, str]:
    """The name and text of the file that defines the environment."""
    import inspect

    try:
        path = Path(inspect.getsourcefile(cls) or "")
        return path.name, path.read_text(encoding="utf-8")
    except (TypeError, OSError):
        raise UserError(f"{cls.__name__} was not defined in a file") from None
