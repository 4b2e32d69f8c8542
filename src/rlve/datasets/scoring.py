"""Judging stored outputs: JSON lines or rows of Parquet in, JSON lines with verdicts out.

    with Pool() as pool:
        report = score([Path("outputs.jsonl")], pool)
        report.total.accuracy

A line has one "output" (text) or several "outputs" (a list of texts), and the problem:
"environment" with "parameters", or with "difficulty" and "seed". Other columns are kept, and these
can have other names. The first line that cannot be judged is an error that names it. Verdicts
replace those of an earlier scoring.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast, get_args

import msgspec

from rlve.answers import Marker, Reading
from rlve.contract import Problem, Verdict
from rlve.datasets.outputs import StoredVerdict, stored_verdict
from rlve.datasets.parquet import parquet_rows
from rlve.datasets.rows import ProblemRow, make_problems
from rlve.errors import UserError
from rlve.foundation.files import numbered_lines
from rlve.pool import Failure, FailureKind, Pool

CHUNK_LINES, CHUNK_BYTES = 2_000, 32 * 2**20  # in memory at a time
ADDED = ("verdict", "verdicts")


@dataclass
class OutputTally:
    """Counts of outputs."""

    outputs: int = 0
    correct: int = 0
    ill_formed: int = 0
    failed: int = 0  # outputs without a verdict, which count as wrong
    rewards: float = 0.0  # the sum of all rewards

    def add(self, verdict: StoredVerdict) -> None:
        """Count one output."""
        self.outputs += 1
        self.correct += verdict.correct
        self.ill_formed += not verdict.well_formed
        self.failed += verdict.failed
        self.rewards += verdict.reward

    @property
    def accuracy(self) -> float | None:
        return self.correct / self.outputs if self.outputs else None

    @property
    def mean_reward(self) -> float | None:
        return self.rewards / self.outputs if self.outputs else None

    @property
    def ill_formed_share(self) -> float | None:
        return self.ill_formed / self.outputs if self.outputs else None


@dataclass
class ScoreReport:
    """What scoring found."""

    total: OutputTally = field(default_factory=OutputTally)
    environments: defaultdict[str, OutputTally] = field(
        default_factory=lambda: defaultdict(OutputTally)
    )
    levels: defaultdict[int, OutputTally] = field(default_factory=lambda: defaultdict(OutputTally))
    """By difficulty, for the lines that have one."""
    failures: Counter[FailureKind] = field(default_factory=Counter[FailureKind])

    def count(self, row: ProblemRow, verdicts: Iterable[StoredVerdict]) -> None:
        """Count the verdicts on the outputs for a problem."""
        for verdict in verdicts:
            self.total.add(verdict)
            self.environments[row.environment].add(verdict)
            if row.difficulty is not None:
                self.levels[row.difficulty].add(verdict)


def score(
    files: Iterable[Path],
    pool: Pool,
    *,
    marker: Marker | None = None,
    reading: Reading = "exact",
    columns: Mapping[str, str] = MappingProxyType({}),
    write: Callable[[bytes], object] | None = None,
    watch: Callable[[int], None] = lambda lines: None,
) -> ScoreReport:
    """Judge the outputs in JSONL and Parquet files; - is stdin, which is JSONL.

    marker   how answers are marked; by default as the column "marker" says, or any marker
    reading  "exact", or "forgiving": also without the formatting around answers
    columns  the names of columns that have another name than usual: {"output": "completion"}
    write    called with every line, now with its verdict or verdicts
    watch    called from time to time with the number of lines finished since
    """
    report = ScoreReport()
    for chunk in _chunks(files):
        lines = [_parse(place, raw, marker, columns) for place, raw in chunk]
        for line, results in zip(lines, _judge(pool, lines, reading), strict=True):
            verdicts = list(map(stored_verdict, results))
            report.count(line.row, verdicts)
            report.failures.update(each.kind for each in results if isinstance(each, Failure))
            if write is not None:
                write(line.encoded(verdicts) + b"\n")
        watch(len(lines))
    return report


class _Columns(msgspec.Struct):
    """What is read of a line; its other columns may be anything."""

    environment: str
    parameters: dict[str, Any] | str | None = None
    difficulty: int | None = None
    seed: int | None = None
    defined_in: str | None = None
    marker: Marker | None = None
    output: str | list[str] | None = None
    outputs: list[str] | None = None


class _Line(NamedTuple):
    """A line of the input."""

    place: str  # its file and number, for messages
    record: dict[str, Any]
    row: ProblemRow
    outputs: list[str]
    single: bool  # whether there is one "output", and no list
    marker: Marker

    def encoded(self, verdicts: Sequence[StoredVerdict]) -> bytes:
        """The line to write: what was read, and the new verdicts."""
        plain = msgspec.to_builtins(verdicts)
        added = {"verdict": plain[0]} if self.single else {"verdicts": plain}
        # Not msgspec: an output may hold half a surrogate pair, which UTF-8 cannot.
        kept = {name: value for name, value in self.record.items() if name not in ADDED}
        return json.dumps(kept | added).encode("ascii")


def _chunks(files: Iterable[Path]) -> Iterator[list[tuple[str, bytes]]]:
    chunk: list[tuple[str, bytes]] = []
    size = 0
    for path in files:
        for number, raw in _lines(path):
            chunk.append((f"{path}:{number}", raw))
            size += len(raw)
            if len(chunk) == CHUNK_LINES or size > CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
    if chunk:
        yield chunk


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers; a row of Parquet is a line of JSON."""
    if path.suffix != ".parquet":
        yield from numbered_lines(path, pipes=True)
        return
    for number, row in enumerate(parquet_rows(path), 1):
        yield number, json.dumps(row, default=str).encode("ascii")  # dates and the like are text


def _parse(place: str, raw: bytes, marker: Marker | None, columns: Mapping[str, str]) -> _Line:
    try:
        record: Any = json.loads(raw.decode("utf-8"))  # not msgspec: see encoded
        if not isinstance(record, dict):
            raise ValueError("not a JSON object")
        record = cast(dict[str, Any], record)
        renamed = {name: record.get(column) for name, column in columns.items()}
        known = msgspec.convert(record | renamed, _Columns)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise UserError(f"{place}: cannot be judged: {error}") from None
    outputs = known.outputs if known.output is None else known.output
    if outputs is None or None not in (known.output, known.outputs):
        which = 'neither "output" nor' if outputs is None else 'both "output" and'
        raise UserError(f'{place}: cannot be judged: it has {which} "outputs"')
    row = ProblemRow(
        environment=known.environment,
        parameters=known.parameters,
        difficulty=known.difficulty,
        seed=known.seed,
        defined_in=known.defined_in,
    )
    single = isinstance(outputs, str)
    texts = [outputs] if single else outputs
    return _Line(place, record, row, texts, single, marker or known.marker or "any")


def _judge(
    pool: Pool, lines: Sequence[_Line], reading: Reading
) -> Iterator[list[Verdict | Failure]]:
    """The verdicts on the outputs of each line."""
    problems = make_problems(pool, [(line.place, line.row) for line in lines])
    items: dict[Marker, list[tuple[Problem, str]]] = {marker: [] for marker in get_args(Marker)}
    for line, problem in zip(lines, problems, strict=True):
        items[line.marker] += [(problem, text) for text in line.outputs]
    judged = {
        marker: iter(pool.judge(marked, marker=marker, reading=reading))
        for marker, marked in items.items()
    }
    for line in lines:
        yield list(islice(judged[line.marker], len(line.outputs)))
