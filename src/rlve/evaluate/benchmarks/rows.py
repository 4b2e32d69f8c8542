"""Benchmarks whose questions have one answer each, from a file or downloaded."""

from pathlib import Path

from rlve.datasets.questions import read_pairs
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.benchmarks.hub import download, provenance
from rlve.evaluate.benchmarks.table import Benchmark
from rlve.evaluate.questions import Suite
from rlve.registry import DATA


def load(benchmark: Benchmark, path: Path | None, *, revision: str | None = None) -> Suite:
    """The suite of a benchmark whose questions have one answer each."""
    notes: list[str] = []
    paths = [path] if path is not None else []
    for hub in benchmark.hub if path is None else ():
        paths += download(
            hub.dataset,
            [f"{hub.config}/{hub.split}/0000.parquet"],  # the hub's own Parquet version
            revision=revision or "refs/convert/parquet",
            title=benchmark.title,
            advice=_advice(benchmark),
        )
        notes += provenance(hub.dataset, paths[-1:])
    if not paths:
        raise UserError(f"{benchmark.title} must be given as a file. {_advice(benchmark)}")
    if path is not None and not path.exists():
        raise UserError(f"there is no file {path}. {_advice(benchmark)}")
    pairs = [pair for path in paths for pair in read_pairs(path)]
    questions = [
        question_row(f"{benchmark.name}/{number:04d}", benchmark.judge, *pair)
        for number, pair in enumerate(pairs, 1)
    ]
    if benchmark.size not in (None, len(questions)):
        notes.append(
            f"{len(questions):,} questions; {benchmark.title} usually has {benchmark.size:,}, so "
            "results are not comparable with others"
        )
    return benchmark.suite(questions, notes)


def question_row(id: str, judge: str, question: str, answer: str) -> ProblemRow:  # noqa: A002
    """A question with one answer, which an environment without a generator judges."""
    return ProblemRow(
        id=id,
        environment=judge,
        parameters={"question": question, "ground_truth": answer},
        answer=answer,
        data_source=id.partition("/")[0],
        family=DATA,
    )


def _advice(benchmark: Benchmark) -> str:
    return (
        f"Get it from {benchmark.where}; then give the file as {benchmark.name}:FILE "
        "(JSON, JSONL or Parquet)"
    )
