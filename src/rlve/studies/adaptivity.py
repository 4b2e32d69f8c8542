"""Adaptive against static difficulty (the paper's Figures 3 and 4): what is lost if nothing adapts?

One model is trained with difficulties that adapt to it, and with ranges that never move: [0, 1],
[0, 20] and [0, 100]; on single environments and on a collection. Accuracy is measured at
difficulties 0 to 19 on the environments trained on, and on environments that no run is trained on.
In the paper a range that is too easy stops teaching, one that is too hard wastes most of its
prompts, and adaptive difficulty beats both.

Runs are compared after equal steps and after equal tokens, since hard problems have long answers.
"""

from rlve.studies.experiments import Study, TestConfig
from rlve.studies.settings import ADAPTIVE

STUDY = Study(
    name="adaptivity",
    title="Adaptive against static difficulty",
    trained_on=("Sorting", "SpiralMatrix", "C16"),
    settings=(ADAPTIVE, "static-0-1", "static-0-20", "static-0-100"),
    test=TestConfig(levels=20, held_out_problems=2000),
)
