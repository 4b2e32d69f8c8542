"""The notebooks run from top to bottom, and print what they show."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(path.stem for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_prints_what_it_shows(name):
    command = [sys.executable, ROOT / "tools" / "notebooks.py", name, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_printed_is_compared(tmp_path):
    folder = tmp_path / "docs" / "notebooks"
    folder.mkdir(parents=True)
    document = json.loads((ROOT / "docs/notebooks/tour.ipynb").read_text())
    first = next(cell for cell in document["cells"] if cell["cell_type"] == "code")
    first["source"] = ["1 + 1"]
    document["cells"] = [first]
    (folder / "sum.ipynb").write_text(json.dumps(document))
    tool = tmp_path / "tools" / "notebooks.py"
    tool.parent.mkdir()
    tool.write_text((ROOT / "tools" / "notebooks.py").read_text())
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "sum shows:\n400\nbut prints:\n2" in done.stderr
