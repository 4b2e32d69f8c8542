"""Which difficulty comes next: Algorithm 1 of the paper, and what it is compared with.

A curriculum is fed and read by one owner; it starts no threads and takes no locks.
"""

from rlve.curricula.algorithm_1 import AdaptiveCurriculum
from rlve.curricula.protocol import Change, Curriculum
from rlve.curricula.settings import CurriculumSettings
from rlve.curricula.static import StaticCurriculum

__all__ = ["AdaptiveCurriculum", "Change", "Curriculum", "CurriculumSettings", "StaticCurriculum"]
