"""Whole runs in processes of their own: one, and two under torchrun with gloo."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs rlve[trl]; run make test-trl")

SCRIPT = Path(__file__).parents[2] / "support" / "trl_training.py"
LIMIT = 600  # seconds; a run takes about ten, and hangs if the ranks wait for each other


def start(ranks, **settings):
    words = [str(SCRIPT), json.dumps(settings)]
    if ranks > 1:
        words = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}", *words]
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def run(ranks, folder, **settings):
    """What each rank ended with."""
    done = start(ranks, folder=str(folder), **settings)
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads((folder / f"rank{rank}.json").read_text()) for rank in range(ranks)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Runs of four updates that are never interrupted, by the number of ranks."""
    return {ranks: run(ranks, tmp_path_factory.mktemp("whole"), steps=4) for ranks in (1, 2)}


def test_two_ranks_end_with_the_same_curriculum_and_weights(whole):
    one, other = whole[2]
    assert one["weights"] == other["weights"]
    assert json.dumps(one["state"]) == json.dumps(other["state"])
    assert one["state"]["position"] >= 16


def test_every_verdict_of_every_rank_reaches_every_curriculum(whole):
    one, other = whole[2]
    assert one["found"] != other["found"]  # each rank has judged its own share
    assert one["told"] == other["told"]
    assert Counter(map(tuple, one["told"])) == Counter(map(tuple, one["found"] + other["found"]))
    assert len(one["told"]) == 8 * one["state"]["position"]  # of all problems that were drawn
    assert len(one["told"]) > 4 * 4 * 8  # more than were trained on


def test_what_is_logged(whole):
    for ranks in (1, 2):
        logged = whole[ranks][0]["logged"]
        assert len(logged) == 4
        for log in logged:
            assert log["rlve/h"] >= 0
            assert 0 <= log["rlve/accuracy_at_h"] <= 1
            assert 0 < log["rlve/effective_prompt_ratio"] <= 1
        assert sum(log["rlve/groups"] for log in logged) == whole[ranks][0]["state"]["position"]
        high = whole[ranks][0]["state"]["curriculum"]["adaptive"]
        for name, progress in high.items():
            assert logged[-1][f"rlve/h/{name}"] == progress["high"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_resumed_run_equals_one_never_interrupted(whole, ranks, tmp_path):
    """It is killed after its third update, and goes on from the checkpoint after its second."""
    settings = {"steps": 4, "save_strategy": "steps", "save_steps": 2}
    killed = start(ranks, folder=str(tmp_path), crash=3, **settings)
    assert killed.returncode != 0
    assert [place.name for place in tmp_path.glob("checkpoint-*")] == ["checkpoint-2"]
    for resumed, never in zip(
        run(ranks, tmp_path, resume=True, **settings), whole[ranks], strict=True
    ):
        assert resumed["state"] == never["state"]
        assert resumed["weights"] == never["weights"]
        assert resumed["logged"] == never["logged"]
        assert resumed["told"] == never["told"][-len(resumed["told"]) :]
        assert len(resumed["told"]) < len(never["told"])
