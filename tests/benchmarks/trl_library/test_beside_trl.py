"""The benchmark beside TRL runs at its smallest size, and goes on where it was."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs rlve[trl]; run make test-trl")

PROGRAM = Path(__file__).parents[3] / "benchmarks" / "beside_trl.py"
SMALLEST = "--names Sorting Division --problems 2 --group 4 --max-tokens 16 --steps 1 --warm-up 1"


def test_it_prints_a_table_and_keeps_each_part(tmp_path):
    settings = json.dumps({"gradient_checkpointing": False, "disable_tqdm": True})
    command = [sys.executable, PROGRAM, *SMALLEST.split(), "--folder", tmp_path, "--trl", settings]

    def run():
        return subprocess.run(
            command, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
        )

    done = run()
    assert done.returncode == 0, done.stderr[-4000:]
    for way in ("rlve", "TRL", "TRL-rlve"):
        for rank, trains in ((0, "all weights"), (8, "8")):
            assert re.search(rf"(?m)^{way} +{trains} +\d+\.\d\d +\d", done.stdout), done.stdout
            part = json.loads((tmp_path / f"{way}-{rank}.json").read_text())
            [step] = part["steps"]
            assert 0 < step["sampling"] < step["seconds"]
            assert step["tokens"] <= 8 * 16
    assert part["versions"]["trl"]
    assert part["settings"]["trl"] == json.loads(settings)
    kept = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert run().stdout.splitlines()[-6:] == done.stdout.splitlines()[-6:]
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == kept
