"""A problem's row on its way through another library; tests/test_gym.py sends one to a process."""

import json

import msgspec
import pytest

import rlve
from rlve.contract import ILL_FORMED
from rlve.datasets.rows import read_rows, write_rows
from rlve.datasets.travelling import TravellingRow, judge, travelling_row
from rlve.errors import UserError
from rlve.stream import Item

PROBLEM = rlve.environment("Sorting").generate(difficulty=2, seed=1)
ROW = travelling_row(Item(0, "Sorting", 2, 1, PROBLEM), "boxed")


def test_a_row_survives_plain_json():
    again = msgspec.convert(json.loads(json.dumps(ROW.as_dict())), TravellingRow)
    assert again == ROW
    assert again.problem() == PROBLEM
    assert again.cell == ("Sorting", 2)
    assert again.source is None


def test_the_marker_travels_too():
    assert judge(ROW, f"\\boxed{{{PROBLEM.reference()}}}").correct
    assert judge(ROW, f"<answer>{PROBLEM.reference()}</answer>") == ILL_FORMED


def test_a_curriculum_needs_the_difficulty():
    with pytest.raises(UserError, match="travels without its difficulty"):
        _ = TravellingRow(id="a", environment="Sorting", parameters={}).cell


def test_no_file_makes_us_load_code(tmp_path):
    file = tmp_path / "rows.jsonl"
    write_rows(file, [msgspec.structs.replace(ROW, source=f"{tmp_path}/evil.py:Sorting")])
    (tmp_path / "evil.py").write_text("raise SystemExit('loaded')")
    [(_, row)] = read_rows(file)
    assert row.problem() == PROBLEM
