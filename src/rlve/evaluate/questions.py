"""A suite: the questions on which a policy is tested.

Every question is a problem of some environment, whose verify() judges the answers. The problems of
RLVE-Gym are questions, and benchmarks have environments of their own. Whatever `rlve dataset`
exports is therefore a suite.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from rlve.datasets.rows import Placed, ProblemRow, read_rows, request_rows
from rlve.errors import UserError
from rlve.formats import Format, readable
from rlve.foundation.limits import AtLeastOne, Positive, check_limits
from rlve.pool import Failure, Pool, Request

Metric: TypeAlias = Literal["avg", "pass"]

AS_GIVEN: Final = "as given"  # in place of a format: the questions' own prompts are used


@dataclass(frozen=True)
class Suite:
    """Questions, and how the paper reports on them."""

    name: str
    questions: list[ProblemRow]  # with distinct ids
    samples: AtLeastOne = 1  # per question, unless the evaluation says otherwise
    metric: Metric = "avg"
    k: AtLeastOne = 1  # Avg@k or Pass@k
    deadline: Positive = 10.0  # seconds for one verdict
    notes: tuple[str, ...] = ()  # what readers of the results should know

    def __post_init__(self) -> None:
        if not self.questions:
            raise UserError(f"the suite {self.name} has no questions")
        check_limits(f"in the suite {self.name}, ", self)
        if self.k > self.samples:
            raise UserError(f"the suite {self.name} takes k = {self.k} of {self.samples} samples")
        times = Counter(question.id for question in self.questions)
        [(name, most)] = times.most_common(1)
        if most > 1:
            raise UserError(f"two questions of the suite {self.name} are named {name!r}")

    @property
    def formats(self) -> list[str]:
        """The formats of the prompts that the questions' file fixes, or AS_GIVEN if unknown."""
        return sorted({row.format or AS_GIVEN for row in self.questions if row.prompted})

    def in_format(self, format: str) -> "Suite":
        """The suite as it is asked in a format: prompts that its file fixes give way to it."""
        if format == AS_GIVEN:
            if not all(row.prompted for row in self.questions):
                raise UserError(
                    f"not all questions of {self.name} come with a prompt: choose a format"
                )
            return self
        return replace(self, questions=[row.unprompted() for row in self.questions])

    @cached_property
    def sha(self) -> str:
        """A digest of the questions: equal for equal questions in the same order."""
        digest = sha256()
        for question in self.questions:
            columns = {name: getattr(question, name) for name in _DIGESTED}
            kept = {name: value for name, value in columns.items() if value is not None}
            digest.update(msgspec.json.encode(kept) + b"\n")
        return digest.hexdigest()


# In an order that never changes, so that evaluations stay comparable.
_DIGESTED = (
    *("id", "environment", "parameters", "prompt", "statement", "difficulty", "seed", "answer"),
    *("marker", "data_source", "family"),
)


def read_questions(path: Path) -> list[ProblemRow]:
    """The questions in a JSONL or Parquet file; a UserError names the first broken one.

    It does not check that there are environments that can judge them.
    """
    return [question for _, question in _places(path)]


def read_suite(path: Path) -> Suite:
    """The questions in a file as a suite."""
    return placed_suite(path.stem, list(_places(path)))


def placed_suite(name: str, rows: Sequence[Placed], notes: tuple[str, ...] = ()) -> Suite:
    """The suite of rows, each with the place that an error names."""
    request_rows(rows)  # names a row that nobody can judge, before any suite is run
    return Suite(name, [question for _, question in rows], notes=notes)


def _places(path: Path) -> Iterator[Placed]:
    lines: dict[str, int] = {}
    for number, question in read_rows(path):
        place = f"{path}:{number}"
        if not question.id:
            raise UserError(f"{place}: this is not a question: it has no id")
        if question.id in lines:
            earlier = lines[question.id]
            raise UserError(f"{place}: line {earlier} has the same id, {question.id!r}")
        lines[question.id] = number
        yield place, question


def show_prompts(
    pool: Pool, questions: Sequence[ProblemRow], format: Format | None
) -> dict[str, str]:
    """What a model is asked, for people to read, by the ids of the questions.

    Without a format it is the text of the problem alone. What cannot be shown says why.
    """
    texts: dict[str, str] = {}
    requests: dict[str, Request] = {}
    for question in questions:
        try:
            if format is not None and question.stated:
                texts[question.id] = readable(question.asked(format)[0])
            elif format is None and question.statement:
                texts[question.id] = question.statement
            else:
                requests[question.id] = question.request()
        except ValueError as error:  # the others can be shown
            texts[question.id] = f"(the prompt cannot be shown: {error})"
    for key, loaded in zip(requests, pool.pose_iter(requests.values()), strict=True):
        if isinstance(loaded, Failure):
            texts[key] = f"(the prompt cannot be shown: {loaded.message})"
        else:
            problem, text = loaded
            texts[key] = text if format is None else readable(format.put(problem, text))
    return texts
