"""Curricula compared: is there a better way to choose difficulties than Algorithm 1?

One model is trained on the same environments with each curriculum: Algorithm 1 alone, Algorithm 1
with a fifth of its draws rehearsing levels it left behind, two-way control, learnability, a bandit,
and a static range that spans the levels at which accuracy is measured. The window is four levels,
as in the paper, so that Algorithm 1 does leave levels behind.

Accuracy is measured on test problems of fixed levels, so that both gains at the top and losses at
the bottom count; after equal steps, and after equal tokens.
"""

from rlve.studies.experiments import Study, TestConfig
from rlve.studies.settings import ADAPTIVE

STUDY = Study(
    name="curricula",
    title="Curricula compared",
    trained_on=("Sorting+MinimalCyclicShift+ABProgramSimulation",),  # nano was taught these
    settings=(
        ADAPTIVE,
        "adaptive+rehearsal-20",
        "two-way",
        "learnability",
        "bandit",
        "static-0-7",
    ),
    test=TestConfig(problems=1920, levels=8, held_out=0, every=20),
    seeds=3,
    window=4,
)
