"""What our own engines, which sample in this process, have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from rlve.models.stop_strings import StopStrings


@dataclass(eq=False, kw_only=True)
class LocalEngine:
    """The settings of an engine, and its random numbers."""

    stop_tokens: Sequence[int]  # that end an output
    stop_strings: StopStrings | None = None  # that also end it
    max_tokens: int  # the response limit
    slots: int = 256  # rollouts to sample at the same time
    temperature: float = 1.0  # 0 takes the most likely token
    top_p: float = 1.0  # sample from the smallest set of most likely tokens with this probability
    seed: int = 0
    context: int | None = None  # the longest prompt and output together
    generator: torch.Generator = field(init=False)

    def reseed(self, seed: int) -> None:
        self.generator.manual_seed(seed)

    def state_dict(self) -> dict[str, Any]:
        return {"generator": self.generator.get_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.generator.set_state(state["generator"])
