"""RLVE against RLVR: fresh problems whose difficulty adapts, or one fixed set again and again?

One model is trained on C256 in two ways. With RLVE every problem is new, and its difficulty adapts.
With RLVR the problems are a file, exported once from the same environments at difficulties from a
static range, and repeated every epoch; the same verifiers judge them. Both take the same number of
steps with the same number of rollouts, and are measured on problems of C256 that neither has seen,
and on environments that neither is trained on.

The paper's RLVR is DAPO on a large set of mathematics questions. This is a small version of it, in
which only the choice of problems differs.
"""

from rlve.studies.experiments import Study, TestConfig
from rlve.studies.settings import ADAPTIVE

STUDY = Study(
    name="rlve-vs-rlvr",
    title="RLVE against RLVR on a fixed set",
    trained_on=("C256",),
    settings=(ADAPTIVE, "fixed-0-4"),
    test=TestConfig(),
    fixed_problems=1280,
)
