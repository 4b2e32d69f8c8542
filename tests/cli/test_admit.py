"""`rlve admit`."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from rlve.cli import main
from support.kernel import landlocked
from support.model_server import ModelServer, Reply, said

pytestmark = pytest.mark.skipif(not landlocked(), reason="the kernel has no Landlock")

GOOD = Path(__file__).parents[1] / "drafts" / "good"
COUNTER, SOLVER = str(GOOD / "counter.py"), str(GOOD / "counter_solver.py")


def test_a_table_and_a_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "certificate.json"
    words = ["admit", f"{COUNTER}:Counter", "--solver", SOLVER, "-o", str(file)]
    assert main(words) == 0
    assert "Counter is admitted." in capsys.readouterr().out
    certificate = json.loads(file.read_text())
    assert certificate["admitted"] is True
    assert len(certificate["draft"]) == 64
    assert all(finding["held"] for finding in certificate["findings"])


def test_what_is_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import socket\n\nclass Broken:\n    pass\n")
    assert main(["admit", f"{broken}:Broken", "--solver", SOLVER]) == 1
    printed = capsys.readouterr().out
    assert "it imports socket" in printed
    assert "defines no environment named 'Broken'" in printed
    assert "Broken is not admitted." in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([COUNTER], "FILE.py:CLASS"),
        (["nowhere.py:Counter"], "there is no Python file nowhere.py"),
    ],
)
def test_misuse(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admit", *words, "--solver", SOLVER]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("longest", "code", "said_of_it"),
    [
        (490, 0, "Counter is admitted."),
        (10**9, 1, "100% at the lowest and 100% at the highest level"),
        (0, 1, "0% at the lowest and 0% at the highest level"),
    ],
)
def test_a_model_that_solves_low_levels_only_says_how_hard_it_is(
    longest: int, code: int, said_of_it: str, capsys: pytest.CaptureFixture[str]
) -> None:
    solve = runpy.run_path(SOLVER)["solve"]

    def answer(body: dict[str, Any]) -> Reply:
        task = said(body).partition("\n\nReason step by step")[0]
        return Reply(f"\\boxed{{{solve(task)}}}" if len(task) <= longest else "I do not know")

    server = ModelServer(answer).start()
    words = ["admit", f"{COUNTER}:Counter", "--solver", SOLVER, "--model", "tiny"]
    try:
        assert main([*words, "--url", server.url]) == code
    finally:
        server.stop()
    assert said_of_it in capsys.readouterr().out
