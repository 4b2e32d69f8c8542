"""The documented script runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rlve

pytest.importorskip("trl", reason="needs rlve[trl]; run make test-trl")

NANO = str(Path(rlve.__file__).parent / "models" / "nano")
DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def script(name):
    """The one that calls this function, on whichever page it is."""
    pages = [page for page in DOCS.rglob("*.md") if "trainers" in str(page.relative_to(DOCS))]
    blocks = [block for page in pages for block in BLOCK.findall(page.read_text())]
    return next(block for block in blocks if f"{name}(" in block)


def run(*command, folder):
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done


def test_an_ordinary_trainer_takes_the_reward_function(tmp_path):
    rows = "rlve dataset Sorting Division -d 0..1 -n 8 --format plain -o problems.jsonl"
    run("-m", *rows.split(), folder=tmp_path)
    text = script("GRPOTrainer").replace("Qwen/Qwen2.5-0.5B-Instruct", NANO)
    small = "max_completion_length=24, max_steps=2, num_generations=4, use_cpu=True, bf16=False"
    (tmp_path / "train.py").write_text(text.replace("max_completion_length=1024", small))
    assert "'rewards/reward/mean'" in run("train.py", folder=tmp_path).stdout


def test_the_documented_script_runs(tmp_path):
    text = script("rlve_trainer")
    assert text.count("max_steps=20,") == 1
    short = text.replace("max_steps=20,", "max_steps=2,").replace("save_steps=10,", "save_steps=1,")
    (tmp_path / "train.py").write_text(short)
    done = run("train.py", folder=tmp_path)
    assert "'rlve/h/Sorting'" in done.stdout
    assert (tmp_path / "runs" / "trl" / "checkpoint-2" / "trainer_state.json").exists()
