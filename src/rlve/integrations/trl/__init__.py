"""RLVE inside TRL: an ordinary GRPOTrainer, fed by the gym.

    from rlve.integrations.trl import recipe, rlve_trainer

    args = recipe(output_dir="run", max_steps=500)        the paper's settings, as a GRPOConfig
    trainer = rlve_trainer("Qwen/Qwen2.5-1.5B-Instruct", ["C16"], args)
    trainer.train()                                       or train(resume_from_checkpoint=True)

An ordinary GRPOTrainer over the rows of `rlve dataset` needs a reward function only: `reward`, or
`correct`. For problems that answer back, environments.py has them as environments in TRL's sense
(rlve_environments).

TRL asks a rollout function for every generation batch. Ours, in rollout_function.py, draws fresh
problems, has TRL's own engine (transformers or vLLM) sample a group for each, judges them, drops
groups whose rewards are all the same, and draws more, in rounds, until the batch is full. Rewards
and metrics reach TRL in the usual way, and the curriculum is kept in TRL's checkpoints.

The curriculum steps once per generation batch. With TRL's defaults that is once per update;
num_iterations and steps_per_generation can make several updates from one batch.
"""

import math
import os
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from rlve.curricula import Curriculum, CurriculumSettings
from rlve.errors import UserError, require
from rlve.formats import Format, Prompt, prompt_format
from rlve.foundation.limits import AtLeastOne, check_limit
from rlve.gym import Gym, Signal
from rlve.integrations.rewards import correct, reward
from rlve.integrations.trl.checkpoints import checkpoint_callback
from rlve.integrations.trl.environments import rlve_environments
from rlve.integrations.trl.rollout_function import Ranks, Rollouts, Row
from rlve.pool import Pool, usable_cores

if TYPE_CHECKING:
    from trl import GRPOConfig, GRPOTrainer

__all__ = ["correct", "recipe", "reward", "rlve_environments", "rlve_trainer"]

MAX_TOKENS: Final = 24_576  # the paper's response limit
LOGITS: Final = 32_768  # tokens whose logits are held at a time, if more than a row: 20 GB


def rlve_trainer(
    model: Any,
    environments: str | Iterable[str],
    args: "GRPOConfig",
    *,
    format: str | Format | Callable[[str], Prompt] = "chat",
    signal: Signal = "reward",
    curriculum: CurriculumSettings | Curriculum = CurriculumSettings(),  # noqa: B008  frozen
    rounds: int = 3,
    max_prompt_tokens: int | None = None,
    workers: int | None = None,
    deadline: float = 10.0,
    pool: Pool | None = None,
    **options: Any,
) -> "GRPOTrainer":
    """A GRPOTrainer that trains on environments whose difficulty adapts to the policy.

    model              whatever GRPOTrainer accepts, or "nano", the embedded policy
    environments       one or more names of environments or collections (C1, C4, C16, C256, ALL)
    args               a GRPOConfig; `recipe` makes one with the paper's settings
    rounds             most rounds of drawing problems for one batch; 1: no refilling
    max_prompt_tokens  problems with longer prompts are replaced
    options            passed on to GRPOTrainer: peft_config, callbacks, optimizers, ...

    The others are those of `Gym`; the gym itself is trainer.rollout_func.gym.
    """
    _require()
    check(args, rounds=rounds, options=options)
    from trl import GRPOTrainer

    chosen = prompt_format(format)
    ranks = _ranks(args.process_index, args.world_size)
    gym = Gym(
        environments,
        group=args.num_generations,
        seed=args.seed,
        format=chosen,
        signal=signal,
        curriculum=curriculum,
        max_prompt_length=max_prompt_tokens,
        length=lambda text: len(trainer._tokenize_prompts([chosen.wrap(text)])[0][0]),
        ahead=256 if ranks.index == 0 else 0,  # other ranks never draw
        workers=_share_of_cores() if workers is None else workers,
        deadline=deadline,
        pool=pool,
    )
    rollouts = Rollouts(gym, ranks, rounds=rounds)
    trainer = GRPOTrainer(
        model=str(files("rlve.models") / "nano") if model == "nano" else model,
        args=args,
        train_dataset=_no_dataset(args),
        rollout_func=rollouts,
        reward_funcs=_reward_function(rollouts, table=args.log_completions),
        callbacks=[checkpoint_callback(gym), *(options.pop("callbacks", None) or ())],
        **options,
    )
    return trainer


def recipe(*, problems: int = 128, group: int = 16, **settings: Any) -> "GRPOConfig":
    """The paper's settings for a chat model of 1.5 billion parameters, in TRL's terms.

    problems  per batch, over all processes
    group     rollouts per problem
    settings  anything a GRPOConfig accepts; these override the recipe
    """
    _require()
    rows = problems * group
    length = settings.get("max_completion_length", MAX_TOKENS)
    per_device = settings.pop("per_device_train_batch_size", rows_at_once(length))
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if per_device < 1 or rows % (per_device * processes):
        raise UserError(
            f"{problems} problems x {group} rollouts are {rows} rows, which do not divide into "
            f"steps of {processes} process(es) x {per_device} rows: "
            "choose another per_device_train_batch_size, problems or group"
        )
    from trl import GRPOConfig

    paper: dict[str, Any] = {
        "loss_type": "dapo",  # a mean over all tokens of the batch
        "epsilon": 0.2,
        "epsilon_high": 0.28,
        "beta": 0.0,
        "scale_rewards": "group",
        "num_iterations": 1,
        "temperature": 1.0,
        "max_completion_length": MAX_TOKENS,
        "learning_rate": 2e-6,
        "lr_scheduler_type": "constant",
        "adam_beta1": 0.9,
        "adam_beta2": 0.98,
        "weight_decay": 0.01,
        # Corrects for the difference between sampling engine and trained model; only with vLLM.
        "vllm_importance_sampling_correction": True,
        "vllm_importance_sampling_mode": "token_truncate",
        "vllm_importance_sampling_clip_max": 2.0,
        "logging_steps": 1,
    }
    if not {"gradient_accumulation_steps", "steps_per_generation", "generation_batch_size"} & {
        *settings
    }:
        paper["gradient_accumulation_steps"] = rows // (per_device * processes)
    return GRPOConfig(
        num_generations=group, per_device_train_batch_size=per_device, **(paper | settings)
    )


def rows_at_once(length: int) -> int:
    """Rows in a forward and backward pass, which holds all their logits: 8 if outputs are short.

    At the paper's length, 8 rows at a vocabulary of 151,936 would be 119 GB in single precision.
    """
    return next(rows for rows in (8, 4, 2, 1) if rows == 1 or rows * length <= LOGITS)


def check(args: Any, *, rounds: int, options: dict[str, Any]) -> None:
    """Raise a UserError for settings that cannot work, before anything is loaded."""
    if args.max_steps < 1:
        raise UserError("problems never run out: set max_steps, the number of updates")
    for name in ("eval_dataset", "tools", "environment_factory"):
        if name in options:
            raise UserError(f"leave out {name}: this trainer only trains, on problems of the gym")
    check_limit("rounds", rounds, AtLeastOne)
    updates = updates_per_cycle(args)
    every = args.save_steps if args.save_strategy == "steps" else updates
    every = math.ceil(every * args.max_steps) if every < 1 else every  # a share of all updates
    for name, value in {"save_steps": every, "max_steps": args.max_steps}.items():
        if value % updates:
            raise UserError(
                f"{name}={value} would save in the middle of a generation batch, which cannot be "
                f"resumed: {updates} updates belong together, so choose a multiple of {updates}"
            )


def updates_per_cycle(args: Any) -> int:
    """The number of updates after which a generation batch and an update begin together again."""
    batch = args.steps_per_generation * args.num_iterations
    return math.lcm(batch, args.gradient_accumulation_steps) // args.gradient_accumulation_steps


def _reward_function(rollouts: Rollouts, *, table: bool) -> Callable[..., list[float]]:
    """Passes on the rewards, metrics and table columns from the rollout function."""

    def rlve(
        *,
        rlve_row: list[Row],
        log_extra: Callable[[str, list[Any]], None],
        log_metric: Callable[[str, float], None],
        **others: Any,
    ) -> list[float]:
        for name, value in rollouts.metrics.items():
            log_metric(name, value)
        if table:  # its own column of prompts is empty, like the prompts of the data set
            log_extra("environment", [row.item.name for row in rlve_row])
            log_extra("difficulty", [row.item.difficulty for row in rlve_row])
            log_extra("problem", [row.item.problem.prompt() for row in rlve_row])
        return [row.reward for row in rlve_row]

    return rlve


def _no_dataset(args: Any) -> Any:
    """Rows for TRL to count; an epoch is one cycle.

    A checkpoint then always falls between two epochs. Since an epoch begins by drawing a random
    number, a resumed run then has the same random numbers as an uninterrupted one.
    """
    from datasets import Dataset

    batches = updates_per_cycle(args) * args.gradient_accumulation_steps
    batches //= args.steps_per_generation * args.num_iterations
    rows = batches * args.generation_batch_size // args.num_generations
    return Dataset.from_dict({"prompt": [""] * rows})


def _ranks(index: int, count: int) -> Ranks:
    """The processes that torchrun or accelerate started."""
    from accelerate.utils import broadcast_object_list, gather_object

    if count == 1:
        return Ranks()
    return Ranks(index, count, gather_object, lambda own: broadcast_object_list([own])[0])


def _share_of_cores() -> int:
    return max(1, usable_cores() // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def _require() -> None:
    require("trl", extra="trl", at_least="1.16", below="1.17")
