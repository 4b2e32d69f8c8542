"""Settings to start from: nano on a laptop, any model on one GPU, and the paper's runs.

    config = preset("nano")
    config = preset("qwen2.5-7b-base")

Each is a function that returns a Config. `rlve train --preset NAME` takes its defaults from there,
and flags such as --data.environments C16 can still change every setting.
"""

import difflib
import json
from collections.abc import Callable
from importlib.resources import files

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.train.config import (
    Config,
    DataConfig,
    RolloutConfig,
    RunConfig,
    UpdateConfig,
    ValidationConfig,
)

DEFAULT = "nano"
ANY_MODEL = ("model", "small")
"""The presets that name no model."""


def default_preset(model: str | None) -> str:
    """The preset for a model given without one; nano's settings are for nano alone."""
    return DEFAULT if model in (None, "nano") else "model"


def fitting_preset(parameters: int) -> str:
    """The preset for a model of so many parameters that is not trained for long."""
    return "smollm2-135m" if parameters <= 0.3e9 else "small"


def any_model() -> Config:
    """Any other model: the paper's recipe, on C16, with a learning rate for the model's size."""
    return Config(policy=PolicyConfig(gradient_checkpointing=True))


def small() -> Config:
    """Any model of up to about two billion parameters, on one GPU, for an hour.

    The outputs end after 1,024 tokens, so it is for models that reason briefly. What departs from
    the paper is the size of the batch and that limit. A model that hardly ever has signal is not
    sampled from for long: a step draws at most three times.
    """
    return Config(
        data=DataConfig(environments=("C256",), max_prompt_tokens=1024),
        rollout=RolloutConfig(problems=32, oversample=64, rounds=3, group=16, max_tokens=1024),
        update=UpdateConfig(warmup_steps=10),
        validation=ValidationConfig(levels=(0, 1, 2), problems=4, held_out=32),
        run=RunConfig(steps=300, hours=1.0),
    )


def nano() -> Config:
    """The embedded policy on the environments it was taught: six to seven minutes on two cores.

    Where it departs from the paper, the reason is the size of model and batch (docs/train.md
    has the numbers): rewards of 0 and 1, a learning rate that falls, a lower bar for the
    next level, and a window that keeps all levels, because so small a model forgets what it no
    longer sees.
    """
    made_with = json.loads((files("rlve.models") / "nano" / "made_with.json").read_text())
    return Config(
        policy=PolicyConfig(model="nano", format="plain", device="cpu"),
        data=DataConfig(
            environments=tuple(made_with["environments"]),
            tau_acc=0.7,
            window=8,
            max_prompt_tokens=512,
        ),
        rollout=RolloutConfig(
            problems=32,
            oversample=48,
            rounds=3,
            group=16,
            max_tokens=192,
            signal="correct",
            slots=1024,
        ),
        update=UpdateConfig(learning_rate=1e-4, schedule="linear", warmup_steps=10),
        validation=ValidationConfig(levels=tuple(range(8)), problems=38),
        run=RunConfig(steps=160),
    )


def smollm2() -> Config:
    """SmolLM2-135M-Instruct, short answers without reasoning; eight such runs fit on 139 GiB.

    Untaught, it hardly ever marks an answer. `rlve teach` it first, and give the resulting folder
    as --policy.model.
    """
    return Config(
        policy=PolicyConfig(model="HuggingFaceTB/SmolLM2-135M-Instruct", format="chat"),
        data=DataConfig(max_prompt_tokens=1024),
        rollout=RolloutConfig(problems=32, oversample=64, rounds=1, group=16, max_tokens=64),
        update=UpdateConfig(learning_rate=2e-5, warmup_steps=10, micro_batch_tokens=4096),
        run=RunConfig(steps=300, checkpoint_every=100),
    )


def qwen_7b_base() -> Config:
    """Qwen2.5-7B-Base: the <think>/<answer> format, 8,192 tokens, learning rate 1e-6."""
    return Config(
        policy=PolicyConfig(model="Qwen/Qwen2.5-7B", format="base", gradient_checkpointing=True),
        data=DataConfig(environments=("C256",)),
        rollout=RolloutConfig(engine="vllm", max_tokens=8_192),
        update=UpdateConfig(learning_rate=1e-6),
    )


def reasoning_model(model: str, environments: str = "C256") -> Config:
    """A chat model of 1.5 billion parameters: 24,576 tokens, learning rate 2e-6."""
    return Config(
        policy=PolicyConfig(model=model, format="chat", gradient_checkpointing=True),
        data=DataConfig(environments=(environments,)),
        rollout=RolloutConfig(engine="vllm", max_tokens=24_576),
        update=UpdateConfig(learning_rate=2e-6),
    )


R1_DISTILL = "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"
DEEPSCALER = "agentica-org/DeepScaleR-1.5B-Preview"
PRORL = "nvidia/Nemotron-Research-Reasoning-Qwen-1.5B"  # ProRL-1.5B-v2 is its second version
OPENTHINKER = "open-thoughts/OpenThinker3-1.5B"

PRESETS: dict[str, Callable[[], Config]] = {
    "nano": nano,
    "model": any_model,
    "small": small,
    "smollm2-135m": smollm2,
    "qwen2.5-7b-base": qwen_7b_base,
    "r1-distill-qwen-1.5b": lambda: reasoning_model(R1_DISTILL),
    "deepscaler-1.5b": lambda: reasoning_model(DEEPSCALER),
    "prorl-1.5b-v2": lambda: reasoning_model(PRORL, "ALL"),
    "openthinker3-1.5b": lambda: reasoning_model(OPENTHINKER, "ALL"),
}


def preset(name: str) -> Config:
    """The preset of that name; case does not matter."""
    key = name.lower()
    if key in PRESETS:
        return PRESETS[key]()
    near = difflib.get_close_matches(key, PRESETS, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"the presets are {', '.join(PRESETS)}."
    raise UserError(f"no preset is named {name!r}; {hint}")
