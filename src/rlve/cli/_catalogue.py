"""What `rlve list` prints of an environment, found without importing it.

Importing hundreds of environments, and what they solve their problems with, takes seconds. Their
source files say the same in milliseconds; where one does not in so many words, it is imported.
"""

import ast
import re
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

import rlve
from rlve.registry import FAMILIES, environment, family, module_of

_CLASS = re.compile(r'^class (\w+)\(.*?\):\n    (r?""".*?""")\n(.*?)(?=^\S|\Z)', re.DOTALL | re.M)
_MAX_DIFFICULTY = re.compile(r"^    max_difficulty\b[^=\n]*= (.*)$", re.MULTILINE)


class Entry(NamedTuple):
    """An environment, as the catalogue shows it."""

    name: str
    family: str
    description: str  # the docstring
    max_difficulty: int | None

    @property
    def task(self) -> str:
        """The first line of the docstring."""
        return self.description.partition("\n")[0]


def entry(name: str) -> Entry:
    """The catalogue's entry of an environment."""
    written = _written(name)
    if written is None:
        cls = environment(name)
        written = cleandoc(cls.__doc__ or ""), cls.max_difficulty
    return Entry(name, family(name), *written)


def _written(name: str) -> tuple[str, int | None] | None:
    if name not in FAMILIES.get(family(name), ()):
        return None
    file = Path(rlve.__file__).parent.joinpath(*module_of(name).split(".")[1:]).with_suffix(".py")
    try:
        source = file.read_text("utf-8")
    except FileNotFoundError:  # installed without its source
        return None
    for cls, docstring, body in _CLASS.findall(source):
        if cls == name:
            highest = [value.partition("#")[0].strip() for value in _MAX_DIFFICULTY.findall(body)]
            if all(value.isdecimal() for value in highest) and len(highest) <= 1:
                text = cleandoc(ast.literal_eval(docstring))
                return text, int(highest[0]) if highest else None
    return None
