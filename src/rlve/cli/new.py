"""`rlve new`."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._next_steps import typed
from rlve.cli._options import metavar
from rlve.errors import UserError
from rlve.registry import dialogues, environments
from rlve.reports.terminal import echo

TEST = '''\
"""Run with: python -m pytest {test}"""

import rlve
from {module} import {name}

PROBLEM = {name}(digit_num=3, number=307, reference_answer=10)
SCHEDULE = {{0: 3, 1: 4, 9: 14}}  # the digits at a difficulty
REWARDS = {{1.0: ["10", "010"], (9 / 10) ** 10: ["9"], -1.0: ["-1", "3 + 7", ""]}}


def test_it_keeps_the_rules():
    assert not rlve.check({name})


def test_schedule():
    for d, digits in SCHEDULE.items():
        assert {name}.level(d) == [{{"digit_num": digits}}]


def test_rewards():
    for reward, answers in REWARDS.items():
        for answer in answers:
            assert PROBLEM.verify(f"<answer>{{answer}}</answer>").reward == reward, answer


def test_answers_are_those_of_a_slow_way_to_find_them():
    for seed in range(100):
        problem = {name}.generate(difficulty=seed % 5, seed=seed)
        rest, total = problem.number, 0
        while rest:
            rest, digit = divmod(rest, 10)
            total += digit
        assert problem.reference_answer == total
'''


def run(
    name: Annotated[Positional[str], metavar("NAME")],
    /,
    *,
    folder: Annotated[Path, metavar("FOLDER", hint="(default: here)")] = Path(),
) -> None:
    """Begin an environment of your own: a file that works, to be changed, and its test.

    The file holds a complete environment, which adds up digits. Change its parts one by one, from
    top to bottom, and run the commands that are printed after each change.

    Args:
        name: The name of the class, such as RomanSum.
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
    source = (files("rlve.cli") / "_example.py").read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(source.replace("Example", name), encoding="utf-8")
    test.write_text(TEST.format(name=name, module=module, test=test), encoding="utf-8")
    target = f"{file}:{name}"
    echo(
        f"{file} holds the environment, {test} its test. Next:\n\n"
        f"  {typed('check', target)}\n"
        f"  {typed('show', target)}\n"
        f"  {typed('teach', '--data.environments', target)}\n\n"
        "The last teaches nano, which knows other tasks, and says how to train it afterwards."
    )
