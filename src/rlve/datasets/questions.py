"""Published files of questions: rows with a question and an answer, as JSON or Parquet.

Column names vary; those of the benchmarks and the common training sets are known.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from rlve.datasets.parquet import numbered_rows
from rlve.errors import UserError
from rlve.foundation.files import DAMAGE, RECORD, read_whole

QUESTIONS = ("user_prompt", "prompt", "question", "problem", "Question", "Problem", "input")
ANSWERS = ("ground_truth", "answer", "final_answer", "Answer", "target", "label", "solution")

SOLVED = "\n####"  # GSM8K: between the solution and the answer, a number such as 1,200


def read_pairs(
    path: Path, *, question: str | None = None, answer: str | None = None
) -> list[tuple[str, str]]:
    """The questions and answers of a file; a row without either is an error that names it.

    question, answer   their columns, if they have other names than usual
    """
    if not path.exists():
        raise UserError(f"there is no file {path}")
    pairs: list[tuple[str, str]] = []
    for number, row in _rows(path):
        try:
            pairs.append((_question(row, question), _answer(row, answer)))
        except UserError as error:
            raise UserError(f"{path}:{number}: {error}") from None
    if not pairs:
        raise UserError(f"{path} contains no questions")
    return pairs


def first_row(path: Path) -> dict[str, Any]:
    """The first row of such a file; nothing, if there is none."""
    row = next((row for _, row in _rows(path)), None)
    return cast("dict[str, Any]", row) if isinstance(row, dict) else {}


def _question(row: Any, column: str | None) -> str:
    value = _column(row, (column,) if column else QUESTIONS, "question")
    if isinstance(value, list) and value:  # messages
        last = cast("list[Any]", value)[-1]
        value = cast("dict[str, Any]", last).get("content") if isinstance(last, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise UserError("the question is not text")
    context = row.get("context")  # OlympiadBench: what several questions share
    return f"{context}\n{value}" if isinstance(context, str) and context.strip() else value


def _answer(row: Any, column: str | None) -> str:
    value = _column(row, (column,) if column else ANSWERS, "answer")
    if isinstance(value, str) and SOLVED in value:
        value = value.rpartition(SOLVED)[2].strip().replace(",", "")
    if isinstance(value, list):  # OlympiadBench: one text, in a list
        value = ", ".join(str(part) for part in cast("list[Any]", value))
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value):
        raise UserError("the answer is neither text nor a number")
    return str(value)


def _column(row: Any, names: Sequence[str], what: str) -> Any:
    if not isinstance(row, dict):
        raise UserError("not a record")
    columns = cast("dict[str, Any]", row)
    for name in names:
        if columns.get(name) is not None:
            return columns[name]
    raise UserError(f"there is no column for the {what} ({', '.join(names)})")


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    """The rows, with their line or their number in the list."""
    listed = None if path.suffix in (".jsonl", ".parquet") else _list(path)
    return numbered_rows(path) if listed is None else enumerate(listed, 1)


def _list(path: Path) -> list[Any] | None:
    """The list in a file that is one JSON list; None if it is not and may be JSON lines."""
    try:
        data = read_whole(path, RECORD)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    try:
        content = msgspec.json.decode(data)
    except DAMAGE as error:
        if path.suffix == ".json" or data.lstrip().startswith(b"["):
            raise UserError(f"{path} is not JSON: {error}") from None
        return None
    if isinstance(content, dict) and "examples" in content:  # BBEH: one file for each task
        content = cast("dict[str, Any]", content)["examples"]
    if isinstance(content, list):
        return cast("list[Any]", content)
    if path.suffix == ".json":
        raise UserError(f"{path} is not a list of questions")
    return None
