"""That the benchmarks of sampling and training measure what they say; not how fast anything is."""

import importlib.util
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

import torch

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.models.policy import load_policy
from rlve.train.presets import nano

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"{name}_benchmark", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rollout():
    yield loaded("rollout")
    del sys.modules["rollout_benchmark"]


@pytest.fixture(scope="module")
def step():
    yield loaded("step")
    del sys.modules["step_benchmark"]


@pytest.fixture(scope="module")
def policy():
    return load_policy(PolicyConfig(model="nano", format="plain", device="cpu"), context=64)


def test_both_ways_of_sampling_are_measured(rollout, tmp_path, capsys):
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


def test_a_random_model_is_measured_for_all_sizes(rollout, tmp_path, capsys):
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


@pytest.mark.parametrize("starts", [True, False])
def test_cases_that_end_alike_share_one_vllm(rollout, policy, monkeypatch, starts):
    made = []

    class StandIn:
        def __init__(self, policy, **settings):
            made.append((policy.stop_tokens, settings))
            if not starts:
                raise UserError("no")

        def close(self):
            made.append("closed")

    monkeypatch.setattr(rollout, "VllmEngine", StandIn)
    kinds = [((), 8, 2), ((), 4, 5), ((1,), 6, 1)]  # stop tokens, rows, new tokens
    cases = [rollout.Case("", [[2] * 3], stops, n, rows, 2) for stops, rows, n in kinds]
    engines = rollout.Engines(policy, cases, 0.2)
    found = []
    for case in cases:
        if starts:
            engine = engines.of("vllm", case)
            assert engine.max_tokens == case.max_tokens
            found.append(engine)
        else:
            with pytest.raises(UserError):
                engines.of("vllm", case)
    engines.close()
    shared = {"max_tokens": 5, "slots": 8, "context": 8, "memory": 0.2}
    alone = {"max_tokens": 1, "slots": 6, "context": 4, "memory": 0.2}
    assert made == [((), shared), ((1,), alone), *["closed"] * 2 * starts]
    if starts:
        assert found[0] is found[1] is not found[2]


def test_a_sampler_that_takes_too_long_is_said_to(rollout, tmp_path, capsys, monkeypatch):
    def endless(case, model):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(rollout, "generate", endless)
    settings = {"shape": "tiny", "rows": [4], "prompt_tokens": 9, "new_tokens": [3]}
    rollout.main(**settings, group=2, samplers=["generate", "in-process"], repeats=1, limit=5)
    out = capsys.readouterr().out
    assert "not done in 5 s" in out
    assert "in-process" in out


def test_generate_counts_no_tokens_after_the_end(rollout, policy, monkeypatch):
    prompts = rollout.prompts_of(policy, ["Sorting"], [0, 1], 2)
    case = rollout.Case("natural ends", prompts, (7,), 6, rows=4, group=2)
    longest = max(map(len, prompts))
    outputs = [[7, 0, 0, 0, 0, 0], [5, 5, 7, 0, 0, 0], [5] * 6, [5] * 5 + [7]]
    padded = torch.tensor([[0] * longest + tokens for tokens in outputs])
    monkeypatch.setattr(policy.model, "generate", lambda **settings: padded)
    assert rollout.generate(case, policy.model) == 1 + 3 + 6 + 6


def test_the_command_line_is_that_of_main(rollout):
    words = ["--rows", "256", "1024", "--shape", "tiny", "--profile", "-o", "x.json"]
    assert rollout.settings_of(words) == {
        "rows": [256, 1024],
        "shape": "tiny",
        "profile": True,
        "output": Path("x.json"),
    }


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"problems": 0}, "at least 1"),
        ({"group": 16, "slots": 8}, "--slots"),
        ({"group": 16, "rows": [64, 8]}, "--rows"),
        ({"levels": "5..3"}, "empty"),
        ({"samplers": ["magic"]}, "no sampler is named 'magic'"),
        ({"shape": "huge", "rows": [64]}, "--shape must be one of"),
        ({"shape": "tiny"}, "needs --rows"),
        ({"output": Path("no/such/folder/x.json")}, "not a folder"),
    ],
)
def test_bad_flags(rollout, flags, message):
    with pytest.raises(UserError, match=message):
        rollout.main(**flags)


def test_the_phases_of_a_step_are_measured(step, tmp_path, capsys):
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


def test_time_within_a_phase_that_is_its_own_phase_is_counted_once(step):
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


def test_bad_flags_of_the_step_benchmark(step):
    with pytest.raises(UserError, match="at least 1"):
        step.main(steps=0)
