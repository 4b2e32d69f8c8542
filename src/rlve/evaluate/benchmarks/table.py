"""Benchmarks, the paper's and two more: what is measured on each, and where its questions are."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rlve.datasets.rows import ProblemRow
from rlve.evaluate.questions import Metric, Suite


@dataclass(frozen=True)
class Hub:
    """Where the Hugging Face hub should have a data set, as one Parquet file."""

    dataset: str
    config: str = "default"
    split: str = "train"


@dataclass(frozen=True)
class Benchmark:
    """What is measured on a benchmark, and where its questions are."""

    name: str
    title: str
    samples: int  # per question
    metric: Metric
    k: int  # Avg@k or Pass@k
    judge: str  # the environment that verifies the answers
    size: int | None  # questions in the usual evaluation, if there is one right number
    where: str  # where to get it
    hub: tuple[Hub, ...] = ()  # empty: a file is needed

    def suite(self, questions: list[ProblemRow], notes: Iterable[str], **options: Any) -> Suite:
        """Its questions, and how it is reported."""
        reported: Any = {"samples": self.samples, "metric": self.metric, "k": self.k}
        return Suite(self.name, questions, notes=tuple(dict.fromkeys(notes)), **reported, **options)


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
            Benchmark(
                "gsm8k", "GSM8K", 1, "avg", 1, "MathQuestion", 1_319,
                "its authors (test.jsonl, with a solution and #### before each answer), or "
                "openai/gsm8k on the Hugging Face hub",
                (Hub("openai/gsm8k", "main", "test"),),
            ),
            Benchmark(
                "math-500", "MATH-500", 4, "avg", 4, "MathQuestion", 500,
                "HuggingFaceH4/MATH-500 on the Hugging Face hub (test.jsonl)",
                (Hub("HuggingFaceH4/MATH-500", split="test"),),
            ),
        )
    }
)  # fmt: skip
"""The benchmarks by name. The names on the hub have not been tried."""
