"""Teaching a model from references: what `rlve teach` does.

config.py     all settings
examples.py   problems with their references, as tokens, and the loss on the answers
run.py        the run: teach(config), or TeachingRun to take one step at a time
history.py    what a run stores
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlve.train.teaching.run import TeachingRun, teach

__all__ = ["TeachingRun", "teach"]


def __getattr__(name: str) -> Any:
    if name not in __all__:  # the run imports torch, which settings and pages do not need
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.run"), name)
