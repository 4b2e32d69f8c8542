"""The environments of RLVE-Gym, and what is known of each without importing it.

Importing four hundred modules, some with numpy, takes half a second; reading catalogue.tsv takes a
millisecond. `make catalogue` writes that file from the files in envs/.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

if TYPE_CHECKING:
    from rlve.contract import AnyEnvironment

FILE: Final = Path(__file__).with_suffix(".tsv")

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Entry(NamedTuple):
    """An environment's entry in the catalogue."""

    name: str
    family: str
    max_difficulty: int | None
    guessable: bool  # whether one constant answer often wins, unavoidably
    task: str
    collection: str = ""  # the smallest of the paper's that it is in: C1, C4, C16, C256, HELD_OUT

    @classmethod
    def of(cls, environment: "AnyEnvironment", family: str) -> Self:
        """The entry for a class; the task is the first line of its docstring."""
        return cls(
            name=environment.__name__,
            family=family,
            max_difficulty=environment.max_difficulty,
            guessable=environment.guessable is not None,
            task=(environment.__doc__ or "").strip().partition("\n")[0].rstrip(),
        )

    @classmethod
    def read(cls, line: str) -> Self:
        """The entry in a line of the file."""
        name, family, collection, highest, guessable, task = line.split("\t")
        limit = int(highest) if highest else None
        return cls(name, family, limit, guessable == "yes", task, collection)

    @property
    def line(self) -> str:
        """The entry as a line of the file."""
        highest = "" if self.max_difficulty is None else str(self.max_difficulty)
        guessable = "yes" if self.guessable else "no"
        cells = self.name, self.family, self.collection, highest, guessable, self.task
        return "\t".join(cells)

    @property
    def module(self) -> str:
        """The module of an environment of RLVE-Gym: AndOr_Sequence -> ...and_or_sequence."""
        file = re.sub("_+", "_", _WORD_START.sub("_", self.name)).lower()
        return f"rlve.envs.{self.family}.{file}"


CATALOGUE = {
    entry.name: entry for entry in map(Entry.read, FILE.read_text("utf-8").splitlines()[1:])
}
