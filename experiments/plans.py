"""What a plan is: the arms of an experiment, their seeds and settings, and what is compared."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rlve.evaluate.benchmarks import BENCHMARKS


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run, and what is compared; settings are flags of the commands, without dashes."""

    question: str
    first: str
    """What is compared first, and what would answer the question."""
    settings: dict[str, Any]
    """Of `rlve train`, for all arms; {files} is the folder of the files."""
    arms: dict[str, dict[str, Any]]
    """In what the arms differ."""
    seeds: list[int]
    tests: dict[str, str]
    """Suites of `rlve eval`; `testset ...` and `dataset ...` make one with that command."""
    evaluation: dict[str, Any]
    """Settings of `rlve eval`."""
    baseline: str
    """The arm with which the others are compared."""
    tokens: int | None = None
    """Runs are also evaluated at the checkpoint nearest to so many sampled tokens."""
    pass_at: int | None = None
    """Evaluations are also compared by Pass@K."""
    minutes: float | None = None
    """Minutes that a run is reckoned to take on a GPU by itself, with its evaluations."""
    files: dict[str, str] = field(default_factory=dict[str, str])
    """Files to train on, and the commands that make them."""

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Each arm with each seed, in the order in which they are run."""
        return [(arm, seed) for seed in self.seeds for arm in self.arms]

    def __str__(self) -> str:
        runs = f"{len(self.pairs)} runs: {', '.join(self.arms)}; seeds {self.seeds}"
        if self.minutes is not None:
            runs += f"; about {self.minutes * len(self.pairs):.0f} minutes of one GPU in all"
        return f"{self.question}\nCompared first: {self.first}\n{runs}"


REASONER: dict[str, Any] = {
    "preset": "small",
    "policy.model": "Qwen/Qwen2.5-Coder-0.5B-Instruct",
    "rollout.problems": 16,
    "rollout.oversample": 24,
    "rollout.rounds": 1,
    "rollout.group": 16,
    "rollout.max-tokens": 1024,
    "rollout.slots": 384,
    "validation.temperatures": [0.6],
    "run.samples-every": 20,
}
"""A model that reasons before it answers, alone on one GPU: a step takes one to three seconds."""

TINY: dict[str, Any] = {
    "preset": "nano",
    "policy.model": "nano",
    "policy.format": "plain",
    "rollout.problems": 2,
    "rollout.oversample": 2,
    "rollout.group": 2,
    "rollout.max-tokens": 16,
    "validation.every": 0,
    "run.steps": 2,
    "run.checkpoint-every": 1,
    "run.workers": 1,
}


def makes(words: str) -> bool:
    """Whether these words of a plan make a test set; otherwise they name a suite."""
    return words.startswith(("testset ", "dataset "))


def tiny(plan: Plan) -> Plan:
    """The same with the policy that ships with the package, two steps and few test problems."""
    return replace(
        plan,
        settings=plan.settings | TINY,
        seeds=plan.seeds[:2],
        tests={name: tiny_test(words) for name, words in plan.tests.items()},
        files={name: re.sub(r"-n \d+", "-n 5", words) for name, words in plan.files.items()},
        evaluation=plan.evaluation | {"samples": plan.pass_at or 1, "max-tokens": 16},
        tokens=plan.tokens and 100,
        minutes=None,
    )


def tiny_test(words: str) -> str:
    """A smaller test: benchmarks keep their names, and a file that is not there becomes a set."""
    if makes(words):
        return re.sub(r"-n \d+", "-n 5", words)
    return words if words in BENCHMARKS else "testset held-out -n 1"


def override(plan: Plan, words: Iterable[str]) -> Plan:
    """The plan with other settings: KEY=VALUE, where the value is JSON or a text.

    seeds, tokens, pass_at and tests.NAME are of the plan, evaluation.NAME of `rlve eval`, and
    others of `rlve train`. null takes a setting out.
    """
    for word in words:
        key, _, text = word.partition("=")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        part, _, name = key.partition(".")
        if key in ("seeds", "tokens", "pass_at"):
            plan = replace(plan, **{key: value})
            continue
        part, name = (part, name) if part in ("tests", "evaluation") else ("settings", key)
        changed = getattr(plan, part) | {name: value}
        plan = replace(plan, **{part: {k: v for k, v in changed.items() if v is not None}})
    return plan


def as_flags(settings: Mapping[str, Any]) -> list[str]:
    """Settings as flags: lists have several words, and true and false are flags of their own."""
    words: list[str] = []
    for name, value in settings.items():
        section, _, last = name.rpartition(".")
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--{section}.no-{last}")
        else:
            values = [value] if isinstance(value, str | int | float) else value
            words += [f"--{name}", *map(str, values)]
    return words
