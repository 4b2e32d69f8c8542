"""Suites by name, or from a file."""

from pathlib import Path

from rlve.errors import UserError
from rlve.evaluate import benchmarks
from rlve.evaluate.benchmarks import BENCHMARKS
from rlve.evaluate.published import load_published
from rlve.evaluate.questions import Suite, load_questions
from rlve.evaluate.testsets import dialogue_suite, held_out_suite, in_distribution_suite
from rlve.files import open_regular

HELD_OUT = "held-out"
DIALOGUES = "dialogues"
IN_DISTRIBUTION = "in-distribution"
PUBLISHED = "published"


def load_suite(target: str) -> Suite:
    """The suite with that name, or in that file.

    held-out              50 problems of each of the 50 held-out environments
    dialogues             10 problems of each of the 20 dialogues, which answer back
    in-distribution:NAME  4,000 problems of an environment
    published:FILE        the authors' problems, with their own statements
    aime-2024, ...        a benchmark; aime-2024:FILE if you have its file, and
                          aime-2024@COMMIT for a revision of its data set on the hub
    anything else         a JSONL or Parquet file of questions, or a file of the authors' problems

    The first three are generated, which takes a moment; `rlve testset` writes them to a file.
    """
    name, _, rest = target.partition(":")
    if target == HELD_OUT:
        return held_out_suite()
    if target == DIALOGUES:
        return dialogue_suite()
    if name == IN_DISTRIBUTION and rest:
        return in_distribution_suite(rest)
    if name == PUBLISHED and rest:
        return load_published(Path(rest))
    name, _, revision = name.partition("@")
    if name in BENCHMARKS:
        return benchmarks.load(name, Path(rest) if rest else None, revision=revision or None)
    return _load_file(Path(target))


def _load_file(path: Path) -> Suite:
    if not path.exists():
        raise UserError(
            f"no suite is named {path}, and there is no such file; the suites are {HELD_OUT}, "
            f"{DIALOGUES}, {IN_DISTRIBUTION}:NAME, {PUBLISHED}:FILE, {', '.join(BENCHMARKS)}"
        )
    if _holds_a_list(path):
        return load_published(path)
    return Suite(path.stem, load_questions(path))


def _holds_a_list(path: Path) -> bool:
    try:
        with open_regular(path) as file:
            return path.suffix != ".parquet" and file.read(1_000).lstrip().startswith(b"[")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
