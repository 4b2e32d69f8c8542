"""The paper's training recipe in verl's terms.

    Recipe(model="Qwen/Qwen2.5-7B", environments=("C256",), nodes=4, gpus=8).overrides()

gives the settings that `python -m verl.trainer.main_ppo` takes. Everything that is not said there
has verl's own default.
"""

import re
from dataclasses import dataclass
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Annotated, Literal, cast

from tyro.conf import arg

from rlve.collections import resolve
from rlve.errors import UserError
from rlve.formats import prompt_format

TEXT_TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
"""A chat template that leaves a text as it is, for the formats base and plain."""

HERE = "pkg://rlve.integrations.verl"


@dataclass(frozen=True)
class Recipe:
    """A training run; the defaults are the paper's for a model of 1.5 billion parameters."""

    model: str
    """A folder or hub name of a Hugging Face causal model; `nano` is the embedded policy."""
    environments: Annotated[tuple[str, ...], arg(aliases=["-c", "--collection"])] = ("C16",)
    """Names of environments and of collections (C1, C4, C16, C256, ALL). MODULE:CLASS is your own;
    all nodes must be able to import it."""
    nodes: int = 1
    """Machines; with more than one, Ray must be running on them."""
    gpus: int = 8
    """GPUs of each machine."""
    folder: Path | None = None
    """Checkpoints go there, and are resumed from there; all nodes must see it. By default a folder
    in runs/ that is named after the model and the environments."""
    steps: int = 1000
    """Training steps."""
    checkpoint_every: int = 50
    """Steps between checkpoints."""
    format: Literal["chat", "base", "plain"] = "chat"
    """chat: the problem is the user's turn, \\boxed{} the answer; base: <think>, then <answer>."""
    signal: Literal["reward", "correct"] = "reward"
    """What is trained on, and what dynamic sampling compares: the shaped reward, or 0/1."""
    static: tuple[int, int] | None = None
    """Draw difficulties from this fixed range instead of adapting them."""
    tau_acc: float = 0.9
    """The accuracy at the highest level h from which on h rises."""
    tau_num: int | None = None
    """The rollouts at h after which that is decided; by default 8 x rollouts per problem."""
    window: int = 4
    """How many levels a range spans at most (d_delta)."""
    seed: int = 0
    """Of the problems."""
    problems: int = 128
    """Problems whose groups make up the batch of a step."""
    oversample: int = 384
    """Problems that are sampled at once, because groups without signal are dropped."""
    rounds: int = 8
    """After so many times `oversample` problems a step makes do with what it has."""
    group: int = 16
    """Rollouts per problem."""
    max_prompt_tokens: int = 4096
    """A problem with a longer prompt is drawn again."""
    max_tokens: int = 24_576
    """The response limit; 8,192 for Qwen2.5-7B-Base, in the paper."""
    temperature: float = 1.0
    """Of the sampling."""
    partial: bool = True
    """Resume, in the next step, rollouts that were not finished when the batch was full."""
    learning_rate: float = 2e-6
    """Constant. 2e-6 for 1.5B models, 1e-6 for Qwen2.5-7B-Base, in the paper."""
    aggregation: Literal["token", "sample"] = "token"
    """token: all tokens of the batch count the same (DAPO); sample: all outputs do."""
    engine: Literal["vllm", "sglang"] = "vllm"
    """What samples."""
    tensor_parallel: int = 1
    """GPUs that share one copy of the sampling model."""
    memory: float = 0.5
    """The share of a GPU's memory that the sampling engine takes."""
    tokens_per_gpu: int | None = None
    """Tokens in one forward and backward pass; by default the longest prompt and output."""
    workers: int = 8
    """Processes that generate problems, on the node that drives the training."""
    validate: Path | None = None
    """Test on the problems of this file, written by `rlve dataset`."""
    validate_every: int = 50
    """Steps between such tests."""
    log_to: tuple[str, ...] = ("console",)
    """Where verl sends the metrics: console, wandb, tensorboard, file, ..."""

    def check(self) -> None:
        """Raise a UserError for what cannot work, before any long work starts."""
        names = (
            *("nodes", "gpus", "steps", "checkpoint_every", "problems", "max_tokens"),
            *("max_prompt_tokens", "tensor_parallel", "workers", "validate_every", "rounds"),
        )
        for name in names:
            if getattr(self, name) < 1:
                raise UserError(f"{_flag(name)} is at least 1, not {getattr(self, name)}")
        if not self.environments:
            raise UserError("no environment was asked for; give names to --environments")
        for name in self.environments:
            where, _, cls = name.rpartition(":")
            if where.endswith(".py"):
                raise UserError(
                    f"verl's processes import environments by the names of their modules: put the "
                    f"folder of {where} on PYTHONPATH, and write {Path(where).stem}:{cls}"
                )
        resolve(self.environments)
        if self.group < 2:
            raise UserError(f"--group is at least 2, not {self.group}")
        if self.oversample < self.problems:
            raise UserError(
                f"--oversample ({self.oversample}) is at least --problems ({self.problems})"
            )
        ranks, rollouts = self.nodes * self.gpus, self.problems * self.group
        if rollouts % ranks:
            raise UserError(
                f"a batch of {self.problems} problems x {self.group} rollouts = {rollouts} outputs "
                f"does not divide into equal parts for {self.nodes} x {self.gpus} = {ranks} GPUs"
            )
        if ranks % self.tensor_parallel:
            raise UserError(
                f"{self.nodes} x {self.gpus} = {ranks} GPUs do not divide into groups of "
                f"--tensor-parallel {self.tensor_parallel}"
            )
        if self.temperature <= 0:
            raise UserError(f"--temperature is above 0, not {self.temperature}")
        if self.learning_rate <= 0:
            raise UserError(f"--learning-rate is above 0, not {self.learning_rate}")
        if not 0 < self.memory < 1:
            raise UserError(f"--memory is between 0 and 1, not {self.memory}")
        longest = self.max_prompt_tokens + self.max_tokens
        if self.tokens_per_gpu is not None and self.tokens_per_gpu < longest:
            raise UserError(
                f"--tokens-per-gpu ({self.tokens_per_gpu}) is at least the longest prompt and "
                f"output together, {longest}"
            )
        if self.validate is not None and not self.validate.exists():
            raise UserError(f"there is no file {self.validate}")

    def overrides(self) -> list[str]:
        """The settings, as words of verl's command line."""
        self.check()
        return [f"{key}={_written(value)}" for key, value in self.settings().items()]

    def settings(self) -> dict[str, object]:
        """The settings, by their names in verl's configuration (+ where verl has no such name)."""
        actor, rollout = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
        longest = self.max_prompt_tokens + self.max_tokens
        folder = self.place()
        settings: dict[str, object] = {
            # Problems: rlve.integrations.verl.dataset
            "data.custom_cls.path": f"{HERE}.dataset",
            "data.custom_cls.name": "ProblemDataset",
            "data.train_files": list(self.environments),
            "data.val_files": [str(self.validate.resolve())] if self.validate else None,
            "data.train_batch_size": self.problems,
            "data.max_prompt_length": self.max_prompt_tokens,
            "data.max_response_length": self.max_tokens,
            "data.shuffle": False,
            "data.dataloader_num_workers": 0,
            "+data.rlve.group": f"${{{rollout}.n}}",
            "+data.rlve.seed": self.seed,
            "+data.rlve.format": self.format,
            "+data.rlve.signal": self.signal,
            "+data.rlve.static": list(self.static) if self.static else None,
            "+data.rlve.tau_acc": self.tau_acc,
            "+data.rlve.tau_num": self.tau_num,
            "+data.rlve.window": self.window,
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
            # A step adds a batch of problems to those that are under way from the steps before.
            "trainer.v1.colocate_async.num_warmup_batches": self.oversample / self.problems - 1,
            "trainer.v1.sampler.max_off_policy_threshold": None,  # none is given up for its age
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
            # One update of AdamW for each batch
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
            "trainer.default_local_dir": str(folder),
            "trainer.resume_mode": "auto",
            "trainer.project_name": "rlve",
            "trainer.experiment_name": folder.name,
            "trainer.logger": list(self.log_to),
            "hydra.run.dir": str(folder / "hydra"),
        }
        if not isinstance(prompt_format(self.format).wrap(""), list):
            settings["actor_rollout_ref.model.custom_chat_template"] = TEXT_TEMPLATE
        if self.nodes > 1:
            settings["+ray_kwargs.ray_init.address"] = "auto"
        return settings | self._validation()

    def place(self) -> Path:
        """The folder of the run. The same settings give the same, so a command resumes itself."""
        if self.folder is not None:
            return self.folder.resolve()
        names = "-".join(("verl", Path(self.model).name, *self.environments))
        return (Path("runs") / re.sub(r"[^\w.-]+", "-", names)[:100]).resolve()

    def _model(self) -> str:
        if self.model == "nano":
            return str(files("rlve") / "nano")
        place = Path(self.model)
        return str(place.resolve()) if place.exists() else self.model

    def _validation(self) -> dict[str, object]:
        if self.validate is None:
            return {
                "trainer.val_before_train": False,
                "trainer.test_freq": -1,
                "data.val_batch_size": 1,  # of nothing; without it verl asks for batches of 0
            }
        sampling = "actor_rollout_ref.rollout.val_kwargs"
        return {
            "trainer.val_before_train": True,
            "trainer.test_freq": self.validate_every,
            f"{sampling}.do_sample": True,
            f"{sampling}.temperature": 0.6,
            f"{sampling}.top_p": 0.95,
        }


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _written(value: object) -> str:
    """A value in the grammar of Hydra's command line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        return f"[{','.join(map(_written, cast('list[object]', value)))}]"
    text = str(value)
    if isinstance(value, str) and not re.fullmatch(r"[\w./:$\{\}-]+", text):
        escaped = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return text
