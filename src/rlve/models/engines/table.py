"""The table of engines: everything that names, checks or reckons with an engine reads it.

Needs no torch, since settings read it.
"""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rlve.errors import UserError

HALF = 2  # bytes of a number in bfloat16


@dataclass(frozen=True, kw_only=True)
class EngineKind:
    """An engine, and what it needs."""

    meaning: str
    """For help texts."""
    target: str = ""
    """MODULE:CLASS of an `Engine`, whose `for_policy(policy, settings)` makes one."""
    library: str = ""
    """What it needs beside torch and transformers."""
    module: str = ""
    """The module of that library."""
    extra: str = ""
    """The extra of this package that installs it."""
    copy: int = 0
    """Bytes per parameter that a copy of the weights takes on the GPU, all the time."""
    share: float | None = None
    """The share of the GPU's memory that it takes if rollout.memory is not set; None takes what the
    update leaves."""
    sleeps: bool = False
    """Whether it can release its memory while the weights are updated."""

    def check(self, setting: str) -> None:
        """Raise a UserError if what it needs is not installed."""
        if self.module and find_spec(self.module) is None:
            raise UserError(f"{setting} needs {self.library}: pip install 'rlve[{self.extra}]'")

    def load(self) -> Any:
        """Its class."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)


ENGINES: dict[str, EngineKind] = {
    "auto": EngineKind(meaning="paged on a GPU, and in-process otherwise"),
    "in-process": EngineKind(
        meaning="transformers in this process, row by row, on the weights that are trained",
        target="rlve.models.engines.in_process:InProcessEngine",
    ),
    "paged": EngineKind(
        meaning="transformers with recorded steps, on a copy of the weights in half precision",
        target="rlve.models.engines.paged:PagedEngine",
        copy=HALF,
    ),
    "vllm": EngineKind(
        meaning="vLLM, in processes of its own",
        target="rlve.models.engines.vllm:VllmEngine",
        library="vLLM",
        module="vllm",
        extra="vllm",
        share=0.3,
        sleeps=True,
    ),
}
"""Those that settings can name."""


def engine_kind(name: str, *, on_gpu: bool) -> EngineKind:
    """The engine of that name on this kind of device."""
    if name == "auto":
        name = "paged" if on_gpu else "in-process"
    return ENGINES[name]
