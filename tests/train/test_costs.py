"""A run that may take hours on a CPU says so before it begins."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.train import costs
from rlve.train.config import ValidationConfig
from rlve.train.teaching import TeachingRun
from rlve.train.teaching.config import LessonConfig, TeachingConfig, TeachingValidationConfig
from rlve.train.trainer import Run
from support.run_tiny import tiny_config

MEASURED = ValidationConfig(levels=(0, 1), problems=3, every=5, temperatures=(1.0,))


@pytest.fixture(autouse=True)
def speeds(monkeypatch):
    """Tokens read and sampled in a second."""
    monkeypatch.setattr(costs, "speeds", lambda engine, make: (100.0, 10.0))


def test_what_is_left_of_a_run_is_counted(tiny_policy, tmp_path, caplog):
    config = tiny_config(tiny_policy, tmp_path / "run", steps=4, validation=MEASURED)
    with Run(config) as run:
        # 2 rounds of 24 problems x 8 outputs in each step, and 6 in each of two measurements; 8
        # problems x 8 outputs are learnt from
        outputs, learning = 4 * 2 * 24 * 8 + 2 * 6, 3 * 4 * 8 * 8 * 20 / 100
        seconds = outputs * 20 / 10 + learning
        assert run.cost == costs.Cost(outputs, seconds, learning, 6 * 20 / 10, 10.0)
        rest = costs.tell_cost(config, run.policy, run.engine, run.validation, done=3)
        assert rest.outputs == 2 * 24 * 8 + 6
    assert not [text for text in caplog.messages if "on this CPU" in text]


def test_what_takes_hours_is_said(tiny_policy, tmp_path, caplog):
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1000)
    with Run(config.with_limits(prompt=20, output=20)) as run:
        hours, learning = run.cost.seconds / 3600, run.cost.learning / 3600
    said = f"on this CPU the run takes up to {hours:,.1f} hours: 384,000 outputs of up to 20 tokens"
    (told,) = [text for text in caplog.messages if text.startswith(said)]
    assert f"at about 10 tokens a second, and {learning:,.1f} hours of learning; fewer" in told


def test_teaching_counts_what_it_reads(tiny_policy, tmp_path, monkeypatch):
    monkeypatch.setattr(costs, "examples", lambda policy: [[1] * 40, [1] * 20])
    config = TeachingConfig(
        policy=tiny_config(tiny_policy, tmp_path / "run").policy,
        data=LessonConfig(environments=("Sorting",), examples=4, max_prompt_tokens=30),
        validation=TeachingValidationConfig(every=0),
        run=replace(tiny_config(tiny_policy, tmp_path / "run").run, steps=5),
    )
    with TeachingRun(config) as run:
        assert run.cost == costs.Cost(0, *[3 * 5 * 4 * 25 / 100] * 2, 0.0, 10.0)


def test_a_trial_changes_nothing_and_says_how_fast_it_was(tiny_policy, tmp_path, monkeypatch):
    config = tiny_config(tiny_policy, tmp_path / "run")
    with Run(config) as run:
        monkeypatch.undo()
        engine = run.engine
        before = engine.state_dict()["generator"].tolist(), engine.max_tokens, engine.temperature
        cost = costs.tell_cost(config, run.policy, engine, run.validation, done=0)
        assert cost.seconds > 0
        assert cost.speed > 0
        after = engine.state_dict()["generator"].tolist(), engine.max_tokens, engine.temperature
        assert after == before
        assert not engine.collect()
