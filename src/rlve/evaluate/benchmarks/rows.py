"""Benchmarks as people publish them: rows with a question and an answer, under various names."""

# pyarrow and huggingface_hub leave their types unknown, and need not be there.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportMissingImports=false

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from rlve.errors import UserError
from rlve.evaluate.benchmarks import Benchmark, Hub
from rlve.evaluate.suite import Question, Suite

QUESTIONS = ("user_prompt", "prompt", "question", "problem", "Question", "Problem", "input")
ANSWERS = ("ground_truth", "answer", "final_answer", "Answer", "target", "label")


def load(benchmark: Benchmark, path: Path | None) -> Suite:
    """The suite of a benchmark whose questions have one answer each."""
    paths = [_downloaded(benchmark, hub) for hub in benchmark.hub] if path is None else [path]
    if not paths:
        raise UserError(f"{benchmark.title} has to be given as a file. {_advice(benchmark)}")
    pairs = [pair for path in paths for pair in read(path, benchmark)]
    questions = [
        Question(
            id=f"{benchmark.name}/{number:04d}",
            environment=benchmark.judge,
            parameters={"question": question, "ground_truth": answer},
            answer=answer,
            data_source=benchmark.name,
            family="data",
        )
        for number, (question, answer) in enumerate(pairs, 1)
    ]
    notes: tuple[str, ...] = ()
    if benchmark.size not in (None, len(questions)):
        notes = (f"{len(questions):,} questions; the paper's {benchmark.title} has "
                 f"{benchmark.size:,}, so that results are not comparable with it",)  # fmt: skip
    return Suite(
        benchmark.name,
        questions,
        samples=benchmark.samples,
        metric=benchmark.metric,
        k=benchmark.k,
        notes=notes,
    )


def read(path: Path, benchmark: Benchmark) -> list[tuple[str, str]]:
    """The questions and answers of a file; a row that has none is an error that names it."""
    if not path.exists():
        raise UserError(f"there is no file {path}. {_advice(benchmark)}")
    pairs: list[tuple[str, str]] = []
    for number, row in _rows(path):
        try:
            pairs.append((_question(row), _answer(row)))
        except UserError as error:
            raise UserError(f"{path}:{number}: {error}") from None
    if not pairs:
        raise UserError(f"{path} holds no questions")
    return pairs


def _advice(benchmark: Benchmark) -> str:
    return (
        f"Get it from {benchmark.where}; then name the file: {benchmark.name}:FILE "
        "(JSON, JSONL or Parquet)"
    )


def _question(row: Any) -> str:
    value = _column(row, QUESTIONS, "question")
    if isinstance(value, list) and value:  # messages
        last = cast("list[Any]", value)[-1]
        value = cast("dict[str, Any]", last).get("content") if isinstance(last, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise UserError("the question is not a text")
    context = row.get("context")  # OlympiadBench: what several questions share
    return f"{context}\n{value}" if isinstance(context, str) and context.strip() else value


def _answer(row: Any) -> str:
    value = _column(row, ANSWERS, "answer")
    if isinstance(value, list):  # OlympiadBench: one text, in a list
        value = ", ".join(str(part) for part in cast("list[Any]", value))
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value):
        raise UserError("the answer is not a text or a number")
    return str(value)


def _column(row: Any, names: Sequence[str], what: str) -> Any:
    if not isinstance(row, dict):
        raise UserError("not a record")
    for name in names:
        if cast("dict[str, Any]", row).get(name) is not None:
            return row[name]
    raise UserError(f"no column is the {what} ({', '.join(names)})")


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Row by row, with the line or the place in the list."""
    if path.suffix == ".parquet":
        yield from enumerate(_parquet_rows(path), 1)
        return
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    if path.suffix != ".jsonl":
        try:
            found = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if path.suffix == ".json" or data.lstrip().startswith(b"["):
                raise UserError(f"{path} is not JSON: {error}") from None
        else:
            if isinstance(found, dict) and "examples" in found:  # BBEH: one file for each task
                found = cast("dict[str, Any]", found)["examples"]
            if isinstance(found, list):
                yield from enumerate(cast("list[Any]", found), 1)
                return
            if path.suffix == ".json":
                raise UserError(f"{path} is not a list of questions")
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                yield number, msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise UserError(f"{path}:{number}: not JSON: {error}") from None


def _parquet_rows(path: Path) -> list[Any]:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import read_table
    except ImportError:
        raise UserError(f"reading {path} needs pyarrow: pip install 'rlve[parquet]'") from None
    try:
        return cast("list[Any]", read_table(path).to_pylist())
    except (ArrowInvalid, OSError) as error:
        raise UserError(f"{path} is not a Parquet file: {error}") from None


def _downloaded(benchmark: Benchmark, hub: Hub) -> Path:
    """The hub's own Parquet version of a data set; all of ours are small enough to be one file."""
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise UserError(
            f"downloading {benchmark.title} needs huggingface_hub, which is not installed. "
            f"{_advice(benchmark)}"
        ) from None
    try:
        return Path(
            hf_hub_download(
                repo_id=hub.dataset,
                filename=f"{hub.config}/{hub.split}/0000.parquet",
                repo_type="dataset",
                revision="refs/convert/parquet",
            )
        )
    except (OSError, HfHubHTTPError, LocalEntryNotFoundError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(
            f"{hub.dataset} cannot be downloaded ({reason}). {_advice(benchmark)}"
        ) from None
