"""Exporting problems: so many, spread evenly over environments and difficulties, no two the same.

with row_writer(Path("problems.jsonl")) as write, Pool() as pool:
    export([Sorting], pool, write, count=1_000, difficulties=range(5))
"""

from collections.abc import Callable, Iterable, Iterator
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
    count: int  # problems that were asked for
    above: dict[str, int]  # environments that stop below a difficulty asked for, and where

    @property
    def written(self) -> int:
        return sum(cell.written for cell in self.cells)

    @property
    def repeats(self) -> int:
        """Problems that were drawn again because they were already there."""
        return sum(cell.repeats for cell in self.cells)

    @property
    def replaced(self) -> int:
        """Problems for which those of another level or environment stand."""
        return sum(max(0, -cell.missing) for cell in self.cells)

    @property
    def missing(self) -> int:
        """Problems that could not be had at all."""
        return self.count - self.written

    @property
    def exhausted(self) -> list[DrawnCell]:
        """Where there are no more problems that differ."""
        return [cell for cell in self.cells if cell.missing > 0]

    @property
    def failed(self) -> list[DrawnCell]:
        """Where problems could not be generated."""
        return [cell for cell in self.cells if cell.failures]


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
    watch: Callable[[int, int], None] = lambda written, wanted: None,
) -> Exported:
    """Draw problems and write their rows; the same arguments give the same rows in one order.

    Difficulties above an environment's highest are left out. Where a level has no more problems
    that are new, harder levels of its environment stand in for it, and then other environments.

    count       problems in all
    form        fixes their prompts
    seed        another seed, other problems
    duplicates  keep problems that are already there, instead of drawing them again
    watch       told how many are written, of how many
    """
    if count < 1:
        raise UserError(f"the number of problems is at least 1, not {count}")
    exported = _planned([*environments], [*difficulties], seed, count)
    rows = DistinctRows(pool, form=form, duplicates=duplicates)
    written = 0

    def drawn(pending: list[DrawnCell]) -> list[DrawnCell]:
        """Write a problem of each cell; the cells that had no new one, several times if need be."""
        nonlocal written
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
        return pending

    watch(written, count)
    # One of every cell, again and again; then what stands in for those that ran out.
    pending = list(islice(cycle(exported.cells), count))
    for cell in pending:
        cell.wanted += 1
    exhausted: set[DrawnCell] = set()
    while pending := drawn(pending):
        exhausted.update(pending)
        pending = list(_substitutes(pending, exported.cells, exhausted))
    return exported


def _substitutes(
    missing: list[DrawnCell], cells: list[DrawnCell], exhausted: set[DrawnCell]
) -> Iterator[DrawnCell]:
    """For each that is missing a cell of the same environment or, if none is left, any other."""
    left = [cell for cell in cells if cell not in exhausted]
    own = {
        environment: cycle([cell for cell in left if cell.environment is environment])
        for environment in {cell.environment for cell in left}
    }
    others = cycle(left)
    for cell in missing if left else ():
        yield next(own.get(cell.environment, others))


def _planned(
    environments: list[AnyEnvironment], difficulties: list[int], seed: int, count: int
) -> Exported:
    cells: list[DrawnCell] = []
    above: dict[str, int] = {}
    for d in difficulties:
        for cls in environments:
            if cls.max_difficulty is not None and d > cls.max_difficulty:
                above[cls.__name__] = cls.max_difficulty
                continue
            check_difficulty(cls, d)
            # Not seed, seed + 1, ...: then datasets of different seeds would share their problems.
            cells.append(DrawnCell(cls, d, Random(f"rlve dataset/{seed}/{cls.__name__}/{d}")))
    if not environments or not difficulties:
        raise UserError("an export needs at least one environment and one difficulty")
    if not cells:
        name, highest = max(above.items(), key=lambda item: item[1])
        raise UserError(
            f"no environment has any of these difficulties: the highest is {highest}, of {name}"
        )
    return Exported(cells, count, above)
