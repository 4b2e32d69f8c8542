"""Environments of the gym are admitted; their solvers were written from prompts alone."""

import inspect
import os
from pathlib import Path

import pytest

from rlve.drafts.admission import admit
from rlve.registry import environment
from support.kernel import landlocked

pytestmark = pytest.mark.skipif(not landlocked(), reason="the kernel has no Landlock")

SOLVERS = sorted((Path(__file__).parent / "solvers").glob("*.py"))
if "RLVE_ALL_DRAFTS" not in os.environ:  # make test-drafts takes all of them
    SOLVERS = [file for file in SOLVERS if file.stem in ("PowerNest", "SaladBar")]


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda file: file.stem)
def test_an_environment_of_the_gym_is_admitted(solver: Path) -> None:
    file = inspect.getsourcefile(environment(solver.stem))
    certificate = admit(Path(str(file)), solver.stem, solver)
    assert certificate.admitted, certificate.findings


def test_a_copy_is_refused(tmp_path: Path) -> None:
    text = Path(str(inspect.getsourcefile(environment("PowerNest")))).read_text()
    copy = tmp_path / "copy.py"
    copy.write_text(text.replace("class PowerNest", "class Nested"))
    solver = Path(__file__).parent / "solvers" / "PowerNest.py"
    [finding] = admit(copy, "Nested", solver, gates=["novelty"]).findings
    assert not finding.held
    assert finding.figures["nearest"] == "PowerNest"
    assert len(finding.faults) == 2  # it reads the same, and PowerNest solves it


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "good" / "counter.py").read_text()
    copy = tmp_path / "copy.py"
    copy.write_text(text.replace("class Counter", "class Sorting"))
    solver = Path(__file__).parent / "good" / "counter_solver.py"
    [finding] = admit(copy, "Sorting", solver, gates=["novelty"]).findings
    assert finding.faults == ["the name Sorting is taken"]
