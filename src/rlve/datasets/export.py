"""Exporting problems, spread evenly over environments and difficulties, no two the same.

with row_writer(Path("problems.jsonl")) as write, Pool() as pool:
    export([Sorting], pool, write, count=1_000, difficulties=range(5))
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from rlve.contract import AnyEnvironment, check_difficulty, has_work
from rlve.datasets.draws import DistinctRows, DrawnCell
from rlve.datasets.rows import RowWriter
from rlve.errors import UserError
from rlve.formats import CHAT, Format
from rlve.foundation.limits import AtLeastOne, check_limit
from rlve.pool import Pool

REDRAWS = 10  # how often to replace a problem that is a repeat or cannot be generated


@dataclass(frozen=True)
class Exported:
    """The result of an export, in total and by environment and difficulty."""

    cells: list[DrawnCell]
    count: int  # problems requested
    above: dict[str, int]  # environments whose highest difficulty is below a requested one
    never_worked: list[str]  # left out, as they have no worked solutions though these were wanted

    @property
    def written(self) -> int:
        return sum(cell.written for cell in self.cells)

    @property
    def repeats(self) -> int:
        """Problems that were replaced because they were repeats."""
        return sum(cell.repeats for cell in self.cells)

    @property
    def unworked(self) -> int:
        """Problems that were replaced because they had no worked solution."""
        return sum(cell.unworked for cell in self.cells)

    @property
    def replaced(self) -> int:
        """Problems replaced by those of another level or environment."""
        return sum(max(0, -cell.missing) for cell in self.cells)

    @property
    def missing(self) -> int:
        """Problems that could not be replaced either."""
        return self.count - self.written

    @property
    def exhausted(self) -> list[DrawnCell]:
        """Cells that ran out of different problems."""
        return [cell for cell in self.cells if cell.missing > 0]

    def reasons(self) -> Counter[str]:
        """Why problems could not be generated, and how often."""
        return Counter(
            f"{cell.name}: {failure.kind}: {' '.join(failure.message.split())}"
            for cell in self.cells
            for failure in cell.failures
        )

    def why_missing(self) -> str:
        """Why problems are missing, in a few words."""
        causes: list[str] = []
        if self.repeats:
            causes.append("there are no more distinct ones")
        if self.unworked:
            causes.append("others have no worked solution")
        for reason, _ in self.reasons().most_common(1):
            causes.append(f"generating failed ({reason})")
        return " and ".join(causes)


def export(
    environments: Iterable[AnyEnvironment],
    pool: Pool,
    write: RowWriter,
    *,
    count: int = 1_000,
    difficulties: Iterable[int] = range(5),
    format: Format = CHAT,
    seed: int = 0,
    duplicates: bool = False,
    worked: bool = False,
    watch: Callable[[int, int], None] = lambda written, wanted: None,
) -> Exported:
    """Draw problems and write their rows; the same arguments give the same rows in the same order.

    Difficulties above an environment's highest are left out. If a level runs out of new problems,
    other levels of its environment replace it, and after these other environments.

    count       problems in total
    format      of the prompts
    seed        a different seed gives different problems
    duplicates  keep repeated problems instead of replacing them
    worked      only problems with a worked solution, and with it, as supervised trainers read it
    watch       called with the number of problems written and wanted
    """
    check_limit("count", count, AtLeastOne)
    named = [*environments]
    chosen = [cls for cls in named if has_work(cls)] if worked else named
    if named and not chosen:
        raise UserError("none of these environments has worked solutions")
    exported = _plan(chosen, [*difficulties], seed, count)
    exported.never_worked.extend(cls.__name__ for cls in named if cls not in chosen)
    rows = DistinctRows(pool, format=format, duplicates=duplicates, worked=worked)
    written = 0

    def drawn(pending: list[DrawnCell]) -> list[DrawnCell]:
        """Write a problem of each cell; return the cells that had no new one after REDRAWS."""
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
    # One of every cell in turn; then substitutes for those that ran out.
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
    """For each missing problem, a cell of the same environment or, if none is left, any other."""
    left = [cell for cell in cells if cell not in exhausted]
    own = {
        environment: cycle([cell for cell in left if cell.environment is environment])
        for environment in {cell.environment for cell in left}
    }
    others = cycle(left)
    for cell in missing if left else ():
        yield next(own.get(cell.environment, others))


def _plan(
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
            # Not seed, seed + 1, ...: data sets with different seeds would share problems.
            cells.append(DrawnCell(cls, d, Random(f"rlve dataset/{seed}/{cls.__name__}/{d}")))
    if not environments or not difficulties:
        raise UserError("an export needs at least one environment and one difficulty")
    if not cells:
        name, highest = max(above.items(), key=lambda item: item[1])
        raise UserError(
            f"no environment has any of these difficulties: the highest is {highest}, in {name}"
        )
    return Exported(cells, count, above, [])
