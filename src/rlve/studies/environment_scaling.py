"""Environment scaling (the paper's Figure 5): do more environments teach more about others?

One model is trained on one environment, on four, on sixteen and on 256: nested collections, each
with adaptive difficulty, for the same number of steps with the same number of rollouts. Accuracy is
compared on 50 environments that none of the runs is trained on. In the paper more environments make
better reasoners: C256 is ahead of C16, C16 of C4, C4 of C1.

The initial model should not have seen those 50 either, nor environments that only the larger
collections hold. A small model that must first be taught how to answer is therefore taught on the
94 environments that are in neither C256 nor HELD_OUT.
"""

from rlve.studies.experiments import Study, TestConfig
from rlve.studies.settings import ADAPTIVE

STUDY = Study(
    name="environment-scaling",
    title="Environment scaling",
    trained_on=("C1", "C4", "C16", "C256"),
    settings=(ADAPTIVE,),
    test=TestConfig(),
)
