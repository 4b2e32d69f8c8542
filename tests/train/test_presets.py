import json
from importlib.resources import files

import pytest

import rlve
from rlve.collections import COLLECTIONS
from rlve.train.config import Config
from rlve.train.presets import PRESETS, default_preset, preset


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_work(name):
    config = preset(name)
    config.check()
    assert config == PRESETS[name]()
    assert config.run.folder is None
    for chosen in config.data.environments:
        assert chosen in COLLECTIONS or rlve.environment(chosen)


def test_nano_trains_on_what_it_was_taught():
    config = preset("nano")
    made_with = json.loads((files("rlve.models") / "nano" / "made_with.json").read_text())
    assert list(config.data.environments) == made_with["environments"]
    assert config.data.max_prompt_tokens + config.rollout.max_tokens <= made_with["context"]
    assert config.policy.format == "plain"  # as it was taught
    assert config.policy.device == "cpu"


def test_the_settings_of_nano_are_for_nano_alone():
    assert default_preset(None) == default_preset("nano") == "nano"
    for model in ("Qwen/Qwen2.5-0.5B", "./nano", "model.gguf"):
        assert default_preset(model) == "model"
    config, paper = preset("model"), Config()
    assert config.policy.format == "auto"
    assert config.policy.device == "auto"
    assert (config.rollout, config.update, config.data) == (paper.rollout, paper.update, paper.data)


def test_the_runs_of_the_paper():
    base = preset("qwen2.5-7b-base")
    assert (base.policy.format, base.rollout.max_tokens) == ("base", 8_192)
    assert base.update.learning_rate == 1e-6
    for name in ("r1-distill-qwen-1.5b", "deepscaler-1.5b", "prorl-1.5b-v2", "openthinker3-1.5b"):
        config = preset(name)
        assert (config.policy.format, config.rollout.max_tokens) == ("chat", 24_576)
        assert config.update.learning_rate == 2e-6
        assert "1.5B" in config.policy.model
    ours = {"nano", "small", "smollm2-135m"}
    for config in map(preset, [name for name in PRESETS if name not in ours]):
        rollout, update, data = config.rollout, config.update, config.data
        assert (rollout.problems, rollout.oversample, rollout.group) == (128, 384, 16)
        assert rollout.temperature == 1.0
        assert rollout.partial
        assert (update.clip_low, update.clip_high, update.aggregation) == (0.2, 0.28, "token")
        assert (update.beta1, update.beta2, update.weight_decay) == (0.9, 0.98, 0.01)
        assert (data.tau_acc, data.tau_num, data.window) == (0.9, None, 4)


def test_names_are_found_and_suggested():
    assert preset("NANO") == preset("nano")
    with pytest.raises(rlve.UserError, match=r"did you mean 'qwen2\.5-7b-base'"):
        preset("qwen2.5-7b")
    with pytest.raises(rlve.UserError, match=r"did you mean 'openthinker3-1\.5b'"):
        preset("OpenThinker")
    with pytest.raises(rlve.UserError, match="the presets are nano, "):
        preset("xyz")
