"""A problem's row on its way through another library; tests/test_gym.py sends one to a process."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

import rlve
from rlve.contract import ILL_FORMED
from rlve.datasets.rows import read_rows, write_rows
from rlve.datasets.transfer import TravellingRow, judge, travelling_row
from rlve.errors import UserError
from rlve.pool import Failure, local
from rlve.stream import Item
from support.misbehaving import Misbehaving

PROBLEM = rlve.environment("Sorting").generate(difficulty=2, seed=1)
ROW = travelling_row(Item(0, "Sorting", 2, 1, PROBLEM), "boxed")
SLOW = travelling_row(
    Item(0, "Misbehaving", 0, 0, Misbehaving.generate(difficulty=0, seed=0)), "any"
)
PATIENT = 120.0  # seconds that a busy machine is given


def test_a_row_survives_plain_json():
    again = msgspec.convert(json.loads(json.dumps(ROW.as_dict())), TravellingRow)
    assert again == ROW
    assert again.problem() == PROBLEM
    assert again.cell == ("Sorting", 2)
    assert again.source is None


def test_the_marker_travels_too():
    assert judge(ROW, f"\\boxed{{{PROBLEM.reference()}}}").correct
    assert judge(ROW, f"<answer>{PROBLEM.reference()}</answer>") == ILL_FORMED


def test_the_reading_travels_unless_it_is_exact():
    assert "reading" not in ROW.as_dict()
    item = Item(0, "Sorting", 2, 1, PROBLEM)
    row = travelling_row(item, "boxed", "forgiving")
    assert row.as_dict() == ROW.as_dict() | {"reading": "forgiving"}
    output = f"\\boxed{{${PROBLEM.reference()}$}}"
    again = msgspec.convert(json.loads(json.dumps(row.as_dict())), TravellingRow)
    assert judge(again, output).correct
    assert not judge(ROW, output).correct


def test_a_slow_verdict_delays_no_other(monkeypatch, tmp_path):
    """Two threads ask: one for a verdict that comes once there is a file."""
    monkeypatch.setattr(local, "usable_cores", lambda: 2)
    begun, file = threading.Event(), tmp_path / "file"

    def ask():
        begun.set()
        return judge(SLOW, f"<answer>wait for {file}</answer>", deadline=PATIENT)

    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(ask)
        begun.wait()
        for _ in range(3):
            assert judge(ROW, f"\\boxed{{{PROBLEM.reference()}}}", deadline=PATIENT).correct
        assert not waiting.done()
        file.touch()
        assert waiting.result().correct


def test_a_verdict_has_its_deadline():
    verdict = judge(SLOW, "<answer>sleep</answer>", deadline=0.5)
    assert isinstance(verdict, Failure)
    assert verdict.kind == "deadline"
    assert verdict.message.startswith("it took longer than 0.5 s")


def test_a_curriculum_needs_the_difficulty():
    with pytest.raises(UserError, match="came without its difficulty"):
        _ = TravellingRow(id="a", environment="Sorting", parameters={}).cell


def test_no_file_makes_us_load_code(tmp_path):
    file = tmp_path / "rows.jsonl"
    write_rows(file, [msgspec.structs.replace(ROW, source=f"{tmp_path}/evil.py:Sorting")])
    (tmp_path / "evil.py").write_text("raise SystemExit('loaded')")
    [(_, row)] = read_rows(file)
    assert row.problem() == PROBLEM
