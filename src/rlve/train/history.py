"""Reading what a run has written down, also while it goes on."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from rlve.errors import UserError
from rlve.files import read_lines

PHASES: tuple[str, ...] = ("rollouts", "update", "checkpoint", "other")


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The metrics of one step; None is what could not be measured in it."""

    step: int
    reward: float | None = None
    accuracy: float | None = None
    accuracy_at_high: float | None = None
    effective_prompt_ratio: float | None = None
    response_tokens: float | None = None
    tokens: int = 0
    prompts: int = 0
    bounds: dict[str, tuple[int, int]] = {}
    """The range (l, h) of each environment after the step."""
    accuracy_at_high_of: dict[str, float] = {}
    """By environment, for those that had a problem at h."""
    raised: dict[str, int] = {}
    """The new h of the environments whose h rose at the end of the step."""
    seconds: dict[str, float] = {}
    """By phase; "in all" is the time from the start of the run to the end of the step."""


class Answer(msgspec.Struct, frozen=True):
    """An output of the policy that was written down, with its verdict."""

    text: str
    verdict: dict[str, Any]


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A problem that was written down, with the best and the worst output for it."""

    step: int
    environment: str
    difficulty: int
    prompt: str
    reference: str | None
    rewards: list[float]
    best: Answer
    worst: Answer


class History(msgspec.Struct, frozen=True):
    """What the folder of a run holds."""

    folder: Path
    config: dict[str, dict[str, Any]]
    steps: list[Step]
    samples: list[Sample]

    @property
    def environments(self) -> list[str]:
        """The environments that have levels of difficulty: none in a run on a dataset."""
        on_dataset = self.config.get("data", {}).get("dataset") is not None
        return [] if on_dataset or not self.steps else list(self.steps[-1].bounds)

    @property
    def adaptive(self) -> bool:
        """Whether the difficulties adapt to the policy."""
        return bool(self.environments) and self.config.get("data", {}).get("static") is None


def read_history(folder: Path) -> History:
    """All that a run has recorded so far."""
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except FileNotFoundError:
        raise UserError(f"{folder} is not the folder of a run: it has no config.json") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{folder / 'config.json'} is damaged: {error}") from error
    samples = read_lines(folder / "rollouts.jsonl", Sample)
    return History(folder, config, read_lines(folder / "metrics.jsonl", Step), samples)


def read_steps(folder: Path) -> list[Step]:
    """The metrics of the steps so far."""
    return read_lines(folder / "metrics.jsonl", Step)


def step_seconds(steps: list[Step]) -> list[float]:
    """How long each step took."""
    ends = [step.seconds.get("in all", 0.0) for step in steps]
    return [end - begin for begin, end in zip([0.0, *ends], ends, strict=False)]


def phases(steps: Sequence[Step]) -> dict[str, list[float]]:
    """The seconds of every step by phase, "other" being what no phase accounts for."""
    found: dict[str, list[float]] = {phase: [] for phase in PHASES}
    for step, whole in zip(steps, step_seconds(list(steps)), strict=True):
        for phase in PHASES[:-1]:
            found[phase].append(step.seconds.get(phase, 0.0))
        known = sum(values[-1] for phase, values in found.items() if phase != "other")
        found["other"].append(max(0.0, whole - known))
    return found
