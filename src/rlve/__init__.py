"""RLVE: reinforcement learning of language models with adaptive verifiable environments.

>>> import rlve
>>> problem = rlve.environment("Sorting").generate(difficulty=3, seed=42)
>>> problem.verify("The answer is \\\\boxed{1 2 3}.").reward
-0.5
"""

from rlve.curriculum import AdaptiveCurriculum, Change, Curriculum, StaticCurriculum
from rlve.environment import Environment, Level, Problem, Verdict
from rlve.errors import GenerationError, UnknownEnvironment, Unparseable, UserError
from rlve.formats import Format, prompt_format
from rlve.registry import environment, environments, families, register

__version__ = "0.1.0"

__all__ = [
    "AdaptiveCurriculum",
    "Change",
    "Curriculum",
    "Environment",
    "Format",
    "GenerationError",
    "Level",
    "Problem",
    "StaticCurriculum",
    "UnknownEnvironment",
    "Unparseable",
    "UserError",
    "Verdict",
    "environment",
    "environments",
    "families",
    "prompt_format",
    "register",
]
