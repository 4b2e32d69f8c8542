"""RLVE: reinforcement learning of language models with adaptive verifiable environments.

>>> import rlve
>>> problem = rlve.environment("Sorting").generate(difficulty=3, seed=42)
>>> problem.verify("The answer is \\\\boxed{1 2 3}.").reward
-0.5

The names below are the public API. Each one is imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlve.attempts import tries
    from rlve.contract import Environment, Explanation, Level, Problem, Verdict
    from rlve.curricula import (
        AdaptiveCurriculum,
        Change,
        Curriculum,
        CurriculumSettings,
        StaticCurriculum,
    )
    from rlve.dialogue import Dialogue, Reply
    from rlve.errors import GenerationError, UnknownEnvironment, Unparseable, UserError
    from rlve.formats import Format, prompt_format
    from rlve.gym import Gym
    from rlve.pool import Failure, Pool
    from rlve.registry import dialogues, environment, environments, families, register
    from rlve.rules import check
    from rlve.stream import Stream

__version__ = "0.2.0"

__all__ = [
    "AdaptiveCurriculum",
    "Change",
    "Curriculum",
    "CurriculumSettings",
    "Dialogue",
    "Environment",
    "Explanation",
    "Failure",
    "Format",
    "GenerationError",
    "Gym",
    "Level",
    "Pool",
    "Problem",
    "Reply",
    "StaticCurriculum",
    "Stream",
    "UnknownEnvironment",
    "Unparseable",
    "UserError",
    "Verdict",
    "check",
    "dialogues",
    "environment",
    "environments",
    "families",
    "prompt_format",
    "register",
    "tries",
]

_MODULES = {
    "contract": ("Environment", "Explanation", "Level", "Problem", "Verdict"),
    "curricula": (
        "AdaptiveCurriculum",
        "Change",
        "Curriculum",
        "CurriculumSettings",
        "StaticCurriculum",
    ),
    "dialogue": ("Dialogue", "Reply"),
    "errors": ("GenerationError", "UnknownEnvironment", "Unparseable", "UserError"),
    "formats": ("Format", "prompt_format"),
    "gym": ("Gym",),
    "pool": ("Failure", "Pool"),
    "registry": ("dialogues", "environment", "environments", "families", "register"),
    "rules": ("check",),
    "stream": ("Stream",),
    "attempts": ("tries",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'rlve' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"rlve.{_MODULE_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
