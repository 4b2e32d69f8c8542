"""Whether problems of a test set are also in the data that a policy was trained on.

Two problems are the same if they have the same environment and parameters. These are compared as
they are written: nothing is loaded, whoever wrote the files.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from rlve.datasets.rows import Placed, ProblemRow, read_rows
from rlve.errors import UserError


class Overlap(NamedTuple):
    """A problem that is in both."""

    question: ProblemRow  # of the test set
    place: str  # the training file and its line; in Parquet, the row


def overlaps(
    questions: Iterable[ProblemRow],
    files: Iterable[Path],
    read: Callable[[], None] = lambda: None,
) -> Iterator[Overlap]:
    """Every line of the training files with one of the questions; `read` is called for each line.

    The files are exports of `rlve dataset`, JSONL or Parquet.
    """
    known = {_identity((f"the question {each.id!r}", each)): each for each in questions}
    for file in files:
        for number, row in read_rows(file):
            read()
            place = f"{file}:{number}"
            if (question := known.get(_identity((place, row)))) is not None:
                yield Overlap(question, place)


def _identity(placed: Placed) -> bytes:
    place, row = placed
    try:
        parameters = row.plain_parameters()
    except UserError as error:
        raise UserError(f"{place}: {error}") from None
    if not parameters:
        raise UserError(f"{place}: it has no parameters, by which problems are compared")
    written = msgspec.json.encode([row.environment, parameters], order="sorted")
    return blake2b(written, digest_size=16).digest()
