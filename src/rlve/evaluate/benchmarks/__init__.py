"""The paper's benchmarks and two more, each with its number of samples and its metric.

load("aime-2024", Path("aime_2024.json"))   from your own file
load("aime-2024")                           from the Hugging Face hub, which needs a network
load("aime-2024", revision="0123abc...")    the same, at that commit
"""

from pathlib import Path

from rlve.errors import UserError
from rlve.evaluate.benchmarks import livecodebench, rows
from rlve.evaluate.benchmarks.table import BENCHMARKS
from rlve.evaluate.questions import Suite

__all__ = ["BENCHMARKS", "load"]


def load(name: str, path: Path | None = None, *, revision: str | None = None) -> Suite:
    """The questions of a benchmark, from your own file or from the Hugging Face hub.

    Args:
        name: one of BENCHMARKS.
        path: JSON, JSONL or Parquet, with a column for the question (user_prompt, problem, ...)
            and one for the answer (ground_truth, answer, ...); for LiveCodeBench its own files.
            None loads it from the hub.
        revision: a commit of the data set on the hub, which may change; the notes of the suite say
            which one was used.
    """
    if name not in BENCHMARKS:
        raise UserError(
            f"no benchmark is named {name!r}; the benchmarks are {', '.join(BENCHMARKS)}"
        )
    benchmark = BENCHMARKS[name]
    if benchmark.judge == "CodeProblem":
        return livecodebench.load(path, revision=revision)
    return rows.load(benchmark, path, revision=revision)
