"""Settings that are left to the model."""

from dataclasses import replace

import pytest

from rlve.models.config import PolicyConfig
from rlve.models.reading import model_settings
from rlve.train import model_limits as module
from rlve.train.config import Config
from rlve.train.limits import cut
from rlve.train.model_limits import fit_to_model
from rlve.train.teaching.config import TeachingConfig
from rlve.train.trainer import Run, train
from support.run_tiny import tiny_config


@pytest.mark.parametrize(
    ("wanted", "context", "expected"),
    [
        ((4096, 24_576), 32_768, (4096, 24_576)),
        ((4096, 24_576), 8192, (4096, 4096)),
        ((4096, 24_576), 20_000, (4096, 15_904)),
        ((4096, 24_576), 2048, (1024, 1024)),
        ((1024, 64), 1024, (960, 64)),
    ],
)
def test_prompts_and_outputs_share_the_context(wanted, context, expected):
    assert cut(*wanted, context=context) == expected


def test_limits_are_cut_with_a_word_and_a_run_goes_on_with_them(tiny_policy, tmp_path, caplog):
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    config = replace(config, rollout=replace(config.rollout, max_tokens=500))
    train(config)
    assert caplog.messages == [
        f"the context of {tiny_policy} is 128 tokens: prompts are limited to 64 and outputs to 64, "
        "rather than to 64 and 500"
    ]
    longer = replace(config, run=replace(config.run, steps=2))
    train(longer, resume=True)  # the settings of the folder are the same, once cut
    assert Run.read_config(tmp_path / "run").limits == (64, 64)


@pytest.mark.parametrize(
    ("billions", "rate", "teaching_rate"),
    [(0.135, 2e-5, 2e-4), (0.5, 4e-6, 5e-5), (1.5, 2e-6, 2e-5), (7, 1e-6, 1e-5)],
)
def test_the_learning_rate_follows_the_size(
    billions, rate, teaching_rate, tiny_policy, monkeypatch
):
    monkeypatch.setattr(module, "parameters_of", lambda model: billions * 1e9)
    policy = PolicyConfig(model=str(tiny_policy))
    adapted = replace(policy, lora_rank=4)
    assert fit_to_model(Config(policy=policy)).update.learning_rate == rate
    assert fit_to_model(Config(policy=adapted)).update.learning_rate == 25 * rate
    assert fit_to_model(TeachingConfig(policy=policy)).update.learning_rate == teaching_rate
    assert fit_to_model(TeachingConfig(policy=adapted)).update.learning_rate == 10 * teaching_rate


def test_a_given_learning_rate_stays(tiny_policy, monkeypatch):
    monkeypatch.setattr(module, "blueprint", None)  # nothing is counted
    config = tiny_config(tiny_policy, None)
    assert fit_to_model(config) == config


def test_the_context_of_a_model_with_images_is_that_of_its_text(tmp_path):
    from support.families import tiny

    tiny("gemma3, with images").save_pretrained(tmp_path)
    config = tiny_config(tmp_path, None)
    long = replace(config, rollout=replace(config.rollout, max_tokens=10_000))
    assert module.context_of(model_settings(config.policy)) == 256
    assert fit_to_model(long).limits == (64, 192)
