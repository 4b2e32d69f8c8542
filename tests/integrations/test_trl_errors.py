"""What the TRL adapter refuses; TRL itself is not needed for that."""

from importlib import metadata
from types import SimpleNamespace

import pytest

from rlve.errors import UserError
from rlve.integrations.trl import check, recipe, rlve_trainer, rows_at_once, updates_per_cycle


def settings(**changes):
    """The settings of a GRPOConfig that are looked at."""
    plain = {
        "generation_batch_size": 64,
        "num_generations": 8,
        "max_steps": 12,
        "eval_strategy": "no",
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


@pytest.fixture
def trl(monkeypatch):
    """Sets the version of trl that seems to be installed."""

    def installed(version):
        def found(name):
            if name != "trl" or version is None:
                raise metadata.PackageNotFoundError(name)
            return version

        monkeypatch.setattr(metadata, "version", found)

    return installed


@pytest.mark.parametrize("call", [lambda: recipe(), lambda: rlve_trainer("nano", ["C1"], None)])
def test_without_trl_the_error_says_how_to_install_it(trl, call):
    trl(None)
    with pytest.raises(UserError, match=r"trl >= 1\.16, < 1\.17.*pip install 'rlve\[trl\]'"):
        call()


@pytest.mark.parametrize("version", ["1.15.2", "1.17.0", "2.0", "0.29.1"])
def test_another_version_of_trl_is_refused(trl, version):
    trl(version)
    with pytest.raises(UserError, match=r"trl >= 1\.16, < 1\.17, but .* is installed"):
        recipe()


def test_the_usual_settings_are_accepted():
    check(settings(), rounds=3, options={"peft_config": None, "callbacks": []})
    check(settings(save_steps=0.25), rounds=1, options={})
    check(settings(save_strategy="no", save_steps=7, num_iterations=2), rounds=1, options={})


def test_groups_that_do_not_divide():
    said = refused(generation_batch_size=60)
    assert "60 rows does not divide into groups of num_generations=8" in said


@pytest.mark.parametrize(
    ("processes", "changes"),
    [
        ("1", {"problems": 3, "group": 5, "per_device_train_batch_size": 4}),
        ("3", {"problems": 16, "group": 8, "per_device_train_batch_size": 4}),
        ("2", {"problems": 1, "group": 2, "per_device_train_batch_size": 2}),
        ("1", {"per_device_train_batch_size": 0}),
    ],
)
def test_recipes_that_do_not_divide(trl, monkeypatch, processes, changes):
    trl("1.16.0")
    monkeypatch.setenv("WORLD_SIZE", processes)
    with pytest.raises(UserError, match="rows, which do not divide into steps of"):
        recipe(**changes)


def test_a_group_has_one_name(trl):
    trl("1.16.0")
    with pytest.raises(UserError, match="set group instead"):
        recipe(num_generations=4)


def test_a_run_needs_an_end():
    assert "set max_steps" in refused(max_steps=-1)


def test_it_does_not_evaluate():
    assert "does not evaluate" in refused(eval_strategy="steps")
    assert "does not evaluate" in refused(options={"eval_dataset": ["a question"]})


@pytest.mark.parametrize("name", ["reward_funcs", "train_dataset", "rollout_func", "tools"])
def test_problems_and_rewards_are_the_gyms(name):
    assert f"leave out {name}: problems and rewards" in refused(options={name: []})


def test_rounds():
    assert "rounds must be at least 1, not 0" in refused(rounds=0)


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
