"""Which environment and which difficulty come next: Algorithm 1 of the paper, and alternatives.

    AdaptiveCurriculum        Algorithm 1: up, one level at a time (algorithm_1.py)
    StaticCurriculum          a range that never moves
    TwoWayCurriculum          up and down, towards a target accuracy

Rehearsal and Weights can be layered on top of any of them. A curriculum has one owner, and
uses no threads or locks.
"""

from rlve.curricula.algorithm_1 import AdaptiveCurriculum
from rlve.curricula.layers import Layer
from rlve.curricula.protocol import Change, Curriculum
from rlve.curricula.rehearsal import Rehearsal
from rlve.curricula.settings import CURRICULA, CurriculumKind, CurriculumSettings
from rlve.curricula.static import StaticCurriculum
from rlve.curricula.two_way import TwoWayCurriculum
from rlve.curricula.weights import Weights

__all__ = [
    "CURRICULA",
    "AdaptiveCurriculum",
    "Change",
    "Curriculum",
    "CurriculumKind",
    "CurriculumSettings",
    "Layer",
    "Rehearsal",
    "StaticCurriculum",
    "TwoWayCurriculum",
    "Weights",
]
