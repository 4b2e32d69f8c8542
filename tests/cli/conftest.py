import sys
from collections.abc import Callable
from importlib import import_module
from io import BytesIO, TextIOWrapper
from typing import NamedTuple

import pytest

from rlve import registry
from rlve.cli import main

OWN_TASKS = '''
import os
import time

from rlve import Environment, GenerationError
from rlve.answers import integer


class Echo(Environment[int]):
    """Repeat a number that is below 3 + d."""

    n: int

    template = "Say {n}.\\n\\nOutput format: one integer."

    @classmethod
    def level(cls, d):
        return [{"size": 3 + d}]

    @classmethod
    def sample(cls, rng, size):
        return cls(n=rng.randrange(size))

    def reference(self):
        return str(self.n)

    def parse(self, text):
        return integer(text)

    def score(self, answer):
        while answer == 666 and not os.path.exists("released"):
            time.sleep(0.01)
        return float(answer == self.n)


class Moody(Echo):
    """Repeat a number, unless it brings bad luck."""

    @classmethod
    def sample(cls, rng, size):
        n = rng.randrange(1000)
        if n % 4 == 0:
            raise GenerationError("a number that brings bad luck")
        return cls(n=n)


class Hopeless(Echo):
    """Cannot be generated."""

    @classmethod
    def sample(cls, rng, size):
        raise GenerationError("no luck at all")


def shout(text):
    return text.upper()
'''


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def rlve(capsys, monkeypatch) -> Callable[..., Result]:
    """Runs the command in this process, with what it reads from stdin."""

    def run(*words: object, stdin: str | bytes = "") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def own_tasks(tmp_path, monkeypatch):
    """A module own_tasks in the current folder, with environments of a user's own."""
    (tmp_path / "own_tasks.py").write_text(OWN_TASKS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for judge in ("math", "bbeh", "programs"):  # which register themselves once, and for good
        import_module(f"rlve.judges.{judge}")
    monkeypatch.setattr(registry, "_registered", {**registry._registered})
    yield tmp_path
    sys.modules.pop("own_tasks", None)
