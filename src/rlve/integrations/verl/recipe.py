"""The paper's training recipe in verl's terms.

    Recipe(model="Qwen/Qwen2.5-7B", environments=("C256",), nodes=4, gpus=8).overrides()

gives the settings for `python -m verl.trainer.main_ppo`. Everything else keeps verl's defaults.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Literal, cast

from rlve.errors import UserError
from rlve.formats import prompt_format
from rlve.foundation.limits import AtLeastOne
from rlve.integrations.recipe import ModelName, PaperRecipe

TEXT_TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
"""A chat template that leaves text unchanged, for the formats base and plain."""

HERE = "pkg://rlve.integrations.verl"


@dataclass(frozen=True, kw_only=True)
class Recipe(PaperRecipe):
    """A training run; the defaults are the paper's for a model of 1.5 billion parameters."""

    library = "verl"

    model: ModelName
    """A Hugging Face causal model: a folder or a hub name; `nano` is the embedded policy."""
    engine: Literal["vllm", "sglang"] = "vllm"
    """The sampling engine."""
    tensor_parallel: AtLeastOne = 1
    """GPUs that share one copy of the sampling model."""
    validate: Path | None = None
    """Test on the problems of this file, written by `rlve dataset`."""
    validate_every: AtLeastOne = 50
    """Steps between these tests."""
    log_to: tuple[str, ...] = ("console",)
    """Where verl sends the metrics: console, wandb, tensorboard, file, ..."""

    def check(self) -> None:
        for name in self.environments:
            where, _, cls = name.rpartition(":")
            if where.endswith(".py"):
                raise UserError(
                    "verl's processes import environments by module name: put the folder of "
                    f"{where} on PYTHONPATH, and write {Path(where).stem}:{cls}"
                )
        super().check()
        ranks = self.nodes * self.gpus
        self.divide_batch(ranks, f"{self.nodes} x {self.gpus} = {ranks} GPUs")
        longest = self.max_prompt_tokens + self.max_tokens
        if self.tokens_per_gpu is not None and self.tokens_per_gpu < longest:
            raise UserError(
                f"--tokens-per-gpu ({self.tokens_per_gpu}) must be at least the longest prompt "
                f"plus the longest output, {longest}"
            )
        if self.validate is not None and not self.validate.exists():
            raise UserError(f"there is no file {self.validate}")

    def overrides(self) -> list[str]:
        """The settings as words of verl's command line."""
        self.check()
        return [f"{key}={_write(value)}" for key, value in self.settings().items()]

    def settings(self) -> dict[str, object]:
        """The settings by their names in verl's configuration (+ if verl has no such name)."""
        actor, rollout = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
        longest = self.max_prompt_tokens + self.max_tokens
        settings: dict[str, object] = {
            # Problems: rlve.integrations.verl.dataset
            "data.custom_cls.path": f"{HERE}.dataset",
            "data.custom_cls.name": "ProblemDataset",
            "data.train_files": self.environments,
            "data.train_batch_size": self.problems,
            "data.max_prompt_length": self.max_prompt_tokens,
            "data.max_response_length": self.max_tokens,
            "data.shuffle": False,
            "data.dataloader_num_workers": 0,
            "+data.rlve.group": f"${{{rollout}.n}}",
            "+data.rlve.seed": self.seed,
            "+data.rlve.format": self.format,
            "+data.rlve.signal": self.signal,
            **{f"+data.rlve.{name}": value for name, value in self.options().items()},
            "+data.rlve.workers": self.workers,
            # Verdicts: rlve.integrations.verl.reward
            "reward.custom_reward_function.path": f"{HERE}.reward",
            "reward.custom_reward_function.name": "compute_score",
            # The curriculum: rlve.integrations.verl.replay_buffer
            "trainer.v1.sampler.custom_sampler.path": f"{HERE}.replay_buffer",
            "trainer.v1.sampler.custom_sampler.name": "CountingReplayBuffer"
            + ("Async" if self.partial else ""),
            # Sampling
            "actor_rollout_ref.model.path": self._model(),
            f"{rollout}.name": self.engine,
            f"{rollout}.n": self.group,
            f"{rollout}.temperature": self.temperature,
            f"{rollout}.top_p": 1.0,
            f"{rollout}.top_k": -1,
            f"{rollout}.tensor_model_parallel_size": self.tensor_parallel,
            f"{rollout}.gpu_memory_utilization": self.memory,
            f"{rollout}.max_model_len": longest,
            f"{rollout}.calculate_log_probs": True,
            # Dynamic sampling, oversampling, partial rollouts
            "algorithm.filter_groups.enable": True,
            "algorithm.filter_groups.max_inflight_gen_batches": ceil(
                self.oversample / self.problems
            ),
            "algorithm.filter_groups.max_num_gen_batches": ceil(
                self.rounds * self.oversample / self.problems
            ),
            "trainer.v1.trainer_mode": "colocate_async" if self.partial else "sync",
            # A step adds a batch of problems to those under way from earlier steps.
            "trainer.v1.colocate_async.num_warmup_batches": self.oversample / self.problems - 1,
            "trainer.v1.sampler.max_off_policy_threshold": None,  # none is dropped for its age
            # DAPO
            "algorithm.adv_estimator": "grpo",
            "algorithm.norm_adv_by_std_in_grpo": True,
            "algorithm.use_kl_in_reward": False,
            "algorithm.rollout_correction.rollout_is": "token",
            "algorithm.rollout_correction.rollout_is_threshold": 2.0,
            f"{actor}.use_kl_loss": False,
            f"{actor}.entropy_coeff": 0,
            f"{actor}.clip_ratio_low": 0.2,
            f"{actor}.clip_ratio_high": 0.28,
            f"{actor}.loss_agg_mode": "token-mean"
            if self.aggregation == "token"
            else "seq-mean-token-mean",
            # One AdamW update per batch
            f"{actor}.strategy": "fsdp2",
            f"{actor}.ppo_mini_batch_size": self.problems,
            f"{actor}.ppo_epochs": 1,
            f"{actor}.use_dynamic_bsz": True,
            f"{actor}.ppo_max_token_len_per_gpu": self.tokens_per_gpu or longest,
            f"{actor}.grad_clip": 1.0,
            f"{actor}.optim.lr": self.learning_rate,
            f"{actor}.optim.betas": [0.9, 0.98],
            f"{actor}.optim.weight_decay": 0.01,
            f"{actor}.optim.lr_scheduler_type": "constant",
            # The run
            "trainer.nnodes": self.nodes,
            "trainer.n_gpus_per_node": self.gpus,
            "trainer.total_training_steps": self.steps,
            "trainer.save_freq": self.checkpoint_every,
            "trainer.default_local_dir": str(self.place),
            "trainer.resume_mode": "auto",
            "trainer.project_name": "rlve",
            "trainer.experiment_name": self.place.name,
            "trainer.logger": self.log_to,
            "hydra.run.dir": str(self.place / "hydra"),
        }
        if not isinstance(prompt_format(self.format).wrap(""), list):
            settings["actor_rollout_ref.model.custom_chat_template"] = TEXT_TEMPLATE
        if self.nodes > 1:
            settings["+ray_kwargs.ray_init.address"] = "auto"
        return settings | self._validation()

    def _model(self) -> str:
        if self.model == "nano":
            return str(files("rlve.models") / "nano")
        folder = Path(self.model)
        return str(folder.resolve()) if folder.exists() else self.model

    def _validation(self) -> dict[str, object]:
        if self.validate is None:
            return {
                "data.val_files": None,
                "trainer.val_before_train": False,
                "trainer.test_freq": -1,
                "data.val_batch_size": 1,  # unused, but without it verl asks for batches of 0
            }
        sampling = "actor_rollout_ref.rollout.val_kwargs"
        return {
            "data.val_files": [str(self.validate.resolve())],
            "trainer.val_before_train": True,
            "trainer.test_freq": self.validate_every,
            f"{sampling}.do_sample": True,
            f"{sampling}.temperature": 0.6,
            f"{sampling}.top_p": 0.95,
        }


def _write(value: object) -> str:
    """A value in the grammar of Hydra's command line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_write, cast('Sequence[object]', value)))}]"
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return f"{{{','.join(f'{key}:{_write(inner)}' for key, inner in pairs)}}}"
    text = str(value)
    if isinstance(value, str) and not re.fullmatch(r"[\w./:$\{\}-]+", text, re.ASCII):
        escaped = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return text
