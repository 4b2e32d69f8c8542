"""`rlve play`."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Annotated, NamedTuple

from rlve.cli import INTERRUPTED
from rlve.cli._options import Selection, metavar
from rlve.cli._problems import heading, open_worker, problem_of, reference_of
from rlve.contract import Problem
from rlve.curricula import AdaptiveCurriculum, StaticCurriculum
from rlve.dialogue import Dialogue, Reply, respond
from rlve.errors import UserError
from rlve.levels import as_difficulty
from rlve.pool import Failure, Pool, Shown
from rlve.registry import environment
from rlve.reports.terminal import complain, echo

HELP = """\
Type your answer on one or more lines, then an empty line. Or type

  /again       to see the problem again
  /reference   to see a correct answer; this counts as wrong
  /skip        to get another problem; this does not count
  /empty       to give an empty answer
  /help        to see this again
  /quit        to stop, as Ctrl-D and Ctrl-C do"""

MOST_FAILURES = 10  # problems in a row that could not be generated


class Attempt(NamedTuple):
    """What came of a problem."""

    correct: bool | None  # whether the first answer was; None if none counts
    stop: bool = False


def run(
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    difficulty: Annotated[str | None, metavar("INT", "-d")] = None,
    tau_num: int = 3,
    tau_acc: float = 0.9,
    window: int = 4,
    count: Annotated[int | None, metavar("INT", "-n")] = None,
    seed: Annotated[int | None, metavar("INT", "-s")] = None,
) -> int:
    """Answer problems yourself. The difficulty follows you as it would follow a model.

    Every environment starts at difficulty 0. Its highest difficulty rises by one whenever enough of
    your answers at it are right (Algorithm 1, as in training, but with small numbers).

    Args:
        selection: The environments to draw problems from.
        difficulty: Stay at this difficulty instead.
        tau_num: Answers at the highest difficulty before it may rise.
        tau_acc: The share of them that must be right.
        window: Draw problems from this many difficulties, up to the highest.
        count: Stop after this many problems.
        seed: The same seed draws the same problems again.
    """
    names = [cls.__name__ for cls in selection.environments()]
    curriculum: AdaptiveCurriculum | StaticCurriculum
    if difficulty is None:
        curriculum = AdaptiveCurriculum(names, tau_acc=tau_acc, tau_num=tau_num, window=window)
    else:
        fixed = as_difficulty(difficulty)
        curriculum = StaticCurriculum(names, fixed, fixed)
    if sys.stdin.isatty():
        _edit_lines()
    echo(HELP)
    answered = solved = code = 0
    with open_worker() as pool:
        try:
            for name, d, shown in _problems(pool, curriculum.draw, Random(seed), count):
                echo(f"\n{heading(f'{name}, difficulty {d}')}\n{shown.prompt}\n")
                attempt = _attempt(pool, shown)
                if attempt.correct is not None:
                    answered += 1
                    solved += attempt.correct
                    curriculum.observe(name, d, attempt.correct)
                    for change in curriculum.step():
                        echo(f"{change.name}: the difficulty rises to {change.high}.")
                if attempt.stop:
                    break
        except KeyboardInterrupt:
            code = INTERRUPTED
            echo()
    echo(f"\n{solved} of {answered} problems solved.")
    for name in names:
        echo(f"{name}: difficulty {curriculum.bounds(name)[1]}")
    return code


def _problems(
    pool: Pool, draw: Callable[[Random], tuple[str, int]], rng: Random, count: int | None
) -> Iterator[tuple[str, int, Shown]]:
    drawn = failed = 0
    while count is None or drawn < count:
        name, d = draw(rng)
        try:
            shown = problem_of(pool, environment(name), d, rng.getrandbits(32))
        except UserError as error:
            failed += 1
            if failed > MOST_FAILURES:
                raise
            complain(str(error))
            continue
        drawn, failed = drawn + 1, 0
        yield name, d, shown


def _attempt(pool: Pool, shown: Shown) -> Attempt:
    """Let a person answer until they are right or give up; only the first answer counts.

    A dialogue goes on until it is over, and then counts.
    """
    first: bool | None = None
    messages: list[str] = []
    while True:
        answer = _read()
        match answer:
            case "/quit" | None:
                return Attempt(first, stop=True)
            case "/skip":
                return Attempt(first)
            case "/reference":
                echo(f"A correct answer:\n{reference_of(shown)}")
                return Attempt(bool(first))
            case "/again":
                echo(f"\n{shown.prompt}\n")
                continue
            case "/help":
                echo(HELP)
                continue
            case "/empty":
                answer = ""
            case _ if answer.startswith("/"):
                echo(f"There is no {answer.split()[0]}; /help lists the commands.")
                continue
            case _:
                pass
        if isinstance(shown.problem, Dialogue):
            messages.append(f"<answer>{answer}</answer>")
            reply = _reply(pool, shown.problem, messages)
            echo(reply.text)
            if reply.verdict is not None:
                return Attempt(reply.verdict.correct)
            continue
        correct = _judge(pool, shown, answer)
        if first is None:
            first = correct
        if correct:
            return Attempt(first)
        echo("Try again, or type /reference or /skip.")


def _reply(pool: Pool, problem: Problem, messages: list[str]) -> Reply:
    [reply] = pool.call_iter(respond, [(problem, messages)])
    if isinstance(reply, Failure):
        raise UserError(f"{type(problem).__name__} could not reply: {reply.message}")
    return reply


def _judge(pool: Pool, shown: Shown, answer: str) -> bool:
    """Print whether an answer is correct and, if it is wrong, why, as far as that can be said."""
    output = f"<answer>{answer}</answer>"
    (judged,) = pool.explain([(shown.problem, output)], marker="answer")
    if isinstance(judged, Failure):
        echo(f"The answer could not be judged: {judged.message}.")
        return False
    if judged.correct:
        echo("Correct.")
        return True
    echo(f"{judged.reason} The reward is {judged.reward:.4g}.")
    return False


def _read() -> str | None:
    """The lines up to an empty one, or a command, or None at the end of the input."""
    lines: list[str] = []
    prompt = "> " if sys.stdin.isatty() else ""
    while True:
        try:
            line = input(prompt)
        except EOFError:
            return "\n".join(lines) if lines else None
        if not lines and line.startswith("/"):
            return line.strip()
        if line.strip():
            lines.append(line)
        elif lines:
            return "\n".join(lines)


def _edit_lines() -> None:
    """Give input() cursor keys and a history, if the platform has them."""
    try:
        import_module("readline")
    except ImportError:  # on Windows
        return
