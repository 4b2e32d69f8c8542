"""The experiments that can be run by name."""

import difflib

from rlve.errors import UserError
from rlve.studies import adaptivity, curricula, environment_scaling, generalisation, rlve_vs_rlvr
from rlve.studies.experiments import Study

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        generalisation.STUDY,
        environment_scaling.STUDY,
        adaptivity.STUDY,
        rlve_vs_rlvr.STUDY,
        curricula.STUDY,
    )
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
