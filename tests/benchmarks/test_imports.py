"""That the benchmark sees what a process loads; how fast anything is, is not tested."""

import os
import runpy
import subprocess
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "imports.py"


def test_heavy_modules_are_named():
    run = runpy.run_path(str(FILE))["run"]
    assert run("import json", dict(os.environ))[1] == []
    seconds, loaded = run("import numpy", dict(os.environ))
    assert seconds > 0
    assert loaded == ["numpy"]


def test_a_case_that_fails_is_no_measurement():
    run = runpy.run_path(str(FILE))["run"]
    with pytest.raises(subprocess.CalledProcessError):
        run("import tests_no_such_module", dict(os.environ))
