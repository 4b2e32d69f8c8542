"""Whether problems of a test set are also in the data that a policy was trained on.

Two problems are the same if they have the same environment and parameters, or if they read the
same: a level that allowed larger numbers, for example, is a parameter that no reader sees.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from rlve.contract import Problem
from rlve.datasets.rows import ProblemRow, load_rows, read_rows
from rlve.evaluate.questions import Suite
from rlve.formats import FORMATS, Prompt
from rlve.pool import Pool

AT_ONCE: Final = 4096  # lines to hold in memory

Way: TypeAlias = Literal["parameters", "prompt"]


class Overlap(NamedTuple):
    """A problem that is in both."""

    question: ProblemRow  # of the test set
    file: Path
    line: int  # of the training file; in Parquet, the row
    same: Way  # what they have in common; the same parameters make the same prompt


class Known(NamedTuple):
    """The problems of a test set, by the digests of their parameters and of their texts."""

    environments: set[str]
    parameters: dict[bytes, ProblemRow]
    prompts: dict[bytes, ProblemRow]


class Line(NamedTuple):
    """A row of a training file."""

    file: Path
    number: int
    row: ProblemRow

    @property
    def place(self) -> str:
        return f"{self.file}:{self.number}"


def overlaps(
    pool: Pool, suite: Suite, files: Iterable[Path], read: Callable[[], None] = lambda: None
) -> Iterator[Overlap]:
    """Every line of the training files with a problem of the suite; `read` is called for each line.

    The files are exports of `rlve dataset`, JSONL or Parquet. Anybody may have written them, so
    their problems are made in the pool.
    """
    known = _index(pool, suite)
    lines = (Line(file, number, row) for file in files for number, row in read_rows(file))
    while some := list(islice(lines, AT_ONCE)):
        for line, found in zip(some, _identify(pool, known, some), strict=True):
            read()
            if overlap := _overlap(known, line, *found):
                yield overlap


def _index(pool: Pool, suite: Suite) -> Known:
    known = Known({question.environment for question in suite.questions}, {}, {})
    rows = [(f"the question {question.id!r}", question) for question in suite.questions]
    for (_, question), (problem, own) in zip(rows, load_rows(pool, rows), strict=True):
        known.parameters[_identity(problem)] = question
        for text in {own, question.statement} - {None}:
            known.prompts[_digest(str(text))] = question
            # As in exports, whose environment may be unknown here and so cannot give its text.
            wrapped = (_text(format.wrap(str(text))) for format in FORMATS.values())
            known.prompts.update(dict.fromkeys(map(_digest, wrapped), question))
        if question.prompt is not None:
            known.prompts[_digest(_text(question.prompt))] = question
    return known


def _identify(
    pool: Pool, known: Known, lines: Sequence[Line]
) -> Iterator[tuple[bytes | None, list[bytes]]]:
    """For each line, its problem if the suite has that environment, and all texts it has."""
    ours = [line for line in lines if line.row.environment in known.environments]
    loaded = load_rows(pool, [(line.place, line.row) for line in ours])
    for line in lines:
        texts = [] if line.row.prompt is None else [_text(line.row.prompt)]
        texts += [] if line.row.statement is None else [line.row.statement]
        parameters = None
        if line.row.environment in known.environments:
            problem, own = next(loaded)
            parameters = _identity(problem)
            texts.append(own)
        yield parameters, list(map(_digest, texts))


def _overlap(
    known: Known, line: Line, parameters: bytes | None, prompts: Sequence[bytes]
) -> Overlap | None:
    if parameters in known.parameters:
        return Overlap(known.parameters[parameters], line.file, line.number, "parameters")
    for prompt in prompts:
        if (question := known.prompts.get(prompt)) is not None:
            return Overlap(question, line.file, line.number, "prompt")
    return None


def _identity(problem: Problem) -> bytes:
    # Only its fields, converted to their types, with sorted keys.
    written = msgspec.json.encode(problem.parameters(), order="sorted").decode()
    return _digest(f"{type(problem).__name__}\0{written}")


def _digest(text: str) -> bytes:
    return blake2b(text.strip().encode(), digest_size=16).digest()


def _text(prompt: Prompt) -> str:
    if isinstance(prompt, str):
        return prompt
    return "\0".join(message.get("content", "") for message in prompt)
