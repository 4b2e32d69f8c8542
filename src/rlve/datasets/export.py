"""Exporting problems: so many, spread evenly over environments and difficulties, no two the same.

with row_writer(Path("problems.jsonl")) as write, Pool() as pool:
    export([Sorting], pool, write, count=1_000, difficulties=range(5))
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from rlve.contract import AnyEnvironment, check_difficulty
from rlve.datasets.drawing import DistinctRows, DrawnCell
from rlve.datasets.rows import RowWriter
from rlve.errors import UserError
from rlve.formats import CHAT, Format
from rlve.pool import Pool

REDRAWS = 10  # of a problem that is already there, or cannot be generated


@dataclass(frozen=True)
class Exported:
    """What became of an export: the same in numbers, and environment by environment."""

    cells: list[DrawnCell]

    @property
    def written(self) -> int:
        return sum(cell.written for cell in self.cells)

    @property
    def repeats(self) -> int:
        """Problems that were drawn again because they were already there."""
        return sum(cell.repeats for cell in self.cells)

    @property
    def missing(self) -> int:
        """Problems that could not be had."""
        return sum(cell.missing for cell in self.cells)

    @property
    def troubled(self) -> list[DrawnCell]:
        """Where problems are missing or could not be generated."""
        return [cell for cell in self.cells if cell.missing or cell.failures]


def export(
    environments: Iterable[AnyEnvironment],
    pool: Pool,
    write: RowWriter,
    *,
    count: int = 1_000,
    difficulties: Iterable[int] = range(5),
    form: Format = CHAT,
    seed: int = 0,
    duplicates: bool = False,
    skip_above_max: bool = False,
    watch: Callable[[int, int], None] = lambda written, wanted: None,
) -> Exported:
    """Draw problems and write their rows; the same arguments give the same rows in one order.

    count           problems in all
    form            fixes their prompts
    seed            another seed, other problems
    duplicates      keep problems that are already there, instead of drawing them again
    skip_above_max  leave out difficulties above an environment's highest, instead of refusing
    watch           told how many are written, of how many
    """
    if count < 1:
        raise UserError(f"the number of problems is at least 1, not {count}")
    exported = Exported(_cells([*environments], [*difficulties], seed, skip_above_max))
    # One of every cell, again and again; then what is drawn again.
    pending = list(islice(cycle(exported.cells), count))
    for cell in pending:
        cell.wanted += 1
    rows = DistinctRows(pool, form=form, duplicates=duplicates)
    written = 0
    watch(written, count)
    for _ in range(1 + REDRAWS):
        again: list[DrawnCell] = []
        for cell, row in rows.draw(pending):
            if row is None:
                again.append(cell)
                continue
            write(row)
            written += 1
            watch(written, count)
        pending = again
    return exported


def _cells(
    environments: list[AnyEnvironment], difficulties: list[int], seed: int, skip: bool
) -> list[DrawnCell]:
    cells: list[DrawnCell] = []
    for d in difficulties:
        for cls in environments:
            if skip and cls.max_difficulty is not None and d > cls.max_difficulty:
                continue
            check_difficulty(cls, d)
            # Not seed, seed + 1, ...: then datasets of different seeds would share their problems.
            cells.append(DrawnCell(cls, d, Random(f"rlve dataset/{seed}/{cls.__name__}/{d}")))
    if not cells:
        raise UserError("no environment has any of these difficulties")
    return cells
