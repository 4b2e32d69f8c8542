"""That the benchmark measures and marks what it should; how fast anything is, is not tested."""

import json
import time
from typing import ClassVar

import pytest

from rlve.envs.arrays.sorting import Sorting
from rlve.errors import GenerationError, UserError
from support.programs import load

gym = load("benchmarks/gym.py")


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


class Mistaken(Sorting):
    def reference(self):
        return "0"


class Low(Sorting):
    max_difficulty: ClassVar[int | None] = 5


def test_it_prints_a_table_and_writes_json(tmp_path, capsys):
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


def measured(env, d=2):
    return gym.measure(env, d, 0.01, {})


def test_what_keeps_the_promise_is_not_marked(monkeypatch):
    monkeypatch.setattr(gym, "GENERATION_P99", 100)
    monkeypatch.setattr(gym, "SLOWEST_VERDICT", 100)
    assert measured(Sorting).broken == []


def test_what_is_too_slow_is_marked(monkeypatch):
    monkeypatch.setattr(gym, "GENERATION_P99", 0.015)
    monkeypatch.setattr(gym, "SLOWEST_VERDICT", 0.001)
    generation, verdict = measured(Slow).broken
    assert generation.startswith("generation p99 ")
    assert verdict.startswith("slowest verdict ")


def test_what_hangs_is_stopped_and_marked(monkeypatch):
    monkeypatch.setattr(gym, "DEADLINE", 0.01)
    cell = measured(Slow)
    assert cell.generation.count == 0
    assert any("TimeoutError" in fault for fault in cell.broken)


def test_failures_are_counted_and_the_rest_is_measured():
    cell = measured(Failing)
    assert cell.generation.count == cell.right.count > 0
    assert any(fault.endswith("x GenerationError: no luck") for fault in cell.broken)


def test_references_must_be_correct():
    assert any("not correct" in fault for fault in measured(Mistaken).broken)


def test_levels_beyond_the_highest_become_the_highest(monkeypatch):
    monkeypatch.setattr(gym, "environment", {"Low": Low, "Sorting": Sorting}.__getitem__)
    assert gym.reachable(Low, [0, 4, 8, 12]) == [0, 4, 5]
    assert gym.reachable(Sorting, [0, 4, 8, 12]) == [0, 4, 8, 12]


def test_bad_flags():
    with pytest.raises(UserError, match="above 0"):
        gym.main(("Sorting",), seconds=0)
