"""The experiments that can be run by name: those of the paper, and others like them."""

import difflib

from rlve.errors import UserError
from rlve.studies.experiments import Study, TestConfig
from rlve.studies.settings import ADAPTIVE, FORM

# Does RLVE help on environments that a model was never trained on? One model is trained on C256 and
# measured on HELD_OUT, 50 environments that are in no training collection. Much of what a model
# learns first is the form: to end in time, and to mark an answer that can be read. So there is a
# control: the same model, problems and steps, rewarded for a readable answer alone. What RLVE gains
# beyond the control is learning to solve.
GENERALISATION = Study(
    name="generalisation",
    title="RLVE on environments never trained on",
    trained_on=("C256",),
    settings=(ADAPTIVE, ADAPTIVE + FORM),
    test=TestConfig(held_out_problems=2000, every=50),
    seeds=3,
)

# The paper's Figure 5: do more environments teach more about others? One model is trained on one
# environment, on four, on sixteen and on 256: nested collections, each with adaptive difficulty,
# for the same number of steps with the same number of rollouts. Accuracy is compared on 50
# environments that none of the runs is trained on. In the paper more environments make better
# reasoners: C256 is ahead of C16, C16 of C4, C4 of C1.
#
# The initial model should not have seen those 50 either, nor environments that only the larger
# collections hold. A small model that must first be taught how to answer is therefore taught on the
# 94 environments that are in neither C256 nor HELD_OUT.
ENVIRONMENT_SCALING = Study(
    name="environment-scaling",
    title="Environment scaling",
    trained_on=("C1", "C4", "C16", "C256"),
    settings=(ADAPTIVE,),
    test=TestConfig(),
)

# The paper's Figures 3 and 4: what is lost if nothing adapts? One model is trained with
# difficulties that adapt to it, and with ranges that never move; on single environments and on a
# collection. Accuracy is measured at difficulties 0 to 19 on the environments trained on, and on
# environments that no run is trained on. In the paper a range that is too easy stops teaching, one
# that is too hard wastes most of its prompts, and adaptive difficulty beats both.
#
# Runs are compared after equal steps and after equal tokens, since hard problems have long answers.
ADAPTIVITY = Study(
    name="adaptivity",
    title="Adaptive against static difficulty",
    trained_on=("Sorting", "SpiralMatrix", "C16"),
    settings=(ADAPTIVE, "static-0-1", "static-0-20", "static-0-100"),
    test=TestConfig(levels=20, held_out_problems=2000),
)

# Fresh problems whose difficulty adapts, or one fixed set again and again? With RLVE every problem
# is new. With RLVR the problems are a file, exported once from the same environments at
# difficulties from a static range, and repeated every epoch; the same verifiers judge them. Both
# take the same number of steps with the same number of rollouts, and are measured on problems of
# C256 that neither has seen, and on environments that neither is trained on.
#
# The paper's RLVR is DAPO on a large set of mathematics questions. This is a small version of it,
# in which only the choice of problems differs.
RLVE_VS_RLVR = Study(
    name="rlve-vs-rlvr",
    title="RLVE against RLVR on a fixed set",
    trained_on=("C256",),
    settings=(ADAPTIVE, "fixed-0-4"),
    test=TestConfig(),
    fixed_problems=1280,
)

# Is there a better way to choose difficulties than Algorithm 1? One model is trained on the same
# environments with each curriculum; the static range spans the levels at which accuracy is
# measured. The window is four levels, as in the paper, so that Algorithm 1 does leave levels
# behind. Accuracy is measured on test problems of fixed levels, so that both gains at the top and
# losses at the bottom count; after equal steps, and after equal tokens.
CURRICULA = Study(
    name="curricula",
    title="Curricula compared",
    trained_on=("Sorting+MinimalCyclicShift+ABProgramSimulation",),  # nano was taught these
    settings=(
        *(ADAPTIVE, "adaptive+rehearsal-20"),
        *("two-way", "learnability", "bandit", "static-0-7"),
    ),
    test=TestConfig(problems=1920, levels=8, held_out=0, every=20),
    seeds=3,
    window=4,
)

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (GENERALISATION, ENVIRONMENT_SCALING, ADAPTIVITY, RLVE_VS_RLVR, CURRICULA)
}


def find_study(name: str | None) -> Study:
    """The experiment of that name."""
    if name in STUDIES:
        return STUDIES[name]
    near = difflib.get_close_matches(name or "", STUDIES, n=1)
    if near:
        raise UserError(f"no experiment is named {name!r}; did you mean {near[0]!r}?")
    *names, last = STUDIES
    wrong = "name the experiment to run" if name is None else f"no experiment is named {name!r}"
    raise UserError(f"{wrong}; the experiments are {', '.join(names)} and {last}")
