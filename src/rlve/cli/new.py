"""`rlve new`."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._options import Flag, metavar
from rlve.errors import UserError
from rlve.registry import dialogues, environments

RULES = '''\
"""Run with: python -m pytest {test}"""

import rlve
from {module} import {name}


def test_it_keeps_the_rules():
    assert not rlve.check({name})


'''
ANSWERS = """\
def test_right_and_wrong_answers():
    problem = {name}.generate(difficulty=2, seed=1)
    assert problem.verify(f"<answer>{{problem.reference()}}</answer>").correct
    assert not problem.verify("<answer>-1</answer>").well_formed
    assert "is too large" in problem.explain("<answer>1000000</answer>").reason
"""

GAMES = """\
def test_won_and_lost_games():
    problem = {name}.generate(difficulty=2, seed=1)
    won = problem.respond(problem.reference_moves())
    assert won.verdict.correct
    assert "cannot be read" in problem.respond(["I pass."]).text
    assert not problem.respond(["I pass."] * problem.turns).verdict.well_formed
"""


def run(
    name: Annotated[Positional[str], metavar("NAME")],
    /,
    *,
    dialogue: Flag = False,
    folder: Annotated[Path, metavar("FOLDER", hint="(default: here)")] = Path(),
) -> None:
    """Begin an environment of your own: a file that works, to be changed, and its test.

    The file holds a complete environment, which adds up digits or, as a dialogue, plays a game of
    counting. Change its parts one by one, from top to bottom, and run the commands that are printed
    after each change.

    Args:
        name: The name of the class, such as RomanSum.
        dialogue: Begin an environment whose problems answer back.
        folder: The folder to write to.
    """
    if not re.fullmatch(r"[A-Z][A-Za-z0-9_]*", name):
        raise UserError(f"a name begins with a capital, like RomanSum; {name!r} does not fit")
    if name in (*environments(), *dialogues()):
        raise UserError(f"another environment is already named {name!r}")
    module = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    file, test = folder / f"{module}.py", folder / f"test_{module}.py"
    for path in (file, test):
        if path.exists():
            raise UserError(f"{path} exists; choose another name or --folder")
    example, tests = ("_example_dialogue", GAMES) if dialogue else ("_example", ANSWERS)
    source = (files("rlve.cli") / f"{example}.py").read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(source.replace("Example", name), encoding="utf-8")
    tests = (RULES + tests).format(name=name, module=module, test=test)
    test.write_text(tests, encoding="utf-8")
    print(
        f"{file} holds the environment, {test} its test. Next:\n\n"
        f"  rlve check {file}:{name}\n"
        f"  rlve play {file}:{name}\n"
        f"  rlve train --data.environments {file}:{name}"
    )
