"""`rlve train` uses one GPU, and says so where there are more."""

import logging
import shlex

import pytest
import torch

from rlve.cli import main
from rlve.train.gpus import all_gpus, tell_gpus
from rlve.train.presets import preset
from rlve.train.teaching.config import TeachingConfig


@pytest.mark.parametrize("name", ["prorl-1.5b-v2", "qwen2.5-7b-base", "smollm2-135m", "nano"])
def test_the_command_for_all_gpus_trains_the_same(name, capsys):
    config = preset(name)
    words = shlex.split(all_gpus(config, 4))
    assert words[0] == "rlve"
    assert main([*words[1:], "--dry-run"]) == 0
    told = set(shlex.split(capsys.readouterr().out.replace("\\\n", " ")))
    assert {
        f"data.train_files=[{','.join(config.data.environments)}]",
        f"data.train_batch_size={config.rollout.problems}",
        f"data.max_response_length={config.rollout.max_tokens}",
        f"data.max_prompt_length={config.data.max_prompt_tokens}",
        f"actor_rollout_ref.rollout.n={config.rollout.group}",
        f"actor_rollout_ref.actor.optim.lr={config.update.learning_rate}",
        f"+data.rlve.tau_acc={config.data.tau_acc}",
        f"+data.rlve.format={config.policy.format}",
        f"+data.rlve.signal={config.rollout.signal}",
        f"trainer.total_training_steps={config.run.steps}",
        "trainer.n_gpus_per_node=4",
    } <= told
    assert shlex.join(shlex.split(all_gpus(preset("prorl-1.5b-v2"), 8))) == (
        "rlve verl ALL --model nvidia/Nemotron-Research-Reasoning-Qwen-1.5B --gpus 8"
    )


def told(config, device, caplog):
    """What a run on this device says of GPUs."""
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        tell_gpus(config, torch.device(device))
    return caplog.text


def test_a_run_on_one_of_several_gpus_names_the_command_for_all(caplog, monkeypatch):
    config = preset("prorl-1.5b-v2")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
    assert f"one of 8 GPUs, cuda:0; this trains on all of them: {all_gpus(config, 8)}" in told(
        config, "cuda:0", caplog
    )
    assert "one of 8 GPUs, cuda:0\n" in told(TeachingConfig(), "cuda:0", caplog)
    assert told(config, "cpu", caplog) == ""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert told(config, "cuda:0", caplog) == ""
