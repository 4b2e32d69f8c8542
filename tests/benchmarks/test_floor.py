from pathlib import Path

import pytest

BENCHMARKS = sorted((Path(__file__).parents[2] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_benchmarks_stand_on_the_library_and_not_on_its_commands(path):
    lines = path.read_text().splitlines()
    assert [line for line in lines if line.startswith(("from rlve.cli", "import rlve.cli"))] == []
