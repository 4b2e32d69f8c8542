"""`rlve dataset`."""

import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Annotated, Any, BinaryIO, Protocol

import msgspec
from tyro.conf import arg

from rlve.answers import Marker
from rlve.cli import FAULTY
from rlve.cli._options import Flag, Selection, as_difficulties
from rlve.cli._pools import RayAddress, open_pool
from rlve.cli._tables import print_table, progress_bar
from rlve.contract import AnyEnvironment, Problem, check_difficulty
from rlve.datasets.drawing import Cell, drawn
from rlve.errors import UserError
from rlve.files import STDOUT, replacing
from rlve.formats import Format, Prompt, named_format
from rlve.pool import Failure, Pool, Request
from rlve.pool.worker import attempt
from rlve.registry import family

REDRAWS = 10  # as the help says
BATCH = 1_000  # rows that are written to Parquet together
MOST_REASONS = 10  # that the report gives for failures


class Row(msgspec.Struct, frozen=True):
    """One problem of a dataset."""

    id: str  # environment/difficulty/seed
    data_source: str  # rlve/environment: what trainers group their metrics by
    environment: str
    family: str
    difficulty: int
    seed: int
    prompt: Prompt  # in the format that was asked for
    answer: str | None  # one that is correct; there can be others
    marker: Marker  # how the format asks the answer to be marked
    parameters: str  # JSON, because every environment has its own


def run(
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    output: Annotated[Path, arg(aliases=["-o"], metavar="FILE")],
    count: Annotated[int, arg(aliases=["-n"])] = 1_000,
    difficulties: Annotated[str, arg(aliases=["-d"], metavar="LIST")] = "0..4",
    format: Annotated[str, arg(metavar="FORMAT")] = "chat",  # noqa: A002
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    duplicates: Flag = False,
    skip_above_max: Flag = False,
    workers: Annotated[
        int | None, arg(metavar="INT", help_behavior_hint="(default: one per core)")
    ] = None,
    deadline: Annotated[float, arg(metavar="SECONDS")] = 10.0,
    ray: RayAddress = None,
) -> int:
    """Export problems to JSONL or Parquet.

    The same command gives the same file, whatever the number of workers. Its columns are id,
    data_source, environment, family, difficulty, seed, prompt, answer, marker, and parameters as a
    JSON string. Add a column "output" or "outputs", and `rlve score` judges what it holds.

    A problem that is already there, or that cannot be generated, is drawn again up to 10 times.
    What is still missing then is reported, and the exit code is 1.

    Args:
        selection: Which environments to export.
        output: Where to: a file that ends in .jsonl or .parquet, or - for JSONL on stdout.
        count: How many problems in all, spread evenly over environments and difficulties.
        difficulties: Such as 3, or 0,2,8, or 0..4 for 0 to 4.
        format: The prompts as a model is given them: chat, base, plain, or MODULE:NAME (yours).
        seed: Another seed, other problems.
        duplicates: Keep problems that are already there, instead of drawing them again.
        skip_above_max: Leave out difficulties above an environment's highest, instead of refusing.
        workers: Processes that generate.
        deadline: Time after which a problem cannot be generated.
        ray: Generate on the Ray cluster at HOST:PORT, or auto for the one of this machine.
    """
    if count < 1:
        raise UserError(f"the number of problems is at least 1, not {count}")
    form, levels = named_format(format), as_difficulties(difficulties)
    cells = _cells(selection.environments(), levels, seed, skip_above_max)
    # An output that cannot be written is found out before the work, not after it.
    with _writer(output) as file, open_pool(workers, deadline, ray) as pool:
        for row in _rows(pool, cells, count, form, duplicates):
            file.write(row)
    _report(cells, output)
    return FAULTY if any(cell.missing for cell in cells) else 0


def _cells(
    environments: list[AnyEnvironment], levels: list[int], seed: int, skip: bool
) -> list[Cell]:
    cells: list[Cell] = []
    for d in levels:
        for cls in environments:
            if skip and cls.max_difficulty is not None and d > cls.max_difficulty:
                continue
            check_difficulty(cls, d)
            # Not seed, seed + 1, ...: then datasets of different seeds would share their problems.
            cells.append(Cell(cls, d, Random(f"rlve dataset/{seed}/{cls.__name__}/{d}")))
    if not cells:
        raise UserError("no environment has any of these difficulties")
    return cells


def _rows(
    pool: Pool, cells: list[Cell], count: int, form: Format, duplicates: bool
) -> Iterator[Row]:
    """The rows in the order of the file: one of every cell, again and again; then the redrawn."""
    pending = list(islice(cycle(cells), count))
    for cell in pending:
        cell.wanted += 1
    seen: set[bytes] = set()
    with progress_bar("problems") as bar:
        task = bar.add_task("", total=count)
        for _ in range(1 + REDRAWS):
            again: list[Cell] = []
            for cell, row in _drawn(pool, pending, form):
                if isinstance(row, Failure):
                    cell.failures.append(row)
                    again.append(cell)
                    continue
                digest = blake2b(msgspec.json.encode(row.prompt), digest_size=16).digest()
                if digest in seen and not duplicates:
                    cell.repeats += 1
                    again.append(cell)
                    continue
                seen.add(digest)
                cell.written += 1
                bar.advance(task)
                yield row
            pending = again


def _drawn(pool: Pool, cells: list[Cell], form: Format) -> Iterator[tuple[Cell, Row | Failure]]:
    for cell, request, made in drawn(pool, cells):
        yield cell, made if isinstance(made, Failure) else attempt(_row, request, *made, form)


def _row(request: Request, problem: Problem, answer: str | None, form: Format) -> Row:
    name = type(problem).__name__
    return Row(
        id=f"{name}/{request.difficulty}/{request.seed}",
        data_source=f"rlve/{name}",
        environment=name,
        family=family(name),
        difficulty=request.difficulty,
        seed=request.seed,
        prompt=form.render(problem),
        answer=answer,
        marker=form.marker,
        parameters=msgspec.json.encode(problem.parameters()).decode(),
    )


class _Writer(Protocol):
    def write(self, row: Row) -> None: ...


@contextmanager
def _writer(path: Path) -> Generator[_Writer]:
    if path == STDOUT or path.suffix == ".jsonl":
        with replacing(path) as file:
            yield _JsonLines(file)
    elif path.suffix == ".parquet":
        with replacing(path) as file:
            parquet = _Parquet(file)
            yield parquet
            parquet.finish()
    else:
        raise UserError(f"the name of the output must end in .jsonl or .parquet, not as in {path}")


class _JsonLines:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, row: Row) -> None:
        self._file.write(msgspec.json.encode(row) + b"\n")


class _Parquet:
    def __init__(self, file: BinaryIO) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise UserError(
                "Parquet needs pyarrow, which is not installed: pip install 'rlve[parquet]', "
                "or write to a .jsonl file"
            ) from error
        self._arrow: Any = pyarrow
        self._parquet: Any = pyarrow.parquet
        self._file = file
        self._writer: Any = None
        self._rows: list[Row] = []

    def write(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) == BATCH:
            self._flush()

    def finish(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._writer is None:
            chat = bool(self._rows) and not isinstance(self._rows[0].prompt, str)
            self._writer = self._parquet.ParquetWriter(self._file, self._schema(chat))
        if self._rows:
            rows = [msgspec.structs.asdict(row) for row in self._rows]
            self._writer.write_batch(
                self._arrow.RecordBatch.from_pylist(rows, schema=self._writer.schema)
            )
            self._rows.clear()

    def _schema(self, chat: bool) -> Any:
        text, integer = self._arrow.string(), self._arrow.int64()
        message = self._arrow.struct([("role", text), ("content", text)])
        types = {
            "difficulty": integer,
            "seed": integer,
            "prompt": self._arrow.list_(message) if chat else text,
        }
        return self._arrow.schema(
            [(column, types.get(column, text)) for column in Row.__struct_fields__]
        )


def _report(cells: list[Cell], output: Path) -> None:
    written, repeats, missing = (
        sum(getattr(cell, what) for cell in cells) for what in ("written", "repeats", "missing")
    )
    _say(f"{written:,} problems written to {'stdout' if output == STDOUT else output}")
    if repeats:
        _say(f"{repeats:,} drawn again because they were already there")
    troubled = [cell for cell in cells if cell.missing or cell.failures]
    if troubled:
        columns = ("environment", "difficulty", "wanted", "written", "repeated", "failed")
        rows = (
            (
                cell.environment.__name__,
                cell.difficulty,
                cell.wanted,
                cell.written,
                cell.repeats,
                len(cell.failures),
            )
            for cell in troubled
        )
        _say("")
        print_table(columns, rows, file=sys.stderr)
        _say("")
    reasons = Counter(
        f"{cell.environment.__name__}: {failure.kind}: {' '.join(failure.message.split())}"
        for cell in troubled
        for failure in cell.failures
    )
    for reason, times in reasons.most_common(MOST_REASONS):
        _say(f"rlve: {reason}" + (f" ({times} times)" if times > 1 else ""))
    if missing:
        _say(f"rlve: {missing:,} problems are missing; {REDRAWS} redraws each found no other")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
