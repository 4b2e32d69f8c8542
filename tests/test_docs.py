"""The code in the documents runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rlve import registry
from rlve.envs.arrays.sorting import Sorting

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page", ["README.md", "docs/environments.md", "docs/train.md", "docs/engines.md"]
)
def test_python_blocks_run(page, capsys):
    names: dict[str, object] = {"__name__": "page"}
    known = dict(registry._registered)
    try:
        for block in BLOCK.findall((ROOT / page).read_text()):
            exec(compile(block, page, "exec"), names)  # our own document, not a model's output
    finally:
        registry._registered.clear()
        registry._registered.update(known)


def test_the_documented_environment_keeps_the_contract(capsys):
    page = (ROOT / "docs/environments.md").read_text()
    for part in ("template", "level", "sample", "parse", "score", "reference", "passing"):
        assert f"`{part}" in page
        assert hasattr(Sorting, part)


def test_the_catalogue_is_up_to_date():
    made = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "catalogue.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, f"{made.stdout}{made.stderr}; run `make catalogue`"
