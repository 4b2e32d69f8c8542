"""That the benchmark of the update measures what it says; not how fast anything is."""

import json

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.errors import UserError
from support.families import tiny
from support.programs import load
from support.training_fixtures import one_thread

__all__ = ["one_thread"]
update = load("benchmarks/update.py")


def test_both_ways_are_measured_on_the_same_tokens(tmp_path, capsys):
    tiny("llama").config.save_pretrained(tmp_path / "model")  # it gets random weights
    output = tmp_path / "update.json"
    shape = {"groups": 3, "outputs": 4, "prompt": 30, "tokens": (2, 5)}
    settings = {"device": "cpu", "repeats": 2, "warm_up": 0, "output": output}
    assert update.main(model=str(tmp_path / "model"), **shape, **settings) == 0
    assert "times as fast" in capsys.readouterr().out
    document = json.loads(output.read_text())
    own, shared = document["ways"]
    assert own["computed"] == document["tokens"] - 12  # the last token of each output
    assert 2 * shared["computed"] < own["computed"]
    for way in (own, shared):
        assert len(way["seconds"]) == len(way["phases"]) == 2
        for seconds, phases in zip(way["seconds"], way["phases"], strict=True):
            assert sum(phases.values()) == pytest.approx(seconds)
            assert min(phases.values()) >= 0


def test_bad_flags(tmp_path):
    with pytest.raises(UserError, match="at least 1"):
        update.main(groups=0)
    with pytest.raises(UserError, match="fewest"):
        update.main(tokens=(9, 8))
    with pytest.raises(UserError, match=r"no config\.json"):
        update.main(model=str(tmp_path), device="cpu")
