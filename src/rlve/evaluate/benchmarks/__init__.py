"""The paper's benchmarks, each with its number of samples and its metric.

load("aime-2024", Path("aime_2024.json"))   from your own file
load("aime-2024")                           from the Hugging Face hub, which needs a network
load("aime-2024", revision="0123abc...")    the same, at that commit
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from rlve.errors import UserError
from rlve.evaluate.suite import Metric, Suite


@dataclass(frozen=True)
class Hub:
    """Where the Hugging Face hub should have a data set, as one Parquet file."""

    dataset: str
    config: str = "default"
    split: str = "train"


@dataclass(frozen=True)
class Benchmark:
    """What the paper measures on a benchmark, and where its questions are."""

    name: str
    title: str
    samples: int  # per question
    metric: Metric
    k: int  # Avg@k or Pass@k
    judge: str  # the environment that verifies the answers
    size: int | None  # questions in the paper's evaluation, if there is one right number
    where: str  # where to get it
    hub: tuple[Hub, ...] = ()  # empty: a file is needed


_FILE = "the evaluation data that the authors of RLVE publish (a list of user_prompt, ground_truth)"

BENCHMARKS = MappingProxyType(
    {
        benchmark.name: benchmark
        for benchmark in (
            Benchmark(
                "aime-2024", "AIME 2024", 64, "avg", 64, "MathQuestion", 30,
                f"{_FILE}, or HuggingFaceH4/aime_2024 on the Hugging Face hub",
                (Hub("HuggingFaceH4/aime_2024"),),
            ),
            Benchmark(
                "aime-2025", "AIME 2025", 64, "avg", 64, "MathQuestion", 30,
                f"{_FILE}, or opencompass/AIME2025 on the Hugging Face hub",
                (
                    Hub("opencompass/AIME2025", "AIME2025-I", "test"),
                    Hub("opencompass/AIME2025", "AIME2025-II", "test"),
                ),
            ),
            Benchmark(
                "omega-500", "OMEGA-500", 4, "avg", 4, "MathQuestion", 500,
                f"{_FILE}; the hub has all of OMEGA (allenai/omega-explorative, "
                "omega-compositional, omega-transformative), but not this set of 500 questions",
            ),
            Benchmark(
                "olympiad-bench", "OlympiadBench", 4, "avg", 4, "MathQuestion", 675,
                f"{_FILE}, or Hothan/OlympiadBench (OE_TO_maths_en_COMP) on the Hugging Face hub",
                (Hub("Hothan/OlympiadBench", "OE_TO_maths_en_COMP"),),
            ),
            Benchmark(
                "bbeh", "BIG-Bench Extra Hard", 4, "avg", 4, "BBEHQuestion", 368,
                f"{_FILE}, or BBEH/bbeh on the Hugging Face hub, which has all 4,520 questions",
                (Hub("BBEH/bbeh"),),
            ),
            Benchmark(
                "livecodebench-v6", "LiveCodeBench v6", 16, "pass", 8, "CodeProblem", None,
                "livecodebench/code_generation_lite on the Hugging Face hub",
                (Hub("livecodebench/code_generation_lite"),),
            ),
        )
    }
)  # fmt: skip
"""The benchmarks by name. The names on the hub have not been tried."""


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
        from rlve.evaluate.benchmarks import livecodebench

        return livecodebench.load(path, revision=revision)
    from rlve.evaluate.benchmarks import rows

    return rows.load(benchmark, path, revision=revision)


def provenance(dataset: str, paths: Iterable[Path]) -> list[str]:
    """The commit of a data set's files, which the hub's cache keeps in snapshots/COMMIT."""
    commits = {
        parts[parts.index("snapshots") + 1]
        for path in paths
        if "snapshots" in (parts := path.parts[:-1])
    }
    return [
        f"from {dataset} on the Hugging Face hub, revision {commit}" for commit in sorted(commits)
    ]
