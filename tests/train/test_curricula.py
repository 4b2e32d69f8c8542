"""Every curriculum in the trainer: it trains, and resumes exactly."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.curricula import CURRICULA
from rlve.train.history import read_steps
from rlve.train.trainer import Run
from support.run_tiny import tiny_config

pytestmark = pytest.mark.usefixtures("one_thread", "successor")

SETTINGS = {
    **{kind: {"curriculum": kind} for kind in CURRICULA if kind != "adaptive"},
    "all layers": {"rehearsal": 0.3, "weights": {"Successor": 2.0}, "window": 1},
}


def numbers(folder):
    return [
        {name: getattr(step, name) for name in step.__struct_fields__ if name != "seconds"}
        for step in read_steps(folder)
    ]


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_it_trains_and_resumes_exactly(tiny_policy, tmp_path, settings):
    def config(name):
        made = tiny_config(tiny_policy, tmp_path / name, steps=5, tau_num=16, **settings)
        return replace(made, rollout=replace(made.rollout, oversample=12, rounds=1))

    with Run(config("whole")) as run:
        for _ in run:
            pass
    with Run(config("broken")) as run:
        for metrics in run:
            if metrics.step == 4:  # the checkpoint is that of step 3: the fourth is made again
                break
    with Run(config("broken"), resume=True) as run:
        for _ in run:
            pass
    assert numbers(tmp_path / "broken") == numbers(tmp_path / "whole")
    states = [
        json.loads((tmp_path / name / "curriculum.json").read_text())
        for name in ("whole", "broken")
    ]
    assert states[0] == states[1]
    assert states[0]["version"] == 1
    assert all(step["drawn"]["Successor"] for step in numbers(tmp_path / "whole"))
