"""That the benchmarks of sampling and training measure what they say; not how fast anything is."""

import json
import time
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

import torch

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.models.policy import load_policy
from rlve.train.presets import nano
from support.programs import load
from support.training_fixtures import one_thread

__all__ = ["one_thread"]
rollout, step = load("benchmarks/rollout.py"), load("benchmarks/step.py")


@pytest.fixture(scope="module")
def policy():
    return load_policy(PolicyConfig(model="nano", format="plain", device="cpu"), context=64)


def test_both_ways_of_sampling_are_measured(tmp_path, capsys):
    output = tmp_path / "rollout.json"
    sizes = {"problems": 3, "group": 2, "slots": 4, "max_tokens": 8, "fixed_tokens": 5}
    samplers = ["in-process", "generate"]
    assert rollout.main(**sizes, samplers=samplers, repeats=2, output=output) == 0
    cases = json.loads(output.read_text())["cases"]
    assert [(each["case"], each["sampler"]) for each in cases] == [
        (case, sampler) for case in ("natural ends", "fixed length") for sampler in samplers
    ]
    for case in cases:
        if case["case"] == "natural ends":
            assert 1 <= case["output_tokens"] <= 8
        else:
            assert case["output_tokens"] == 5  # no padding, and nothing ends early
        assert len(case["speeds"]) == 2
        assert min(case["speeds"]) > 0
        assert case["limit"] > 0
        if case["sampler"] == "generate":
            assert case["gap"] is case["handover"] is None
        else:
            assert 0 <= case["gap"] < 1e-4  # they sample from the model itself
            assert case["handover"] >= 0
    out = capsys.readouterr().out
    assert "natural ends" in out
    assert "times generate" in out


def test_a_random_model_is_measured_for_all_sizes(tmp_path, capsys):
    output = tmp_path / "rollout.json"
    settings = {"shape": "tiny", "rows": [4, 8], "prompt_tokens": 9, "new_tokens": [3, 5]}
    samplers = ["in-process", "paged", "paged-torch", "generate"]
    rollout.main(**settings, group=2, samplers=samplers, repeats=1, output=output)
    cases = json.loads(output.read_text())["cases"]
    assert [(each["new_tokens"], each["rows"], each["sampler"]) for each in cases] == [
        (length, rows, name) for length in (3, 5) for rows in (4, 8) for name in samplers
    ]
    for case in cases:
        assert not case["trouble"]
        assert case["output_tokens"] == case["new_tokens"]
        assert case["prompt_tokens"] == 9
        assert case["prompts"] * 2 == case["rows"]


def test_a_sampler_that_takes_too_long_is_said_to(tmp_path, capsys, monkeypatch):
    def endless(case, model):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(rollout, "generate", endless)
    settings = {"shape": "tiny", "rows": [4], "prompt_tokens": 9, "new_tokens": [3]}
    rollout.main(**settings, group=2, samplers=["generate", "in-process"], repeats=1, limit=5)
    out = capsys.readouterr().out
    assert "not done in 5 s" in out
    assert "in-process" in out


def test_generate_counts_no_tokens_after_the_end(policy, monkeypatch):
    prompts = rollout.prompts_of(policy, ["Sorting"], [0, 1], 2)
    case = rollout.Case("natural ends", prompts, (7,), 6, rows=4, group=2)
    longest = max(map(len, prompts))
    outputs = [[7, 0, 0, 0, 0, 0], [5, 5, 7, 0, 0, 0], [5] * 6, [5] * 5 + [7]]
    padded = torch.tensor([[0] * longest + tokens for tokens in outputs])
    monkeypatch.setattr(policy.model, "generate", lambda **settings: padded)
    assert rollout.generate(case, policy.model) == 1 + 3 + 6 + 6


def test_bad_flags():
    with pytest.raises(UserError, match="no sampler is named 'magic'"):
        rollout.main(samplers=["magic"])
    with pytest.raises(UserError, match="at least 1"):
        step.main(steps=0)


def test_the_phases_of_a_step_are_measured(tmp_path, capsys):
    output = tmp_path / "step.json"
    base = nano()
    config = replace(
        base,
        data=replace(base.data, environments=("MinimalCyclicShift",)),
        rollout=replace(base.rollout, problems=2, oversample=4, rounds=1, group=4, max_tokens=16),
        run=replace(base.run, workers=1),
    )
    assert step.main(config=config, steps=2, warm_up=1, output=output) == 0
    document = json.loads(output.read_text())
    assert len(document["steps"]) == 2
    for each in document["steps"]:
        assert {"sampling", "verdicts", "rest"} <= set(each["seconds"])
        assert all(seconds >= 0 for seconds in each["seconds"].values())
    assert "checkpoint" in document["steps"][-1]["seconds"]
    assert min(document["peak_memory"].values()) > 0
    assert "Peak memory" in capsys.readouterr().out


def test_time_within_a_phase_that_is_its_own_phase_is_counted_once():
    class Work:
        def outer(self):
            time.sleep(0.01)
            self.inner()

        def inner(self):
            time.sleep(0.03)

    work, watch = Work(), step.Stopwatch()
    watch.watch("inner", work, "inner")
    watch.watch("outer", work, "outer")
    start = time.perf_counter()
    work.outer()
    spent = time.perf_counter() - start
    assert watch.seconds["inner"] >= 0.03
    assert watch.seconds["outer"] >= 0.01
    assert sum(watch.seconds.values()) <= spent
