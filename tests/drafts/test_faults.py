"""What is planted in good drafts is refused, each by the gate that should."""

import os
from pathlib import Path

import pytest

from drafts.faults import GOOD, PARSE, Fault, change, faults
from rlve.drafts.admission import admit
from rlve.drafts.evidence import same
from rlve.drafts.gates import GATES
from support.kernel import landlocked

pytestmark = pytest.mark.skipif(not landlocked(), reason="the kernel has no Landlock")

PLANTED = list(faults())
if "RLVE_ALL_DRAFTS" not in os.environ:  # make test-drafts takes all of them
    PLANTED = [fault for fault in PLANTED if fault.number == 0]


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: f"{fault.kind}-{fault.number}")
def test_a_planted_fault_is_refused(fault: Fault, tmp_path: Path) -> None:
    draft, name, solver = fault.write(tmp_path)
    gates = [gate for gate in GATES if gate in fault.gates or gate == "runs"]
    findings = admit(draft, name, solver, gates=gates).findings
    assert any(finding.gate in fault.gates and not finding.held for finding in findings), findings


def test_there_are_five_of_each_kind() -> None:
    kinds = [fault.kind for fault in faults() if fault.kind != "audit"]
    assert len(set(kinds)) == 10
    assert all(kinds.count(kind) == 5 for kind in kinds)


@pytest.mark.parametrize("base", ["counter", "picks"])
def test_the_drafts_without_faults_are_admitted(base: str) -> None:
    certificate = admit(GOOD / f"{base}.py", base.title(), GOOD / f"{base}_solver.py")
    assert certificate.admitted, certificate.findings


def test_a_draft_that_writes_to_files_before_it_is_admitted_reaches_none(tmp_path: Path) -> None:
    aim = tmp_path / "reached"
    draft, solver = tmp_path / "counter.py", tmp_path / "solver.py"
    attempt = f"try:\n    open({str(aim)!r}, 'w').write('x')\nexcept OSError:\n    pass\n"
    draft.write_text(attempt + (GOOD / "counter.py").read_text())
    solver.write_text(attempt + (GOOD / "counter_solver.py").read_text())
    certificate = admit(draft, "Counter", solver, gates=["closed", "runs", "solver"])
    [closed, runs, solved] = certificate.findings
    assert not closed.held
    assert any("it opens the file" in fault for fault in closed.faults)
    assert runs.held  # it ran, and reached nothing
    assert solved.held
    assert not aim.exists()


def test_a_solver_that_cannot_judge_is_refused(tmp_path: Path) -> None:
    text = (GOOD / "picks_solver.py").read_text()
    solver = tmp_path / "solver.py"
    solver.write_text(text.replace("    picked = [", "    answer[9]\n    picked = ["))
    [finding] = admit(GOOD / "picks.py", "Picks", solver, gates=["judgement"]).findings
    assert any("the solver fails" in fault for fault in finding.faults)
    solver.write_text(text.partition("def accepts")[0])
    [finding] = admit(GOOD / "picks.py", "Picks", solver, gates=["judgement"]).findings
    assert "the solver needs accepts(prompt, answer)" in finding.faults[0]


@pytest.mark.parametrize(
    ("listed", "fault"),
    [
        ('[(0, 0, "right"), (3, 1, "-1")]', "'right' is accepted, and listed as wrong"),
        ("[1]", "WRONG is no list of (difficulty, seed, answer)"),
        ("print", "WRONG is no list of (difficulty, seed, answer)"),
    ],
)
def test_what_is_listed_as_wrong_is_refused(listed: str, fault: str, tmp_path: Path) -> None:
    draft, solver = tmp_path / "counter.py", tmp_path / "solver.py"
    parse = "        return self.reference_answer if text == 'right' else integer(text)\n"
    draft.write_text(change(GOOD / "counter.py", [(PARSE, parse)]))
    solver.write_text((GOOD / "counter_solver.py").read_text() + f"\nWRONG = {listed}\n")
    [finding] = admit(draft, "Counter", solver, gates=["judgement"]).findings
    assert any(fault in found for found in finding.faults), finding.faults


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("1 2", " 1 2\n", True),
        ("1 2", "1\n2", None),
        ("1 0", "1 -0", None),
        ("0.5", "0.50", None),
        ("61 4", "6 14", False),
        ("1", "2", False),
        ("", "1", False),
    ],
)
def test_answers_that_are_the_same(one: str, other: str, expected: bool | None) -> None:
    assert same(one, other) is expected
