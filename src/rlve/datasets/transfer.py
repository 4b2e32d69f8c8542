"""Sending a problem through another library, to be judged at the other end.

    row = travelling_row(item, "boxed")                   in the process that drew the problem
    judge(msgspec.convert(row.as_dict(), TravellingRow), output)      in any other

Other libraries pass on plain JSON, and judge outputs in their own processes.
"""

from typing import Any

import msgspec

from rlve.answers import Marker, Reading
from rlve.contract import AnyEnvironment, Verdict
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.pool import Failure, shared_pool
from rlve.stream import Item
from rlve.targets import load, target_of


class TravellingRow(ProblemRow, frozen=True, kw_only=True, omit_defaults=True):
    """A row that another process can judge, even if its environment is not part of RLVE-Gym.

    `source` names code to load, so a row from a file never has it: only rows that this program
    sends do.
    """

    source: str | None = None  # MODULE:CLASS or FILE.py:CLASS of the environment
    reading: Reading = "exact"

    def environment_class(self) -> AnyEnvironment:
        return super().environment_class() if self.source is None else load(self.source)

    @property
    def cell(self) -> tuple[str, int]:
        """The environment and difficulty under which a curriculum counts the outputs."""
        if self.difficulty is None:
            raise UserError(f"the problem {self.id} came without its difficulty")
        return self.environment, self.difficulty

    def as_dict(self) -> dict[str, Any]:
        """The row as plain JSON."""
        return msgspec.to_builtins(self)


def travelling_row(item: Item, marker: Marker, reading: Reading = "exact") -> TravellingRow:
    """The row of a problem whose answer is marked and read this way.

    The prompt travels separately.
    """
    source = target_of(type(item.problem))
    row = TravellingRow.of(item.problem, difficulty=item.difficulty, seed=item.seed)
    return msgspec.structs.replace(
        row, marker=marker, source=None if source == item.name else source, reading=reading
    )


def judge(row: TravellingRow, output: str, *, deadline: float = 10.0) -> Verdict | Failure:
    """The verdict on an output, from any process and thread.

    The output is judged in a worker, as everywhere, so that a hostile output can neither hang nor
    crash the calling process. There is a worker for every thread that asks at the same time, up to
    one per core, so that no thread waits for another's slow verdict.
    """
    pool = shared_pool(deadline=deadline)
    items = [(row.problem(), output)]
    return pool.judge(items, marker=row.marker or "any", reading=row.reading)[0]
