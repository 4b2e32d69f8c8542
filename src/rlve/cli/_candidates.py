"""Candidates for the word at the cursor, for completion in shells.

Flags and their values are read from the command's help, so that everything it explains can be
completed, and nothing else.
"""

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rlve.cli import COMMANDS, main
from rlve.collections import COLLECTIONS
from rlve.registry import entry, environments, families

SHELLS = ("bash", "zsh", "fish")

OPTION = re.compile(r"^  (-\S.*?)(?:  .*)?$", re.MULTILINE)
POSITIONAL = re.compile(r"^  (\[?[A-Z]+(?: \.\.\.)?\]?)  ", re.MULTILINE)
WIDTH = "100"  # wide enough for every flag, and narrow enough for panels not to be side by side
CHOICES = re.compile(r"\{([\w.,-]+)\}")


class Candidate(NamedTuple):
    """A word that could come next, and what it is."""

    word: str
    help: str = ""


class Flag(NamedTuple):
    """A flag as the help shows it."""

    name: str
    metavar: str
    many: bool


def candidates(words: Sequence[str]) -> list[Candidate]:
    """The words that could complete the last one, which may be empty."""
    *before, begun = words
    if not before or before == ["help"]:
        possible = [Candidate(*item) for item in COMMANDS.items()]
    elif before[0] in COMMANDS:
        possible = _of_command(before[0], before[1:], begun)
    else:
        possible = []
    return [candidate for candidate in possible if candidate.word.startswith(begun)]


def _of_command(command: str, words: list[str], begun: str) -> list[Candidate]:
    help_text = _help(command)
    flags = _flags(help_text)
    known = {flag.name: flag for flag in flags}
    last = max((i for i, word in enumerate(words) if word in known), default=None)
    if last is not None:
        flag, given = known[words[last]], len(words) - last - 1
        if flag.metavar and not (given and begun.startswith("-")) and (flag.many or not given):
            return _values(flag)
    if begun.startswith("-"):
        return [Candidate(flag.name) for flag in flags]
    return _positionals(command, help_text)


def _values(flag: Flag) -> list[Candidate]:
    if flag.name in BY_FLAG:
        return list(BY_FLAG[flag.name]())
    if flag.metavar in BY_METAVAR:
        return list(BY_METAVAR[flag.metavar]())
    choices = [word for choice in CHOICES.findall(flag.metavar) for word in choice.split(",")]
    return [Candidate(word) for word in choices if word != "None"]


def _positionals(command: str, help_text: str) -> list[Candidate]:
    if command in BY_COMMAND:
        return list(BY_COMMAND[command]())
    names = any("NAME" in metavar for metavar in POSITIONAL.findall(help_text))
    return list(_environments()) if names else []


def _help(command: str) -> str:
    """The help of a command, without boxes, since it is not written to a terminal."""
    shown, columns = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
            main([command, "--help"])
    finally:
        del os.environ["COLUMNS"]
        if columns is not None:
            os.environ["COLUMNS"] = columns
    return shown.getvalue()


def _flags(help_text: str) -> list[Flag]:
    flags: list[Flag] = []
    for line in OPTION.findall(help_text):
        for text in re.split(r", (?=-)", line):  # such as -c COLLECTION, --collection COLLECTION
            name, _, metavar = text.partition(" ")
            flags.append(Flag(name, metavar, "..." in metavar))
    return flags


def _environments() -> Iterable[Candidate]:
    for name in environments():
        yield Candidate(name, entry(name).task)


def _and_collections() -> Iterable[Candidate]:
    yield from _collections()
    yield from _environments()


def _collections() -> Iterable[Candidate]:
    return map(Candidate, COLLECTIONS)


def _presets() -> Iterable[Candidate]:
    from rlve.train.presets import PRESETS

    return map(Candidate, PRESETS)


def _suites() -> Iterable[Candidate]:
    from rlve.evaluate.benchmarks import BENCHMARKS

    return map(Candidate, ("held-out", "in-distribution:", *BENCHMARKS))


def _experiments() -> Iterable[Candidate]:
    from rlve.studies.index import STUDIES

    return map(Candidate, STUDIES)


Source = Callable[[], Iterable[Candidate]]

BY_METAVAR: dict[str, Source] = {
    "COLLECTION": _collections,
    "FAMILY": lambda: map(Candidate, families()),
    "FORMAT": lambda: map(Candidate, ("chat", "base", "plain")),
}
BY_FLAG: dict[str, Source] = {
    "--preset": _presets,
    "--suite": _suites,
    "--data.environments": _and_collections,
    "--environment": _environments,
    "-e": _environments,
}
BY_COMMAND: dict[str, Source] = {
    "completion": lambda: map(Candidate, SHELLS),
    "experiment": _experiments,
    "list": lambda: (),
    "testset": lambda: (Candidate("held-out"), Candidate("in-distribution"), *_environments()),
}
