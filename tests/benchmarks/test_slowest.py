"""That slow cells are found and marked; how fast anything is, is not tested."""

import json
import time

import pytest

from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.registry import registered
from support.programs import load

slowest = load("benchmarks/slowest.py")


def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class SlowFromTwo(Sorting):
    max_difficulty = 3

    @classmethod
    def level(cls, d):
        return [setting | {"N": 3 + d} for setting in super().level(d)]

    @classmethod
    def sample(cls, rng, N):
        compute(0.07 if N == 5 else 0.26 if N == 6 else 0)
        return super().sample(rng, N)


def test_slow_cells_are_measured_with_more_problems(tmp_path, capsys):
    output = tmp_path / "cells.jsonl"
    with registered(SlowFromTwo):
        code = slowest.main(("SlowFromTwo",), levels="1..9", problems=1, closer=2, output=output)
    cells = [json.loads(line) for line in output.read_text().splitlines()]
    assert [(cell["difficulty"], len(cell["generation"])) for cell in cells] == [
        (1, 1),
        (2, 2),
        (3, 2),
    ]
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split()[:3] for row in rows] == [
        ["*", "SlowFromTwo", "3"],
        ["SlowFromTwo", "2", "2"],
    ]
    assert code == 1


def test_without_slow_cells(capsys):
    assert slowest.main(("Sorting",), levels="0", problems=1) == 0
    assert "Sorting" not in capsys.readouterr().out


def test_no_problems():
    with pytest.raises(UserError, match="problems"):
        slowest.main(("Sorting",), problems=0)
