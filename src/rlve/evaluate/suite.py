"""A suite: the questions on which a policy is tested.

Every question is a problem of some environment, whose verify() judges the answers. The problems of
RLVE-Gym are questions, and benchmarks have environments of their own. Whatever `rlve dataset`
exports is therefore a suite.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from rlve.datasets.rows import ProblemRow, read_rows, refusal
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Record

HELD_OUT = "held-out"
IN_DISTRIBUTION = "in-distribution"
PUBLISHED = "published"
BENCHMARKS = ("aime-2024", "aime-2025", "omega-500", "olympiad-bench", "bbeh", "livecodebench-v6")

DEADLINE = 10.0  # seconds allowed for loading a question

Metric: TypeAlias = Literal["avg", "pass"]


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
        seen: set[str] = set()
        for question in self.questions:
            if question.id in seen:
                raise UserError(f"two questions of the suite {self.name} are named {question.id!r}")
            seen.add(question.id)

    @cached_property
    def sha(self) -> str:
        """A digest of the questions: equal for equal questions in the same order."""
        digest = sha256()
        for question in self.questions:
            columns = {name: getattr(question, name) for name in _DIGESTED}
            kept = {name: value for name, value in columns.items() if value is not None}
            digest.update(msgspec.json.encode(kept) + b"\n")
        return digest.hexdigest()


# In the order of version 0.1, whose evaluations stay comparable with those of today.
_DIGESTED = (
    *("id", "environment", "parameters", "prompt", "statement", "difficulty", "seed", "answer"),
    *("marker", "data_source", "family"),
)


def load_suite(target: str) -> Suite:
    """The suite with that name, or in that file.

    held-out              50 problems of each of the 50 held-out environments
    in-distribution:NAME  4,000 problems of an environment
    published:FILE        the authors' problems, with their own statements
    aime-2024, ...        a benchmark, see BENCHMARKS; aime-2024:FILE if you have its file, and
                          aime-2024@COMMIT for a revision of its data set on the hub
    anything else         a JSONL or Parquet file of questions, or a file of the authors' problems

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
    name, _, revision = name.partition("@")
    if name in BENCHMARKS:
        from rlve.evaluate import benchmarks

        return benchmarks.load(name, Path(rest) if rest else None, revision=revision or None)
    return _load_file(Path(target))


def _load_file(path: Path) -> Suite:
    if not path.exists():
        raise UserError(
            f"no suite is named {path}, and there is no such file; the suites are {HELD_OUT}, "
            f"{IN_DISTRIBUTION}:NAME, {PUBLISHED}:FILE, {', '.join(BENCHMARKS)}"
        )
    if _holds_a_list(path):
        from rlve.evaluate.published import load_published

        return load_published(path)
    return Suite(path.stem, checked(_numbered(path)))


def _holds_a_list(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.suffix != ".parquet" and file.read(1_000).lstrip().startswith(b"[")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def read_questions(path: Path) -> list[ProblemRow]:
    """The questions in a JSONL or Parquet file; a UserError names the first broken one.

    It does not check that there are environments that can judge them.
    """
    return [question for _, question in _numbered(path)]


def _numbered(path: Path) -> Iterator[tuple[str, ProblemRow]]:
    lines: dict[str, int] = {}
    for number, question in read_rows(path):
        place = f"{path}:{number}"
        try:
            if not question.id:
                raise UserError("this is not a question: it has no id")
            if question.id in lines:
                raise UserError(f"line {lines[question.id]} has the same id, {question.id!r}")
        except UserError as error:
            raise UserError(f"{place}: {error}") from None
        lines[question.id] = number
        yield place, question


def checked(rows: Iterable[tuple[str, ProblemRow]]) -> list[ProblemRow]:
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
