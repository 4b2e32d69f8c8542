"""A problem on its way through another library, and its judge at the other end.

    row = travelling_row(item, "boxed")                   in the process that drew the problem
    judge(msgspec.convert(row.as_dict(), TravellingRow), output)      in any other

Other libraries carry plain JSON, and judge outputs in processes of their own.
"""

from typing import Any

import msgspec

from rlve.answers import Marker
from rlve.contract import AnyEnvironment, Verdict
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.pool import Failure, shared_pool
from rlve.stream import Item
from rlve.targets import load, target_of


class TravellingRow(ProblemRow, frozen=True, kw_only=True, omit_defaults=True):
    """A row that another process can judge, also if its environment is not of RLVE-Gym.

    `source` is code that gets loaded: a row of a file never has it, only what this program sent.
    """

    source: str | None = None  # where the environment is found, MODULE:CLASS or FILE.py:CLASS

    def environment_class(self) -> AnyEnvironment:
        return super().environment_class() if self.source is None else load(self.source)

    @property
    def cell(self) -> tuple[str, int]:
        """What a curriculum counts the outputs under: the environment and the difficulty."""
        if self.difficulty is None:
            raise UserError(f"the problem {self.id} travels without its difficulty")
        return self.environment, self.difficulty

    def as_dict(self) -> dict[str, Any]:
        """The row as plain JSON."""
        return msgspec.to_builtins(self)


def travelling_row(item: Item, marker: Marker) -> TravellingRow:
    """The row of a problem whose answer is marked so; its prompt travels by itself."""
    source = target_of(type(item.problem))
    row = TravellingRow.of(item.problem, difficulty=item.difficulty, seed=item.seed)
    return msgspec.structs.replace(
        row, marker=marker, source=None if source == item.name else source
    )


def judge(row: TravellingRow, output: str, *, deadline: float = 10.0) -> Verdict | Failure:
    """The verdict on an output, in whichever process and thread this is called.

    The output is judged in a worker, as everywhere, so that a hostile one can neither hang nor
    crash the process that asks. There are as many workers as threads that ask at a time, up to one
    for each core, so that none waits for a slow verdict of another.
    """
    pool = shared_pool(deadline=deadline)
    return pool.judge([(row.problem(), output)], marker=row.marker or "any")[0]
