"""`rlve play`."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Annotated, NamedTuple

from tyro.conf import arg

from rlve.answers import extract
from rlve.cli._options import Selection
from rlve.cli.show import heading, problem_of, reference_of
from rlve.contract import Problem
from rlve.curricula import AdaptiveCurriculum, StaticCurriculum
from rlve.errors import Unparseable, UserError
from rlve.levels import as_difficulty
from rlve.registry import environment

HELP = """\
Type your answer, in one or more lines, and then an empty line. Or type

  /again       to see the problem again
  /reference   to see a correct answer; this counts as a wrong one
  /skip        to get another problem; this does not count
  /empty       to answer with nothing at all
  /help        to see this again
  /quit        to stop, as Ctrl-D does"""

MOST_FAILURES = 10  # problems in a row that cannot be generated


class Attempt(NamedTuple):
    """What a person made of a problem."""

    correct: bool | None  # of the first answer; None: there was none that counts
    stop: bool = False


def run(
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    difficulty: Annotated[
        str | None, arg(aliases=["-d"], metavar="INT", help_behavior_hint="")
    ] = None,
    tau_num: int = 3,
    tau_acc: float = 0.9,
    window: int = 4,
    count: Annotated[int | None, arg(aliases=["-n"], metavar="INT", help_behavior_hint="")] = None,
    seed: Annotated[int | None, arg(aliases=["-s"], metavar="INT", help_behavior_hint="")] = None,
) -> int:
    """Answer problems yourself. The difficulty follows you as it would follow a model.

    Every environment starts at difficulty 0. Whenever enough of your answers at its highest
    difficulty are right, that rises by one (Algorithm 1, as in training, with small numbers).

    Args:
        selection: The environments to draw problems from.
        difficulty: Stay at this difficulty instead.
        tau_num: How many answers at the highest difficulty it takes to decide whether it rises.
        tau_acc: The share of them that must be right.
        window: How many difficulties, up to the highest, problems are drawn from.
        count: Stop after this many problems.
        seed: Draw the same problems as the last time this seed was given.
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
    print(HELP)
    answered = solved = 0
    for name, d, problem in _problems(curriculum.draw, Random(seed), count):
        print(f"\n{heading(f'{name}, difficulty {d}')}\n{problem.prompt()}\n")
        attempt = _attempt(problem)
        if attempt.correct is not None:
            answered += 1
            solved += attempt.correct
            curriculum.observe(name, d, attempt.correct)
            for change in curriculum.step():
                print(f"{change.name}: the difficulty rises to {change.high}.")
        if attempt.stop:
            break
    print(f"\n{solved} of {answered} problems solved.")
    for name in names:
        print(f"{name}: difficulty {curriculum.bounds(name)[1]}")
    return 0


def _problems(
    draw: Callable[[Random], tuple[str, int]], rng: Random, count: int | None
) -> Iterator[tuple[str, int, Problem]]:
    drawn = failed = 0
    while count is None or drawn < count:
        name, d = draw(rng)
        try:
            problem = problem_of(environment(name), d, rng.getrandbits(32))
        except UserError as error:
            failed += 1
            if failed > MOST_FAILURES:
                raise
            print(f"rlve: {error}", file=sys.stderr)
            continue
        drawn, failed = drawn + 1, 0
        yield name, d, problem


def _attempt(problem: Problem) -> Attempt:
    """Let a person answer until they are right or have enough; the first answer counts."""
    first: bool | None = None
    while True:
        answer = _read()
        match answer:
            case "/quit" | None:
                return Attempt(first, stop=True)
            case "/skip":
                return Attempt(first)
            case "/reference":
                print(f"A correct answer:\n{reference_of(problem)}")
                return Attempt(bool(first))
            case "/again":
                print(f"\n{problem.prompt()}\n")
                continue
            case "/help":
                print(HELP)
                continue
            case "/empty":
                answer = ""
            case _ if answer.startswith("/"):
                print(f"There is no {answer.split()[0]}; /help shows what there is.")
                continue
            case _:
                pass
        correct = _judge(problem, answer)
        if first is None:
            first = correct
        if correct:
            return Attempt(first)
        print("Try again, or see the /reference, or /skip.")


def _judge(problem: Problem, answer: str) -> bool:
    output = f"<answer>{answer}</answer>"
    verdict = problem.verify(output, marker="answer")
    if verdict.correct:
        print("Correct.")
    elif verdict.well_formed:
        print(f"Wrong. The reward is {verdict.reward:.4g}.")
    else:
        print(f"This is not in the output format: {_complaint(problem, output)}.")
    return verdict.correct


def _complaint(problem: Problem, output: str) -> str:
    try:
        problem.parse(extract(output, "answer"))
    except Unparseable as reason:
        return str(reason)
    return "it cannot be read"


def _read() -> str | None:
    """The lines up to an empty one; or a command; or None at the end of the input."""
    lines: list[str] = []
    sign = "> " if sys.stdin.isatty() else ""
    while True:
        try:
            line = input(sign)
        except EOFError:
            return "\n".join(lines) if lines else None
        if not lines and line.startswith("/"):
            return line.strip()
        if line.strip():
            lines.append(line)
        elif lines:
            return "\n".join(lines)


def _edit_lines() -> None:
    """Give input() cursor keys and a history, where the platform has them."""
    try:
        import_module("readline")
    except ImportError:  # as on Windows
        return
