"""What the TRL adapter refuses; TRL itself is not needed for that."""

from importlib import metadata
from types import SimpleNamespace

import pytest

from rlve.errors import UserError
from rlve.integrations.trl import check, recipe, rlve_trainer, rows_at_once, updates_per_cycle


def settings(**changes):
    """The settings of a GRPOConfig that are looked at."""
    plain = {
        "max_steps": 12,
        "steps_per_generation": 2,
        "num_iterations": 1,
        "gradient_accumulation_steps": 2,
        "save_strategy": "steps",
        "save_steps": 500,
    }
    return SimpleNamespace(**(plain | changes))


def refused(options=None, rounds=3, **changes):
    with pytest.raises(UserError) as caught:
        check(settings(**changes), rounds=rounds, options=options or {})
    return str(caught.value)


@pytest.mark.parametrize("version", ["1.15.2", "1.17.0"])
def test_another_version_of_trl_is_refused(monkeypatch, version):
    monkeypatch.setattr(metadata, "version", lambda name: version)
    for call in (recipe, lambda: rlve_trainer("nano", ["C1"], None)):
        with pytest.raises(UserError, match=r"trl >= 1\.16, < 1\.17, but .*'rlve\[trl\]'"):
            call()


def test_the_usual_settings_are_accepted():
    check(settings(), rounds=3, options={"peft_config": None, "callbacks": []})
    check(settings(save_steps=0.25), rounds=1, options={})
    check(settings(save_strategy="no", save_steps=7, num_iterations=2), rounds=1, options={})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_steps": -1}, "set max_steps"),
        ({"options": {"eval_dataset": ["a question"]}}, "leave out eval_dataset"),
        ({"options": {"tools": []}}, "leave out tools"),
        ({"rounds": 0}, "rounds must be at least 1, not 0"),
    ],
)
def test_what_cannot_work(changes, message):
    assert message in refused(**changes)


@pytest.mark.parametrize(
    ("processes", "changes"),
    [
        ("1", {"problems": 3, "group": 5, "per_device_train_batch_size": 4}),
        ("3", {"problems": 16, "group": 8, "per_device_train_batch_size": 4}),
        ("2", {"problems": 1, "group": 2, "per_device_train_batch_size": 2}),
        ("1", {"per_device_train_batch_size": 0}),
    ],
)
def test_recipes_that_do_not_divide(monkeypatch, processes, changes):
    monkeypatch.setattr(metadata, "version", lambda name: "1.16.0")
    monkeypatch.setenv("WORLD_SIZE", processes)
    with pytest.raises(UserError, match="rows, which do not divide into steps of"):
        recipe(**changes)


@pytest.mark.parametrize(
    ("changes", "updates"),
    [
        ({}, 1),
        ({"num_iterations": 3}, 3),
        ({"steps_per_generation": 8}, 4),
        ({"steps_per_generation": 1, "gradient_accumulation_steps": 4}, 1),
        ({"steps_per_generation": 3, "gradient_accumulation_steps": 2}, 3),
    ],
)
def test_a_checkpoint_is_never_in_the_middle_of_a_batch(changes, updates):
    assert updates_per_cycle(settings(**changes)) == updates
    check(settings(**changes, save_steps=updates), rounds=3, options={})
    if updates > 1:
        said = refused(**changes, save_steps=updates + 1)
        assert f"save_steps={updates + 1}" in said
        assert f"a multiple of {updates}" in said
        said = refused(**changes, save_steps=updates, max_steps=updates * 5 - 1)
        assert "max_steps" in said


def test_the_logits_of_a_pass_fit_on_a_gpu():
    assert [rows_at_once(length) for length in (64, 4096, 8192, 24_576, 100_000)] == [8, 8, 4, 1, 1]
    assert 24_576 * rows_at_once(24_576) * 151_936 * 4 < 16e9  # bytes, in single precision
