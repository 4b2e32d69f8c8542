"""Does RLVE help on environments that a model was never trained on?

One model is trained on C256 and measured on HELD_OUT, 50 environments that are in no training
collection. Much of what a model learns first is the form: to end in time, and to mark an answer
that can be read. So there is a control: the same model, problems and steps, rewarded for a readable
answer alone. What RLVE gains beyond the control is learning to solve.
"""

from rlve.studies.experiments import Study, TestConfig
from rlve.studies.settings import ADAPTIVE, FORM

STUDY = Study(
    name="generalisation",
    title="RLVE on environments never trained on",
    trained_on=("C256",),
    settings=(ADAPTIVE, ADAPTIVE + FORM),
    test=TestConfig(held_out_problems=2000, every=50),
    seeds=3,
)
