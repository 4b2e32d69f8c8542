"""Choosing the engine that samples from a policy."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from rlve.models.config import EngineName
from rlve.models.engines import Engine
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout
from rlve.models.stop_strings import stop_strings
from rlve.registry import environment

EXAMPLES: Final = {"Sorting": 3, "Multiplication": 2, "ShortestPath": 1, "LampChanging": 0}
"""Environments and difficulties of the prompts on which an engine's copy is tried out."""


def make_engine(
    policy: Policy,
    *,
    name: EngineName = "auto",
    max_tokens: int,
    slots: int,
    temperature: float = 1.0,
    top_p: float = 1.0,
    seed: int = 0,
    context: int | None = None,
    group: int = 16,
    memory: float = 0.3,
    sleep: bool = True,
    computing: Any = None,
    numbers: Callable[[Sequence[Rollout]], Sequence[float]] | None = None,
    seeds: Callable[[Rollout], int] | None = None,
) -> Engine:
    """The engine of that name, for this policy.

    numbers, seeds  give each rollout random numbers of its own, in engines of this process
    """
    shared: dict[str, Any] = {
        "max_tokens": max_tokens,
        "slots": slots,
        "temperature": temperature,
        "top_p": top_p,
        "seed": seed,
        "context": context,
    }
    if name == "vllm":
        from rlve.models.engines.vllm import VllmEngine

        return VllmEngine(policy, **shared, memory=memory, sleep=sleep, probe=_examples(policy)[0])
    shared |= {
        "stop_tokens": policy.stop_tokens,
        "stop_strings": stop_strings(policy.tokenizer, policy.stop_strings),
    }
    on_gpu = next(policy.model.parameters()).device.type == "cuda"
    if name == "paged" or (name == "auto" and on_gpu):
        from rlve.models.engines.paged import PagedEngine

        shared |= {"group": group, "memory": memory, "examples": _examples(policy)}
        return PagedEngine(policy.model, **shared, seeds=seeds)
    return InProcessEngine(policy.model, **shared, numbers=numbers, computing=computing)


def _examples(policy: Policy) -> list[list[int]]:
    return [
        policy.encode(environment(name).generate(difficulty=difficulty, seed=0))
        for name, difficulty in EXAMPLES.items()
    ]
