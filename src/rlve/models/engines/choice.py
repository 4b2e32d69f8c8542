"""Making the engine that samples from a policy."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Final

from rlve.models.engines import Engine
from rlve.models.engines.table import engine_kind
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout
from rlve.models.stop_strings import stop_strings
from rlve.registry import environment

EXAMPLES: Final = {"Sorting": 3, "Multiplication": 2, "ShortestPath": 1, "LampChanging": 0}
"""Environments and difficulties of the prompts on which an engine's copy is tried out."""


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """How to sample; an engine takes from it what it can use.

    slots           rollouts to sample at the same time, by default what suits the device
    numbers, seeds  give each rollout random numbers of its own, in engines of this process
    memory          the share of the GPU's memory to take; by default that of the engine's kind
    reserve         bytes of the GPU's memory that the update will need beside what it holds now
    """

    max_tokens: int
    slots: int | None = None
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0
    context: int | None = None
    group: int = 16
    memory: float | None = None
    reserve: int = 0
    sleep: bool = True
    computing: AbstractContextManager[Any] | None = None
    numbers: Callable[[Sequence[Rollout]], Sequence[float]] | None = None
    seeds: Callable[[Rollout], int] | None = None

    @property
    def common(self) -> dict[str, Any]:
        """What every engine takes, by name."""
        names = ("max_tokens", "slots", "temperature", "top_p", "seed", "context")
        return {name: getattr(self, name) for name in names}

    def own(self, policy: Policy) -> dict[str, Any]:
        """What engines of this process take."""
        return {
            **self.common,
            "stop_tokens": policy.stop_tokens,
            "stop_strings": stop_strings(policy.tokenizer, policy.stop_strings),
        }


def make_engine(policy: Policy, *, name: str = "auto", **settings: Any) -> Engine:
    """The engine of that name, for this policy; `settings` are those of EngineSettings."""
    on_gpu = next(policy.model.parameters()).device.type == "cuda"
    kind = engine_kind(name, on_gpu=on_gpu)
    kind.check(f"the engine {name}")
    chosen = EngineSettings(**settings)
    if chosen.slots is None:
        usual = 64 if not on_gpu else 1024 if chosen.max_tokens <= 1024 else 512
        chosen = replace(chosen, slots=usual)
    if chosen.memory is None:
        chosen = replace(chosen, memory=kind.share)
    return kind.load().for_policy(policy, chosen)


def examples(policy: Policy) -> list[list[int]]:
    """Prompts on which to compare an engine's copy with the policy."""
    return [
        policy.encode(environment(name).generate(difficulty=difficulty, seed=0))
        for name, difficulty in EXAMPLES.items()
    ]
