"""The records a run of teaching stores, and how to read them, even during the run.

metrics.jsonl      a TeachingMetrics for each step
validation.jsonl   a ValidationRecord for each measurement of accuracy
examples.jsonl     a TaughtSample for some of the examples
"""

from pathlib import Path
from typing import Final

import msgspec

from rlve.foundation.files import read_lines, read_measured
from rlve.foundation.run_folders import EXAMPLES, METRICS, settings_in
from rlve.train.history import RunHistory, read_validations

PHASES: Final = ("examples", "update", "validation", "checkpoint", "other")


class TeachingMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """The metrics of one step (rlve.foundation.metrics)."""

    step: int
    examples: int
    prompt_tokens: int
    answer_tokens: int
    padding: float
    loss: float
    entropy: float
    grad_norm: float
    learning_rate: float
    left_out: dict[str, dict[str, int]]
    worked: int | None = None
    seconds: dict[str, float]

    @property
    def tokens(self) -> int:
        """The number of tokens that went through the model, without padding."""
        return self.prompt_tokens + self.answer_tokens


class TaughtSample(msgspec.Struct, frozen=True, kw_only=True):
    """A stored example: exactly what the model was shown, and should write."""

    step: int
    environment: str
    difficulty: int
    seed: int
    prompt: str
    answer: str


class TeachingHistory(RunHistory[TeachingMetrics, TaughtSample], frozen=True):
    """The contents of the folder of a run of teaching."""


def read_teaching_history(folder: Path) -> TeachingHistory:
    """Everything a run of teaching has recorded so far."""
    return TeachingHistory(
        folder,
        settings_in(folder, "teach"),
        read_teaching_steps(folder),
        read_lines(folder / EXAMPLES, TaughtSample),
        read_validations(folder),
    )


def read_teaching_steps(folder: Path) -> list[TeachingMetrics]:
    """The metrics of the steps so far."""
    return read_measured(folder / METRICS, TeachingMetrics)
