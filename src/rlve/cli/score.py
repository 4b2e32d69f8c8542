"""`rlve score`."""

import json as jsonlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TextIO, cast, get_args

import msgspec
from tyro.conf import Positional, arg

from rlve.answers import Marker
from rlve.cli import FAULTY
from rlve.cli._options import Flag
from rlve.cli._tables import print_table, progress_bar
from rlve.contract import AnyEnvironment, Problem, Verdict, check_difficulty
from rlve.errors import UserError
from rlve.evaluate.suite import judge_class
from rlve.files import STDOUT, replacing
from rlve.pool import Failure, Pool, Request
from rlve.rewards import UNPARSEABLE

STDIN = Path("-")
CHUNK_LINES, CHUNK_BYTES = 2_000, 32 * 2**20  # what is in memory at a time
DEADLINE = 10.0  # seconds, as the help says
MOST_BROKEN = 20  # lines that the report names


def run(
    files: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="FILE [FILE ...]", help_behavior_hint="")
    ],
    /,
    *,
    output: Annotated[
        Path | None, arg(aliases=["-o"], metavar="FILE", help_behavior_hint="")
    ] = None,
    marker: Annotated[
        Marker | None, arg(metavar="{answer,boxed,any}", help_behavior_hint="")
    ] = None,
    json: Flag = False,
    workers: Annotated[
        int | None, arg(metavar="INT", help_behavior_hint="(default: one per core)")
    ] = None,
    deadline: Annotated[
        float | None,
        arg(metavar="SECONDS", help_behavior_hint="(default: 10; of an evaluation, its own)"),
    ] = None,
) -> int:
    r"""Judge stored outputs of a model, and report accuracy and rewards per environment.

    A line of the input is a JSON object with the outputs, "output" (text) or "outputs" (a list of
    texts), and the problem: "environment" with "parameters" (an object, or JSON in a string), or
    with "difficulty" and "seed". Lines of `rlve dataset` have all but the outputs.

    With -o, every line is written again, in order. It has its "verdict", or for "outputs" its
    "verdicts", each of which is a reward, correct and well_formed. A broken line stops nothing: it
    is written with an "error", it is named in the report, and the exit code is 1.

    The folder of an evaluation, as `rlve eval` makes it, is judged again, without a model: it gets
    new verdicts, a new results.json and a new report.html.

    Args:
        files: JSONL files, of which - is stdin; or folders of evaluations.
        output: Write the lines and their verdicts to this JSONL file; - is stdout.
        marker: What encloses an answer. Else the column "marker" says it, or any marker will do.
        json: Print the report as JSON.
        workers: Processes that verify.
        deadline: Time after which a verdict is given up, and the reward is -1.
    """
    if not files:
        raise UserError("no file was given; - is stdin")
    if any(path.is_dir() for path in files):
        if output is not None or not all(path.is_dir() for path in files):
            raise UserError(
                "the folder of an evaluation is judged in place: it takes no --output, and no "
                "files beside it"
            )
        return _score_folders(files, marker, json, workers, deadline)
    for path in files:
        if path != STDIN and not path.is_fifo():
            path.open("rb").close()  # one that cannot be read is found out before the work
    report = Report()
    opened = nullcontext(None) if output is None else replacing(output)
    with (
        opened as out,
        Pool(workers, deadline=DEADLINE if deadline is None else deadline) as pool,
        progress_bar("lines") as bar,
    ):
        task = bar.add_task("", total=None)
        for chunk in _chunks(_lines(files)):
            lines = [_parsed(file, number, raw, marker) for file, number, raw in chunk]
            _generate(pool, lines)
            _judge(pool, lines)
            for line in lines:
                report.add(line)
                if out is not None:
                    out.write(line.encoded() + b"\n")
            bar.advance(task, len(lines))
    # A report on stdout would spoil what was written there.
    report.show(sys.stderr if output == STDOUT else sys.stdout, json)
    return FAULTY if report.broken else 0


def _score_folders(
    folders: Iterable[Path],
    marker: Marker | None,
    json: bool,
    workers: int | None,
    deadline: float | None,
) -> int:
    from rlve.cli._evaluations import show_results, watching
    from rlve.evaluate.runner import rejudge
    from rlve.reports.evaluation import write_report

    for folder in folders:
        with watching() as watch:
            results = rejudge(
                folder, workers=workers, deadline=deadline, marker=marker, watch=watch
            )
        write_report(folder, results)
        if json:
            print(msgspec.json.format(msgspec.json.encode(results)).decode())
        else:
            show_results(results)
    return 0


@dataclass
class Line:
    """A line of the input, and what is known about it so far."""

    file: Path
    number: int
    raw: bytes
    record: dict[str, Any] = field(default_factory=dict[str, Any])
    error: str | None = None  # why it is a broken line
    problem: Problem | Request | None = None
    outputs: list[str] = field(default_factory=list[str])
    marker: Marker = "any"
    verdicts: list[Verdict | Failure] = field(default_factory=list[Verdict | Failure])

    def encoded(self) -> bytes:
        """The line as it is written: all that was read, and the verdicts or the error."""
        found: dict[str, Any]
        if self.error is None:
            verdicts = [_written(verdict) for verdict in self.verdicts]
            one = isinstance(self.record.get("output"), str)
            found = {"verdict": verdicts[0]} if one else {"verdicts": verdicts}
        elif self.record:
            found = {"error": self.error}
        else:  # bytes that are no text come back from it with .encode("utf-8", "surrogateescape")
            found = {"error": self.error, "line": self.raw.decode("utf-8", "surrogateescape")}
        return jsonlib.dumps(self.record | found).encode("ascii")


def _written(judged: Verdict | Failure) -> dict[str, Any]:
    if isinstance(judged, Failure):
        return {"reward": UNPARSEABLE, "correct": False, "well_formed": False, "failed": True}
    return msgspec.to_builtins(judged)


def _lines(files: Iterable[Path]) -> Iterator[tuple[Path, int, bytes]]:
    """The lines that are not blank, with where they stand."""
    for path in files:
        with nullcontext(sys.stdin.buffer) if path == STDIN else path.open("rb") as file:
            for number, raw in enumerate(cast(BinaryIO, file), 1):
                if raw.strip():
                    yield path, number, raw.rstrip(b"\r\n")


def _chunks(
    lines: Iterator[tuple[Path, int, bytes]],
) -> Iterator[list[tuple[Path, int, bytes]]]:
    chunk: list[tuple[Path, int, bytes]] = []
    size = 0
    for line in lines:
        chunk.append(line)
        size += len(line[2])
        if len(chunk) == CHUNK_LINES or size > CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _parsed(file: Path, number: int, raw: bytes, marker: Marker | None) -> Line:
    line = Line(file, number, raw)
    try:
        line.record = _object(raw)
        line.problem = _problem(line.record)
        line.outputs = _outputs(line.record)
        line.marker = marker or _marker(line.record)
    except UserError as error:
        line.error = str(error)
    return line


def _object(text: bytes | str) -> dict[str, Any]:
    try:
        found = jsonlib.loads(text.decode("utf-8") if isinstance(text, bytes) else text)
    except UnicodeDecodeError as error:
        raise UserError(f"not UTF-8: byte {error.start + 1} is {text[error.start]:#04x}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UserError("not a JSON object")
    return cast(dict[str, Any], found)


def _problem(record: dict[str, Any]) -> Problem | Request:
    name, parameters = record.get("environment"), record.get("parameters")
    if not isinstance(name, str):
        raise UserError('"environment" is missing' if name is None else '"environment" is no text')
    cls = judge_class(name)
    if parameters is None:
        return _request(cls, record)
    if isinstance(parameters, str):
        try:
            parameters = _object(parameters)
        except UserError as error:
            raise UserError(f'"parameters" is {error}') from None
    return cls.from_parameters(parameters)


def _request(cls: AnyEnvironment, record: dict[str, Any]) -> Request:
    difficulty, seed = record.get("difficulty"), record.get("seed")
    if difficulty is None or seed is None:
        raise UserError('neither "parameters" nor "difficulty" and "seed" are there')
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise UserError(f"a seed is an integer, not {seed!r}")
    return Request(cls, check_difficulty(cls, difficulty), seed)


def _outputs(record: dict[str, Any]) -> list[str]:
    one, many = record.get("output"), record.get("outputs")
    if one is not None and many is not None:
        raise UserError('both "output" and "outputs" are there')
    if isinstance(one, str):
        return [one]
    if isinstance(many, list) and all(isinstance(text, str) for text in cast(list[Any], many)):
        return cast(list[str], many)
    if one is None and many is None:
        raise UserError('neither "output" nor "outputs" is there')
    raise UserError('"output" must be a text' if many is None else '"outputs" must be texts')


def _marker(record: dict[str, Any]) -> Marker:
    marker = record.get("marker") or "any"
    if marker not in get_args(Marker):
        raise UserError(f'"marker" is one of {", ".join(get_args(Marker))}, not {marker!r}')
    return marker


def _generate(pool: Pool, lines: list[Line]) -> None:
    """Replace what is to be generated by the problems."""
    asked = [(line, line.problem) for line in lines if isinstance(line.problem, Request)]
    for (line, _), made in zip(asked, pool.generate(request for _, request in asked), strict=True):
        if not isinstance(made, Failure):
            line.problem = made
        elif line.error is None:
            line.error = f"its problem cannot be generated: {made.kind}: {made.message}"


def _judge(pool: Pool, lines: list[Line]) -> None:
    for marker in get_args(Marker):
        chosen = [line for line in lines if line.error is None and line.marker == marker]
        items = [(cast(Problem, line.problem), text) for line in chosen for text in line.outputs]
        verdicts = iter(pool.judge(items, marker=marker))
        for line in chosen:
            line.verdicts = list(islice(verdicts, len(line.outputs)))


@dataclass
class Tally:
    """What is counted per environment."""

    outputs: int = 0
    correct: int = 0
    reward: float = 0.0
    ill_formed: int = 0
    failed: int = 0

    def add(self, judged: Verdict | Failure) -> None:
        """Count an output; one that could not be judged counts as wrong, and as failed."""
        self.outputs += 1
        if isinstance(judged, Failure):
            self.reward += UNPARSEABLE
            self.ill_formed += 1
            self.failed += 1
        else:
            self.correct += judged.correct
            self.reward += judged.reward
            self.ill_formed += not judged.well_formed

    def summary(self) -> dict[str, int | float | None]:
        n = self.outputs
        return {
            "outputs": n,
            "accuracy": self.correct / n if n else None,
            "mean_reward": self.reward / n if n else None,
            "ill_formed": self.ill_formed / n if n else None,
            "failed": self.failed,
        }


class Report:
    """What `rlve score` says in the end."""

    def __init__(self) -> None:
        self.total = Tally()
        self.environments: defaultdict[str, Tally] = defaultdict(Tally)
        self.broken: list[Line] = []
        self.failures: Counter[str] = Counter()

    def add(self, line: Line) -> None:
        if line.error is not None:
            self.broken.append(Line(line.file, line.number, b"", error=line.error))
        for judged in line.verdicts:
            self.total.add(judged)
            self.environments[line.record["environment"]].add(judged)
            if isinstance(judged, Failure):
                self.failures[judged.kind] += 1

    def show(self, file: TextIO, json: bool) -> None:
        summaries = {name: tally.summary() for name, tally in sorted(self.environments.items())}
        if json:
            broken = [
                {"file": str(line.file), "line": line.number, "error": line.error}
                for line in self.broken
            ]
            found = {"environments": summaries, "total": self.total.summary(), "broken": broken}
            print(jsonlib.dumps(found, indent=2), file=file)
            return
        print_table(
            ("environment", "outputs", "accuracy", "mean reward", "ill-formed", "failed"),
            [(name, *_cells(summary)) for name, summary in summaries.items()],
            total=("all", *_cells(self.total.summary())),
            file=file,
        )
        if self.total.failed:
            kinds = ", ".join(f"{kind} {times:,}" for kind, times in sorted(self.failures.items()))
            print(f"\nfailed: the verdict was given up ({kinds}), and the reward is -1", file=file)
        for line in self.broken[:MOST_BROKEN]:
            print(f"rlve: {line.file}:{line.number}: {line.error}", file=sys.stderr)
        if self.broken:
            more = len(self.broken) - MOST_BROKEN
            print(
                f"rlve: {len(self.broken):,} broken lines" + (f", {more:,} not shown" * (more > 0)),
                file=sys.stderr,
            )


def _cells(summary: dict[str, int | float | None]) -> Iterator[object]:
    for key, value in summary.items():
        if not isinstance(value, float):
            yield value
        else:
            yield f"{value:.3f}" if key == "mean_reward" else f"{value:.1%}"
