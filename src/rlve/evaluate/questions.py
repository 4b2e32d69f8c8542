"""A suite: the questions on which a policy is tested.

Every question is a problem of some environment, whose verify() judges the answers. The problems of
RLVE-Gym are questions, and benchmarks have environments of their own. Whatever `rlve dataset`
exports is therefore a suite.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from rlve.datasets.rows import ProblemRow, read_rows, refusal
from rlve.errors import UserError
from rlve.formats import Format, readable
from rlve.pool import Failure, Pool, Record

DEADLINE = 10.0  # seconds allowed for loading a question

Metric: TypeAlias = Literal["avg", "pass"]

AS_GIVEN: Final = "as given"  # in place of a format: the questions' own prompts are used


@dataclass(frozen=True)
class Suite:
    """Questions, and how the paper reports on them."""

    name: str
    questions: list[ProblemRow]  # with distinct ids
    samples: int = 1  # per question, unless the evaluation says otherwise
    metric: Metric = "avg"
    k: int = 1  # Avg@k or Pass@k
    deadline: float = 10.0  # seconds for one verdict
    notes: tuple[str, ...] = ()  # what readers of the results should know

    def __post_init__(self) -> None:
        if not self.questions:
            raise UserError(f"the suite {self.name} has no questions")
        if not 1 <= self.k <= self.samples:
            raise UserError(
                f"the suite {self.name} takes k = {self.k} of {self.samples} samples; "
                "k must be at least 1 and at most the number of samples"
            )
        times = Counter(question.id for question in self.questions)
        [(name, most)] = times.most_common(1)
        if most > 1:
            raise UserError(f"two questions of the suite {self.name} are named {name!r}")

    @property
    def formats(self) -> list[str]:
        """The formats of the prompts that the questions' file fixes, or AS_GIVEN if unknown."""
        return sorted({row.format or AS_GIVEN for row in self.questions if row.prompted})

    def in_format(self, form: str) -> "Suite":
        """The suite as it is asked in a format: prompts that its file fixes give way to it."""
        if form == AS_GIVEN:
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


def load_questions(path: Path) -> list[ProblemRow]:
    """The same, each checked by loading its problem."""
    return check_questions(_places(path))


def _places(path: Path) -> Iterator[tuple[str, ProblemRow]]:
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


def check_questions(rows: Iterable[tuple[str, ProblemRow]]) -> list[ProblemRow]:
    """The rows, each given with its place, or a UserError for the first that cannot be loaded.

    Anybody may have written them, and a record with N = 10^9 must not hang its reader.
    """
    records: list[Record] = []
    for place, question in (rows := list(rows)):
        try:
            records.append(question.record(prompted=not question.stated))
        except UserError as error:
            raise UserError(f"{place}: {error}") from None
    with Pool(deadline=DEADLINE) as pool:
        for (place, _), loaded in zip(rows, pool.load_iter(records), strict=True):
            if isinstance(loaded, Failure):
                raise refusal(place, loaded)
    return [question for _, question in rows]


def show_prompts(
    pool: Pool, questions: Sequence[ProblemRow], form: Format | None
) -> dict[str, str]:
    """What a model is asked, for people to read, by the ids of the questions.

    Without a format it is the text of the problem alone. What cannot be shown says why.
    """
    texts: dict[str, str] = {}
    records: dict[str, Record] = {}
    for question in questions:
        try:
            if form is not None and question.stated:
                texts[question.id] = readable(question.asked(form)[0])
            elif form is None and question.statement:
                texts[question.id] = question.statement
            else:
                records[question.id] = question.record(prompted=True)
        except ValueError as error:  # the others can be shown
            texts[question.id] = f"(the prompt cannot be shown: {error})"
    for key, loaded in zip(records, pool.load_iter(records.values()), strict=True):
        if isinstance(loaded, Failure):
            texts[key] = f"(the prompt cannot be shown: {loaded.message})"
        else:
            problem, text = loaded
            texts[key] = text if form is None else readable(form.put(problem, text))
    return texts
