"""Suites by name, or from a file."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from rlve.datasets.questions import first_row, read_pairs
from rlve.errors import UserError
from rlve.evaluate import benchmarks
from rlve.evaluate.benchmarks import BENCHMARKS
from rlve.evaluate.benchmarks.rows import question_row
from rlve.evaluate.published import load_published
from rlve.evaluate.questions import Suite, read_suite
from rlve.evaluate.testsets import dialogue_suite, held_out_suite, in_distribution_suite
from rlve.foundation.files import open_regular

HELD_OUT = "held-out"
DIALOGUES = "dialogues"
IN_DISTRIBUTION = "in-distribution"
PUBLISHED = "published"


def load_suite(target: str, columns: Mapping[str, str] = MappingProxyType({})) -> Suite:
    """The suite with that name, or in that file.

    held-out              50 problems of each of the 50 held-out environments
    dialogues             10 problems of each of the 22 dialogues, which answer back
    in-distribution:NAME  4,000 problems of an environment
    published:FILE        the authors' problems, with their own statements
    aime-2024, ...        a benchmark; aime-2024:FILE if you have its file, and
                          aime-2024@COMMIT for a revision of its data set on the hub
    anything else         a JSONL or Parquet file of problems, a file of the authors' problems, or
                          your own questions and answers, which are judged as mathematics

    `columns` says where a file of your own has its "question" and its "answer", if they have other
    names than usual.

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
    return _load_file(Path(target), columns)


def _load_file(path: Path, columns: Mapping[str, str]) -> Suite:
    if not path.exists():
        raise UserError(
            f"no suite is named {path}, and there is no such file; the suites are {HELD_OUT}, "
            f"{DIALOGUES}, {IN_DISTRIBUTION}:NAME, {PUBLISHED}:FILE, {', '.join(BENCHMARKS)}"
        )
    try:
        open_regular(path).close()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    found = first_row(path).keys()
    if not columns and path.suffix == ".json" and found & {"metadata", "ground_truth"}:
        return load_published(path)
    if not columns and found & {"environment", "parameters"}:
        return read_suite(path)
    pairs = read_pairs(path, **columns)
    return Suite(
        path.stem,
        [
            question_row(f"{path.stem}/{number:04d}", "MathQuestion", *pair)
            for number, pair in enumerate(pairs, 1)
        ],
    )
