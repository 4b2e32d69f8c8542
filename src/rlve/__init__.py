"""RLVE: reinforcement learning of language models with adaptive verifiable environments.

>>> import rlve
>>> problem = rlve.environment("Sorting").generate(difficulty=3, seed=42)
>>> problem.verify("The answer is \\\\boxed{1 2 3}.").reward
-0.5
"""

import rlve.environments  # noqa: F401  loaded first: the function of that name replaces the folder
from rlve.curriculum import AdaptiveCurriculum, Change, Curriculum, StaticCurriculum
from rlve.environment import Environment, Level, Problem, Verdict
from rlve.errors import GenerationError, UnknownEnvironment, Unparseable, UserError
from rlve.registry import environment, environments, families, register

__version__ = "0.1.0"

__all__ = [
    "AdaptiveCurriculum",
    "Change",
    "Curriculum",
    "Environment",
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
    "register",
]
