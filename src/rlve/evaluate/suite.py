"""A suite: the questions that a policy is tested on.

Every question is a problem of some environment, so that its verify() judges the answers: the
problems of RLVE-Gym are questions, and benchmarks have environments of their own.

A suite is a JSONL file with one question per line. Its columns are those of `rlve dataset`, so
that whatever that command exports is a suite.
"""

# pyarrow leaves its types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import msgspec

from rlve.answers import Marker
from rlve.contract import AnyEnvironment, Problem
from rlve.errors import UnknownEnvironment, UserError
from rlve.formats import Format, Prompt
from rlve.registry import environment

HELD_OUT = "held-out"
IN_DISTRIBUTION = "in-distribution"
PUBLISHED = "published"
BENCHMARKS = ("aime-2024", "aime-2025", "omega-500", "olympiad-bench", "bbeh", "livecodebench-v6")

Metric: TypeAlias = Literal["avg", "pass"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a suite; columns that are none of these are ignored."""

    id: str  # unique in the suite
    environment: str  # the name of the class that judges it
    parameters: dict[str, Any] | str  # of the problem: a JSON object, or JSON in a string
    prompt: Prompt | None = None  # what the model is given, if the file fixes it
    statement: str | None = None  # the text of the problem, if it is not the problem's own
    difficulty: int | None = None
    seed: int | None = None
    answer: str | None = None  # one that is correct; there can be others
    marker: Marker | None = None  # how the prompt asks the answer to be marked
    data_source: str | None = None
    family: str | None = None

    def problem(self) -> Problem:
        """The problem that judges the answers."""
        return judge_class(self.environment).from_parameters(self.plain_parameters())

    def plain_parameters(self) -> dict[str, Any]:
        """The parameters, however the file has written them."""
        if not isinstance(self.parameters, str):
            return self.parameters
        try:
            found = msgspec.json.decode(self.parameters)
        except msgspec.DecodeError as error:
            raise UserError(f'"parameters" is not JSON: {error}') from None
        if not isinstance(found, dict):
            raise UserError('"parameters" is not a JSON object')
        return cast(dict[str, Any], found)

    def asked(self, form: Format) -> tuple[Prompt, Marker]:
        """What a model is given, and what marks its answer, if the evaluation has this format.

        A prompt that the file fixes stays as it is. Else the format puts the problem.
        """
        if self.prompt is not None:
            return self.prompt, self.marker or "any"
        if self.statement is not None:
            return form.wrap(self.statement), form.marker
        return form.render(self.problem()), form.marker


@dataclass(frozen=True)
class Suite:
    """Questions, and how the paper reports on them."""

    name: str
    questions: list[Question]
    samples: int = 1  # of every question, unless the evaluation says otherwise
    metric: Metric = "avg"
    k: int = 1  # Avg@k or Pass@k
    deadline: float = 10.0  # seconds for one verdict
    notes: tuple[str, ...] = ()  # what a person should know who sees its results

    def __post_init__(self) -> None:
        if not self.questions:
            raise UserError(f"the suite {self.name} has no questions")
        if not 1 <= self.k <= self.samples:
            raise UserError(
                f"the suite {self.name} takes k = {self.k} of {self.samples} samples; "
                "k is at least 1 and at most the number of samples"
            )
        seen: set[str] = set()
        for question in self.questions:
            if question.id in seen:
                raise UserError(f"two questions of the suite {self.name} are named {question.id!r}")
            seen.add(question.id)

    @cached_property
    def sha(self) -> str:
        """A digest over the questions: equal for equal questions in the same order."""
        digest = sha256()
        for question in self.questions:
            digest.update(encoded(question))
        return digest.hexdigest()


def judge_class(name: str) -> AnyEnvironment:
    """The environment of that name, of the gym or of a benchmark."""
    try:
        return environment(name)
    except UnknownEnvironment:
        # Those of benchmarks are not part of the gym; importing their modules registers them.
        for judge in ("math", "bbeh", "programs"):
            import_module(f"rlve.judges.{judge}")
    return environment(name)


def load_suite(target: str) -> Suite:
    """The suite of that name, or in that file.

    held-out              50 problems of each of the 50 held-out environments
    in-distribution:NAME  4,000 problems of an environment
    published:FILE        the authors' problems, with their own statements
    aime-2024, ...        a benchmark, see BENCHMARKS; aime-2024:FILE if you have its file
    anything else         a JSONL or Parquet file of questions, or one of the authors'

    The first two are generated, which takes a moment; `rlve testset` writes them to a file.
    """
    name, _, rest = target.partition(":")
    if target == HELD_OUT:
        from rlve.evaluate.testsets import held_out_suite

        return held_out_suite()
    if name == IN_DISTRIBUTION and rest:
        from rlve.evaluate.testsets import in_distribution_suite

        return in_distribution_suite(rest)
    if name == PUBLISHED and rest:
        from rlve.evaluate.published import load_published

        return load_published(Path(rest))
    if name in BENCHMARKS:
        from rlve.evaluate import benchmarks

        return benchmarks.load(name, Path(rest) if rest else None)
    return _load_file(Path(target))


def _load_file(path: Path) -> Suite:
    if not path.exists():
        raise UserError(
            f"no suite is named {path} and there is no such file; the names are {HELD_OUT}, "
            f"{IN_DISTRIBUTION}:NAME, {PUBLISHED}:FILE, {', '.join(BENCHMARKS)}"
        )
    if _holds_a_list(path):
        from rlve.evaluate.published import load_published

        return load_published(path)
    return Suite(path.stem, list(read_questions(path)))


def _holds_a_list(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.suffix != ".parquet" and file.read(1_000).lstrip().startswith(b"[")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a JSONL or Parquet file; the first broken one is an error that names it."""
    lines: dict[str, int] = {}
    for number, question in read_rows(path):
        try:
            question.problem()
            if question.id in lines:
                raise UserError(f"its id {question.id!r} is also that of line {lines[question.id]}")
        except UserError as error:
            raise UserError(f"{path}:{number}: {error}") from None
        lines[question.id] = number
        yield question


def read_rows(path: Path) -> Iterator[tuple[int, Question]]:
    """What is in a file, with its lines or rows; whether it can be judged is not looked at."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    with file:
        if path.suffix == ".parquet":
            for number, row in enumerate(_parquet_rows(path), 1):
                yield number, _converted(path, number, row)
            return
        decode = msgspec.json.Decoder(Question).decode
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield number, decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise UserError(f"{path}:{number}: not a question: {error}") from None


def _converted(path: Path, number: int, row: dict[str, Any]) -> Question:
    try:
        return msgspec.convert(row, Question)
    except msgspec.ValidationError as error:
        raise UserError(f"{path}:{number}: not a question: {error}") from None


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise UserError(
            f"reading {path} needs pyarrow, which is not installed: pip install 'rlve[parquet]'"
        ) from error
    try:
        with ParquetFile(path) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except ArrowInvalid as error:
        raise UserError(f"{path} is not a Parquet file: {error}") from None


def write_questions(path: Path, questions: Iterable[Question]) -> None:
    """Write a suite file; it is there when it is complete, and not before."""
    from rlve.files import replacing

    with replacing(path) as file:
        file.writelines(encoded(question) for question in questions)


def encoded(question: Question) -> bytes:
    """The question as a line of a suite file."""
    columns = msgspec.structs.asdict(question)
    kept = {key: value for key, value in columns.items() if value is not None}
    return msgspec.json.encode(kept) + b"\n"
