"""A problem as a row: exports, test sets and suites have one per line.

    with row_writer(Path("problems.jsonl")) as write:
        write(ProblemRow.of(problem, difficulty=3, seed=7, format=CHAT))

    for number, row in read_rows(Path("problems.jsonl")):
        row.problem().verify(output, marker=row.marker or "any")

A .parquet file has the same columns.
"""

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar, cast

import msgspec

from rlve.answers import Marker
from rlve.contract import AnyEnvironment, Problem, check_difficulty
from rlve.datasets.parquet import ParquetWriter, numbered_rows
from rlve.datasets.questions import first_row
from rlve.errors import UnknownEnvironment, UserError
from rlve.formats import Format, Message, Prompt
from rlve.foundation.files import DAMAGE, STDOUT, line, replacing
from rlve.foundation.limits import Name
from rlve.judges import judge_class
from rlve.pool import Failure, Pool, Request
from rlve.pool.worker import generate
from rlve.registry import family
from rlve.stream import Item


class ProblemRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One problem. Columns with unknown values are left out, and foreign columns are ignored."""

    id: str = ""  # environment/difficulty/seed, or some other unique text
    data_source: str | None = None  # rlve/environment: trainers group their metrics by it
    environment: Name  # the name of the class that judges it
    family: str | None = None
    difficulty: int | None = None
    seed: int | None = None
    prompt: Prompt | None = None  # what the model is given, if the file fixes it
    statement: str | None = None  # the text of the problem, if it is not the environment's own
    answer: str | None = None  # a correct answer; there may be others
    completion: str | None = None  # a worked solution, if the prompt is a text
    messages: list[Message] | None = None  # the prompt and a worked solution, instead of the prompt
    marker: Marker | None = None  # how the prompt asks for the answer to be marked
    format: str | None = None  # the name of the format that the prompt is in, if it is in one
    parameters: dict[str, Any] | str | None = None  # a JSON object, or JSON in a string
    defined_in: str | None = None  # the file of a user's own environment: shown, never loaded

    @classmethod
    def of(
        cls,
        problem: Problem,
        *,
        difficulty: int,
        seed: int,
        format: Format | None = None,
        answer: str | None = None,
        worked: str | None = None,
    ) -> Self:
        """The row of a problem; a format fixes its prompt, otherwise readers choose one.

        An output that works it out is stored as supervised trainers read it: as the last of the
        messages of a chat, which then has no prompt of its own, or as the completion of a text.
        """
        name = type(problem).__name__
        prompt = None if format is None else format.render(problem)
        messages = None
        if worked is not None and isinstance(prompt, list):
            messages = [*prompt, {"role": "assistant", "content": worked}]
            prompt = worked = None
        return cls(
            id=f"{name}/{difficulty}/{seed}",
            data_source=f"rlve/{name}",
            environment=name,
            family=family(name),
            difficulty=difficulty,
            seed=seed,
            prompt=prompt,
            answer=answer,
            completion=worked,
            messages=messages,
            marker=None if format is None else format.marker,
            format=None if format is None else format.name,
            # In a string, because environments differ and a Parquet column has one type.
            parameters=msgspec.json.encode(problem.parameters()).decode(),
            defined_in=_file_of(type(problem)),
        )

    def problem(self) -> Problem:
        """The problem, which judges answers."""
        return generate(self.request())

    def request(self) -> Request:
        """What a worker needs to make the problem of a row that anybody may have written."""
        cls = self.environment_class()
        if self.parameters is not None:
            return Request(cls, parameters=self.plain_parameters())
        if self.difficulty is None or self.seed is None:
            raise UserError('the row has neither "parameters" nor "difficulty" and "seed"')
        return Request(cls, check_difficulty(cls, self.difficulty), self.seed)

    @property
    def prompted(self) -> bool:
        """Whether the file fixes the prompt."""
        return self.prompt is not None or self.messages is not None

    def unprompted(self) -> Self:
        """The same problem, for readers to choose the format of its prompt."""
        fixed = ("prompt", "completion", "messages", "marker", "format")
        return msgspec.structs.replace(self, **dict.fromkeys(fixed))

    @property
    def stated(self) -> bool:
        """Whether the row itself says what the model is given."""
        return self.prompted or self.statement is not None

    def item(self, position: int) -> Item:
        """The problem as a stream would give it out at that position."""
        if self.difficulty is None or self.seed is None:
            raise UserError('"difficulty" or "seed" is missing')
        return Item(position, self.environment, self.difficulty, self.seed, self.problem())

    def environment_class(self) -> AnyEnvironment:
        """The environment: from the gym, from a data set, or loaded by the user."""
        try:
            return judge_class(self.environment)
        except UnknownEnvironment:
            if self.defined_in is None:
                raise
            raise UnknownEnvironment(
                f"{self.environment[:80]!r} is somebody's own environment, from "
                f"{self.defined_in[:80]!r}: if you trust it, add --load FILE.py, or import it"
            ) from None

    def plain_parameters(self) -> dict[str, Any]:
        """The parameters, however the file writes them."""
        if not isinstance(self.parameters, str):
            return self.parameters or {}
        try:
            parameters = msgspec.json.decode(self.parameters)
        except DAMAGE as error:
            raise UserError(f'"parameters" is not JSON: {error}') from None
        if not isinstance(parameters, dict):
            raise UserError('"parameters" is not a JSON object')
        return cast(dict[str, Any], parameters)

    def asked(self, format: Format) -> tuple[Prompt, Marker]:
        """What a model is given in this format, and what marks its answer.

        A prompt fixed by the file stays as it is.
        """
        if self.prompt is not None:
            return self.prompt, self.marker or "any"
        if self.messages is not None:
            return self.messages[:-1], self.marker or "any"
        if self.statement is not None:
            return format.wrap(self.statement), format.marker
        return format.render(self.problem()), format.marker


T = TypeVar("T")

Placed: TypeAlias = tuple[str, ProblemRow]
"""A row, and where it is, which errors name."""


def request_rows(rows: Iterable[Placed]) -> list[Request]:
    """What a worker needs to make the problems of rows, or a UserError for the first that lacks it.

    Whether these are problems only a worker can tell.
    """
    requests: list[Request] = []
    for place, row in rows:
        try:
            requests.append(row.request())
        except UserError as error:
            raise UserError(f"{place}: {error}") from None
    return requests


def load_rows(pool: Pool, rows: Sequence[Placed]) -> Iterator[tuple[Problem, str]]:
    """The problems of rows, and what their environments state; a UserError if one is no problem.

    Anybody may have written the rows, and a record with N = 10^9 must not hang its reader.
    """
    for (place, _), loaded in zip(rows, pool.pose_iter(request_rows(rows)), strict=True):
        yield _unless_failed(place, loaded)


def make_problems(pool: Pool, rows: Sequence[Placed]) -> Iterator[Problem]:
    """The same without what is stated."""
    for (place, _), made in zip(rows, pool.generate_iter(request_rows(rows)), strict=True):
        yield _unless_failed(place, made)


def _unless_failed(place: str, made: T | Failure) -> T:
    if isinstance(made, Failure):
        kind = "" if made.kind == "error" else f"{made.kind}: "
        raise UserError(f"{place}: {kind}{made.message}")
    return made


def _file_of(environment: AnyEnvironment) -> str | None:
    """The name of the file that defines a user's own environment."""
    if environment.__module__.startswith("rlve."):
        return None
    try:
        return Path(inspect.getfile(environment)).name
    except (TypeError, OSError):  # defined at a prompt
        return None


def read_rows(path: Path) -> Iterator[tuple[int, ProblemRow]]:
    """The rows of a JSONL or Parquet file, with their line numbers; a broken row is an error.

    Whether a row can be judged is not checked.
    """
    for number, raw in numbered_rows(path):
        try:
            yield number, msgspec.convert(raw, ProblemRow)
        except msgspec.ValidationError as error:
            raise UserError(f"{path}:{number}: not a question: {error}") from None


def is_export(path: Path) -> bool:
    """Whether the first row of a file names an environment."""
    return path.suffix in (".jsonl", ".parquet") and "environment" in first_row(path)


RowWriter: TypeAlias = Callable[[ProblemRow], object]
"""Adds a row to a file."""


@contextmanager
def row_writer(path: Path) -> Generator[RowWriter]:
    """Write rows to a JSONL or Parquet file, which appears once it is complete; - is stdout."""
    if path == STDOUT or path.suffix == ".jsonl":
        with replacing(path) as file:
            yield lambda row: file.write(line(row))
    elif path.suffix == ".parquet":
        with replacing(path) as file, closing(ParquetWriter(file, _parquet)) as parquet:
            yield lambda row: parquet.write(_columns(row))
            parquet.finish()
    else:
        raise UserError(f"the name of the output must end in .jsonl or .parquet: {path} does not")


def write_rows(path: Path, rows: Iterable[ProblemRow]) -> None:
    """Write a file of rows."""
    with row_writer(path) as write:
        for row in rows:
            write(row)


_WORKED = ("completion", "messages")
_TYPES = {"difficulty": int, "seed": int, "prompt": list, "messages": list}


def _parquet(first: Mapping[str, Any]) -> dict[str, type]:
    """The columns of a file; those of worked solutions only if it has them."""
    absent = {"statement", *(name for name in _WORKED if first.get(name) is None)}
    if "messages" not in absent:
        absent.add("prompt")
    names = (name for name in ProblemRow.__struct_fields__ if name not in absent)
    return {name: _TYPES.get(name, str) for name in names}


def _columns(row: ProblemRow) -> dict[str, Any]:
    if row.statement is not None:
        raise UserError("Parquet has no column for statements; write to a .jsonl file")
    columns = msgspec.structs.asdict(row)
    if isinstance(row.parameters, dict):
        columns["parameters"] = msgspec.json.encode(row.parameters).decode()
    return columns
