"""The notebooks run from top to bottom, and print what they show."""

import copy
import importlib.util
import json
from pathlib import Path

import pytest

import rlve
from rlve import registry

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def runner():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def forgotten():
    """What a notebook registers is known to it alone."""
    known = set(rlve.environments())
    yield
    for name in set(rlve.environments()) - known:
        del registry._registered[name]


def shown(document):
    """The text of all outputs; pictures differ from machine to machine."""
    return [
        "".join(output.get("text") or output["data"].get("text/plain", "a picture"))
        for cell in document["cells"]
        for output in cell.get("outputs", ())
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(runner, path, tmp_path):
    stored = json.loads(path.read_text())
    document = copy.deepcopy(stored)
    runner.run(document, tmp_path)
    if path.stem == "training_run":  # sums of floats differ a little from one CPU to another
        assert len(shown(document)) == len(shown(stored))
    else:
        assert shown(document) == shown(stored)
