"""What `rlve verl` prints is a command that verl's own configuration understands."""

import re
import shlex
from pathlib import Path

import pytest

pytest.importorskip("verl", reason="needs rlve[verl]; run make test-verl")

from hydra import compose, initialize_config_module
from omegaconf import OmegaConf
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils.config import validate_config
from verl.utils.import_utils import load_extern_object

from rlve.cli import main
from rlve.integrations.verl.recipe import TEXT_TEMPLATE


def composed(capsys, *flags):
    """The configuration that verl makes of the printed command, checked as verl checks it."""
    capsys.readouterr()  # verl prints, too
    assert main(["verl", *flags, "--dry-run"]) == 0
    words = shlex.split(capsys.readouterr().out.replace("\\\n", " "))
    assert words[1:3] == ["-m", "verl.trainer.main_ppo"]
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose("ppo_trainer", overrides=words[3:])
    validate_config(config, need_reference_policy(config), need_critic(config))
    OmegaConf.resolve(config)
    return config


def test_the_paper_in_verls_terms(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = composed(capsys, "--model", "Org/Model-1.5B", "-c", "C16", "--nodes", "2")
    assert config.data.train_files == ["C16"]
    assert config.data.train_batch_size == config.actor_rollout_ref.actor.ppo_mini_batch_size == 128
    rollout = config.actor_rollout_ref.rollout
    assert config.data.rlve.group == rollout.n == 16
    assert config.data.rlve.tau_num is None
    assert (rollout.temperature, rollout.response_length, rollout.prompt_length) == (1, 24576, 4096)
    assert config.trainer.v1.trainer_mode == "colocate_async"
    assert config.trainer.v1.colocate_async.num_warmup_batches == 2
    actor = config.actor_rollout_ref.actor
    assert (actor.clip_ratio_low, actor.clip_ratio_high) == (0.2, 0.28)
    assert actor.loss_agg_mode == "token-mean"
    assert not actor.use_kl_loss
    assert not config.algorithm.use_kl_in_reward
    assert actor.entropy_coeff == 0
    assert actor.optim.lr == 2e-6
    assert (list(actor.optim.betas), actor.optim.weight_decay) == ([0.9, 0.98], 0.01)
    assert config.algorithm.rollout_correction.rollout_is == "token"
    assert config.algorithm.filter_groups.enable
    assert (config.trainer.nnodes, config.trainer.n_gpus_per_node) == (2, 8)
    assert config.ray_kwargs.ray_init.address == "auto"
    folder = Path(config.trainer.default_local_dir)
    assert folder.parent == tmp_path / "runs"
    assert re.fullmatch(r"verl-Model-1.5B-\d{8}-\d{6}", folder.name)
    assert config.actor_rollout_ref.model.custom_chat_template is None


def test_every_path_that_verl_is_given_leads_somewhere(capsys):
    for more in ((), ("--no-partial",)):
        config = composed(capsys, "--model", "nano", *more)
        sampler = config.trainer.v1.sampler.custom_sampler
        buffer = load_extern_object(sampler.path, sampler.name)
        assert buffer.__name__ == "CountingReplayBuffer" + ("" if more else "Async")
        assert load_extern_object(config.data.custom_cls.path, config.data.custom_cls.name)
        function = config.reward.custom_reward_function
        assert callable(load_extern_object(function.path, function.name))


def test_awkward_words_reach_verl_as_they_are(capsys, tmp_path):
    folder = tmp_path / "it's a {run}, = [odd]"
    test = tmp_path / "held out.jsonl"
    test.touch()
    config = composed(
        *(capsys, "--model", "my model", "--folder", str(folder), "--validate", str(test)),
        *("--format", "base", "--static", "2", "5", "--set", "trainer.logger=[console,wandb]"),
        *("--aggregation", "sample", "--learning-rate", "1e-6", "Sorting", "EuclidGame"),
    )
    assert config.trainer.default_local_dir == str(folder)
    assert config.data.val_files == [str(test)]
    assert config.actor_rollout_ref.model.path == "my model"
    assert config.actor_rollout_ref.model.custom_chat_template == TEXT_TEMPLATE
    assert config.data.rlve.static == [2, 5]
    assert config.trainer.logger == ["console", "wandb"]
    assert config.data.train_files == ["Sorting", "EuclidGame"]
    assert config.actor_rollout_ref.actor.loss_agg_mode == "seq-mean-token-mean"
    assert config.actor_rollout_ref.actor.optim.lr == 1e-6
    assert config.actor_rollout_ref.rollout.val_kwargs.temperature == 0.6
