"""CONTRIBUTING.md's steps for a new environment, followed in a copy of the package."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KEPT = {"__init__.py", "sorting.py", "guess_number.py"}  # in envs: few, so that it is quick
CODE = '''
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import exact
from rlve.text import spaced


class TurningRound(Environment[list[int]]):
    """Write a list of integers from its end to its beginning."""

    N: int
    array: list[int]
    reference_answer: str

    max_difficulty = 50

    template = """
        Write these {N} integers from the last to the first:

        {array}

        Output format: one line with the {N} integers, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(array=spaced(self.array))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 5 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        array = rng.sample(range(100), N)
        return cls(N=N, array=array, reference_answer=spaced(reversed(array)))

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        return exact(answer == self.array[::-1])
'''
TEST = """
from rlve.envs.arrays.turning_round import TurningRound

PROBLEM = TurningRound(N=2, array=[3, 1], reference_answer="1 3")
SCHEDULE = {0: {"N": 5}, 20: {"N": 25}}
REWARDS = {1.0: ["1 3"], 0.0: ["3 1"], -1.0: ["1", ""]}


def test_the_last_is_first():
    for seed in range(100):
        problem = TurningRound.generate(difficulty=seed % 5, seed=seed)
        assert problem.reference() == " ".join(str(problem.array.pop()) for _ in range(problem.N))
"""
LOOK = """
import rlve
from rlve.collections import ALL
from rlve.rules import RULES, check

assert "TurningRound" in rlve.environments()
assert "TurningRound" in rlve.families()["arrays"]
assert "TurningRound" in ALL
cls = rlve.environment("TurningRound")
assert not check(cls, rules={*RULES} - {"quick"}, levels=(0, 3), seeds=1)
"""


@pytest.fixture
def copy(tmp_path):
    """The package with few environments, and what the steps need."""
    shutil.copytree(ROOT / "src" / "rlve", tmp_path / "src" / "rlve")
    for file in tmp_path.glob("src/rlve/envs/*/*.py"):
        if file.name not in KEPT:
            file.unlink()
    for folder in ("docs/results/gym", "docs/catalogue", "tests/support", "tests/envs/arrays"):
        (tmp_path / folder).mkdir(parents=True)
    scripts = [f"docs/{name}.py" for name in ("catalogue", "guesses", "variety")]
    support = [f"tests/support/{name}.py" for name in ("tables", "problem_hashes")]
    for name in (*scripts, *support, "tests/envs/conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_an_environment_that_is_added_is_found_everywhere(copy):
    def run(*words):
        path = os.pathsep.join(map(str, (copy / "src", copy / "tests")))
        done = subprocess.run(
            [sys.executable, *words],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    (copy / "src/rlve/envs/arrays/turning_round.py").write_text(CODE)
    (copy / "tests/envs/arrays/test_turning_round.py").write_text(TEST)
    run("docs/catalogue.py")
    run("docs/guesses.py", "TurningRound")
    run("docs/variety.py", "TurningRound")
    run("docs/catalogue.py")
    run("tests/support/problem_hashes.py")

    line = next(line for line in (copy / "src/rlve/catalogue.tsv").open() if "TurningRound" in line)
    task = "Write a list of integers from its end to its beginning."
    assert line == f"TurningRound\tarrays\t\t50\tno\t{task}\n"
    assert task in (copy / "docs/catalogue/arrays.md").read_text()
    guesses = json.loads((copy / "docs/results/gym/guesses.json").read_text())
    assert {"TurningRound/0", "TurningRound/3", "TurningRound/9"} == {*guesses}
    variety = json.loads((copy / "docs/results/gym/variety.json").read_text())
    assert variety.keys() == {"TurningRound"}
    hashes = json.loads((copy / "tests/support/problem_hashes.json").read_text())
    assert {"TurningRound/0/0", "TurningRound/9/2"} < {*hashes}
    passed = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/envs/arrays")
    assert "3 passed" in passed  # rewards, schedule and the brute force
    assert "TurningRound" in run("-m", "rlve", "list", "-f", "arrays")
    assert "from the last to the first" in run("-m", "rlve", "show", "TurningRound")
    run("-c", LOOK)
