"""Judging stored outputs: JSON lines or rows of Parquet in, JSON lines with verdicts out.

    with Pool() as pool:
        report = score([Path("outputs.jsonl")], pool)
        report.total.accuracy

A line has one "output" (text) or several "outputs" (a list of texts), and the problem:
"environment" with "parameters", or with "difficulty" and "seed". Other columns are kept, and these
can have other names. A broken line does not stop anything: it gets an "error" instead of a verdict.
Verdicts and errors replace those of an earlier scoring.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast, get_args

import msgspec

from rlve.answers import Marker, Reading
from rlve.contract import Problem
from rlve.datasets.outputs import StoredVerdict, stored_verdict
from rlve.datasets.parquet import parquet_rows
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.foundation.files import numbered_lines
from rlve.pool import Failure, FailureKind, Pool, Request

CHUNK_LINES, CHUNK_BYTES = 2_000, 32 * 2**20  # in memory at a time
ADDED = ("verdict", "verdicts", "error")


class BrokenLine(NamedTuple):
    """A line that could not be judged, and why."""

    file: Path
    line: int
    error: str


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
    broken: list[BrokenLine] = field(default_factory=list[BrokenLine])
    failures: Counter[FailureKind] = field(default_factory=Counter[FailureKind])


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
    write    called with every line, now with its verdict, verdicts or error
    watch    called from time to time with the number of lines finished since
    """
    report = ScoreReport()
    for chunk in _chunks(files):
        lines = [_parse(file, number, raw, marker, columns) for file, number, raw in chunk]
        _make(pool, lines)
        _judge(pool, lines, reading)
        for line in lines:
            line.count(report)
            if write is not None:
                write(line.encoded() + b"\n")
        watch(len(lines))
    return report


@dataclass
class _Line:
    """A line of the input, with what is known about it so far."""

    file: Path
    number: int
    raw: bytes
    record: dict[str, Any] = field(default_factory=dict[str, Any])
    row: ProblemRow | None = None
    error: str | None = None  # why it is a broken line
    problem: Problem | Request | None = None
    outputs: list[str] = field(default_factory=list[str])
    single: bool = False  # whether there is one "output", and no list
    marker: Marker = "any"
    verdicts: list[StoredVerdict] = field(default_factory=list[StoredVerdict])
    failures: list[FailureKind] = field(default_factory=list[FailureKind])

    def take(self, made: Problem | Failure) -> None:
        """Take the problem, or mark the line as broken."""
        if not isinstance(made, Failure):
            self.problem = made
        elif isinstance(self.problem, Request) and self.problem.parameters is None:
            self.error = f"its problem cannot be generated: {made.kind}: {made.message}"
        else:
            # The message of an error already says what is wrong with the parameters.
            kind = "" if made.kind == "error" else f"its problem cannot be loaded: {made.kind}: "
            self.error = kind + made.message

    def encoded(self) -> bytes:
        """The line to write: what was read, and the new verdicts or the new error."""
        added: dict[str, Any]
        if self.error is None:
            verdicts = msgspec.to_builtins(self.verdicts)
            added = {"verdict": verdicts[0]} if self.single else {"verdicts": verdicts}
        elif self.record:
            added = {"error": self.error}
        else:  # .encode("utf-8", "surrogateescape") recovers bytes that are not text
            added = {"error": self.error, "line": self.raw.decode("utf-8", "surrogateescape")}
        # Not msgspec: an output may hold half a surrogate pair, which UTF-8 cannot.
        kept = {name: value for name, value in self.record.items() if name not in ADDED}
        return json.dumps(kept | added).encode("ascii")

    def count(self, report: ScoreReport) -> None:
        if self.error is not None:
            report.broken.append(BrokenLine(self.file, self.number, self.error))
        for verdict in self.verdicts:
            report.total.add(verdict)
            if self.row is not None:
                report.environments[self.row.environment].add(verdict)
                if isinstance(self.row.difficulty, int):
                    report.levels[self.row.difficulty].add(verdict)
        report.failures.update(self.failures)


def _chunks(files: Iterable[Path]) -> Iterator[list[tuple[Path, int, bytes]]]:
    chunk: list[tuple[Path, int, bytes]] = []
    size = 0
    for path in files:
        for number, raw in _lines(path):
            chunk.append((path, number, raw))
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


def _parse(
    file: Path, number: int, raw: bytes, marker: Marker | None, columns: Mapping[str, str]
) -> _Line:
    line = _Line(file, number, raw)
    try:
        line.record = _object(raw)
        known = line.record | {name: line.record.get(column) for name, column in columns.items()}
        line.row = row = _row(known, columns)
        line.problem = row.request()
        line.outputs = _outputs(known, columns)
        line.single = isinstance(known.get("output"), str)
        line.marker = marker or _marker(known)
    except UserError as error:
        line.error = str(error)
    return line


def _object(text: bytes) -> dict[str, Any]:
    try:
        record = json.loads(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UserError(f"not UTF-8: byte {error.start + 1} is {text[error.start]:#04x}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"not JSON: {error}") from None
    if not isinstance(record, dict):
        raise UserError("not a JSON object")
    return cast(dict[str, Any], record)


def _row(record: dict[str, Any], columns: Mapping[str, str]) -> ProblemRow:
    """The problem of a line. Its other columns may be anything."""
    name, seed = record.get("environment"), record.get("seed")
    if not isinstance(name, str):
        column = columns.get("environment", "environment")
        raise UserError(f'"{column}" is missing' if name is None else f'"{column}" is not text')
    if not isinstance(seed, int | None) or isinstance(seed, bool):
        raise UserError(f"a seed must be an integer, not {seed!r}")
    return ProblemRow(
        environment=name,
        parameters=record.get("parameters"),
        difficulty=record.get("difficulty"),  # checked when the problem is generated
        seed=seed,
        defined_in=file if isinstance(file := record.get("defined_in"), str) else None,
    )


def _outputs(record: dict[str, Any], columns: Mapping[str, str]) -> list[str]:
    one, many = record.get("output"), record.get("outputs")
    if isinstance(one, list) and "output" in columns:  # which may hold several
        one, many = None, cast(list[Any], one)
    if one is not None and many is not None:
        raise UserError('the line has both "output" and "outputs"')
    if isinstance(one, str):
        return [one]
    if isinstance(many, list) and all(isinstance(text, str) for text in cast(list[Any], many)):
        return cast(list[str], many)
    if one is None and many is None:
        if "output" in columns:
            raise UserError(f'the line has no "{columns["output"]}"')
        raise UserError('the line has neither "output" nor "outputs"')
    raise UserError(
        '"output" must be text' if many is None else '"outputs" must be a list of texts'
    )


def _marker(record: dict[str, Any]) -> Marker:
    marker = record.get("marker") or "any"
    if marker not in get_args(Marker):
        raise UserError(f'"marker" must be one of {", ".join(get_args(Marker))}, not {marker!r}')
    return marker


def _make(pool: Pool, lines: list[_Line]) -> None:
    """Generate or load the problems of the lines."""
    asked = [(line, line.problem) for line in lines if isinstance(line.problem, Request)]
    for (line, _), made in zip(asked, pool.generate(request for _, request in asked), strict=True):
        line.take(made)


def _judge(pool: Pool, lines: list[_Line], reading: Reading) -> None:
    for marker in get_args(Marker):
        chosen = [line for line in lines if line.error is None and line.marker == marker]
        items = [(cast(Problem, line.problem), text) for line in chosen for text in line.outputs]
        judged = iter(pool.judge(items, marker=marker, reading=reading))
        for line in chosen:
            results = list(islice(judged, len(line.outputs)))
            line.verdicts = list(map(stored_verdict, results))
            line.failures = [result.kind for result in results if isinstance(result, Failure)]
