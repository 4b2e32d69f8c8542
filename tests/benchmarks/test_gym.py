"""That the benchmark measures and marks what it should; how fast anything is, is not tested."""

import importlib.util
import json
import sys
import time
from pathlib import Path
from typing import ClassVar

import pytest

from rlve.envs.arrays.sorting import Sorting
from rlve.errors import GenerationError, UserError

FILE = Path(__file__).parents[2] / "benchmarks" / "gym.py"


@pytest.fixture(scope="module")
def gym():
    spec = importlib.util.spec_from_file_location("gym_benchmark", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gym_benchmark"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["gym_benchmark"]


def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class Slow(Sorting):
    @classmethod
    def sample(cls, rng, N):
        compute(0.02)
        return super().sample(rng, N)

    def score(self, answer):
        compute(0.002)
        return super().score(answer)


class Failing(Sorting):
    @classmethod
    def sample(cls, rng, N):
        if rng.random() < 0.5:
            raise GenerationError("no luck")
        return super().sample(rng, N)


class Never(Sorting):
    @classmethod
    def sample(cls, rng, N):
        raise GenerationError("no luck")


class Mistaken(Sorting):
    def reference(self):
        return "0"


class Mute(Sorting):
    def reference(self):
        return None


class Low(Sorting):
    max_difficulty: ClassVar[int | None] = 5


def test_it_prints_a_table_and_writes_json(gym, tmp_path, capsys):
    output = tmp_path / "gym.json"
    chosen = ("Sorting", "Multiplication")
    code = gym.main(chosen, levels="0,3..4", seconds=0.01, workers=(1,), output=output)
    out = capsys.readouterr().out
    document = json.loads(output.read_text())
    assert [(cell["name"], cell["difficulty"]) for cell in document["cells"]] == [
        (name, d) for name in ("Sorting", "Multiplication") for d in (0, 3, 4)
    ]
    for cell in document["cells"]:
        times = cell["generation"]
        assert times["count"] >= 20
        assert 0 < times["p50"] <= times["p99"] <= times["max"]
        assert set(cell["rates"]) == {"here", "pool 1"}
        assert all(value > 0 for rates in cell["rates"].values() for value in rates.values())
        assert cell["name"] in out
    assert list(document["totals"]) == ["d = 0", "d = 3", "d = 4", "all levels"]
    assert code == (1 if any(cell["broken"] for cell in document["cells"]) else 0)


def measured(gym, env, d=2):
    return gym.measure(env, d, 0.01, {})


def test_what_keeps_the_promise_is_not_marked(gym, monkeypatch):
    monkeypatch.setattr(gym, "GENERATION_P99", 100)
    monkeypatch.setattr(gym, "SLOWEST_VERDICT", 100)
    assert measured(gym, Sorting).broken == []


def test_what_is_too_slow_is_marked(gym, monkeypatch):
    monkeypatch.setattr(gym, "GENERATION_P99", 0.015)
    monkeypatch.setattr(gym, "SLOWEST_VERDICT", 0.001)
    generation, verdict = measured(gym, Slow).broken
    assert generation.startswith("generation p99 ")
    assert verdict.startswith("slowest verdict ")


def test_what_hangs_is_stopped_and_marked(gym, monkeypatch):
    monkeypatch.setattr(gym, "DEADLINE", 0.01)
    cell = measured(gym, Slow)
    assert cell.generation.count == 0
    assert any("TimeoutError" in fault for fault in cell.broken)


def test_failures_are_counted_and_the_rest_is_measured(gym):
    cell = measured(gym, Failing)
    assert cell.generation.count == cell.right.count > 0
    assert any(fault.endswith("x GenerationError: no luck") for fault in cell.broken)


def test_an_environment_that_never_works_does_not_stop_the_others(gym, capsys):
    cells = [measured(gym, Never, 0), measured(gym, Sorting, 0)]
    gym.show(cells, {}, ["here"])
    assert "* Never" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("env", "fault"), [(Mistaken, "not correct"), (Mute, "without a reference")]
)
def test_references_must_be_there_and_correct(gym, env, fault):
    assert any(fault in each for each in measured(gym, env).broken)


def test_levels_beyond_the_highest_become_the_highest(gym, monkeypatch):
    monkeypatch.setattr(gym, "environment", {"Low": Low, "Sorting": Sorting}.__getitem__)
    assert gym.reachable(Low, [0, 4, 8, 12]) == [0, 4, 5]
    assert gym.reachable(Sorting, [0, 4, 8, 12]) == [0, 4, 8, 12]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"levels": "-1"}, "a difficulty must be an integer"),
        ({"levels": "5..3"}, "empty"),
        ({"seconds": 0}, "above 0"),
        ({"workers": (0,)}, "above 0"),
        ({"output": Path("no/such/folder/x.json")}, "not a folder"),
    ],
)
def test_bad_flags(gym, flags, message):
    with pytest.raises(UserError, match=message):
        gym.main(("Sorting",), **flags)
