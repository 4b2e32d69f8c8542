"""How much GPU memory training a model takes, estimated before anything is loaded.

The estimate is on the low side: a model that it refuses cannot work, and one that it accepts may
still be too large for long outputs.
"""

from dataclasses import dataclass

import torch

from rlve.errors import UserError
from rlve.models.blueprints import blueprint
from rlve.models.config import EngineName, PolicyConfig
from rlve.models.folders import parameters_of

SINGLE, HALF = 4, 2  # bytes of a number in float32 and in bfloat16
GIB = 2**30

# What a layer keeps per token for the backward pass, in half precision and as a multiple of the
# model's width: the inputs of its projections, keys and values, and the inside of its MLP. A layer
# that is recomputed keeps its input, in single precision.
KEPT, KEPT_INPUT = 16, 2


@dataclass(frozen=True)
class Sampler:
    """The engine that samples on the same GPU.

    share   of the GPU's memory that vLLM takes
    sleeps  whether vLLM releases it while the weights are updated
    """

    engine: EngineName = "auto"
    share: float = 0.3
    sleeps: bool = True


def check_memory(
    config: PolicyConfig, sampler: Sampler, *, tokens: int, anchored: bool = False
) -> None:
    """Refuse a model that cannot be trained on this GPU; without a GPU there is nothing to check.

    tokens     in a forward and backward pass
    anchored   whether the initial policy is kept as well
    """
    available = gpu_memory(config)
    if available is None:
        return
    need = training_memory(config, sampler, tokens=tokens, anchored=anchored, gpu=available)
    if need <= available:
        return
    ways = [] if config.lora_rank else ["set policy.lora-rank"]
    ways += ["train a smaller model"]
    ways += [] if config.gradient_checkpointing else ["set policy.gradient-checkpointing"]
    ways += ["lower rollout.memory"] if sampler.engine == "vllm" else []
    raise UserError(
        f"training {config.model} needs about {need / GIB:,.0f} GiB, but the GPU has "
        f"{available / GIB:,.0f} GiB: {', or '.join(ways)}; rlve verl trains on several GPUs"
    )


def training_memory(
    config: PolicyConfig, sampler: Sampler, *, tokens: int, anchored: bool, gpu: int
) -> int:
    """The peak number of bytes that training needs, in the update or during sampling."""
    model = blueprint(config)
    total = parameters_of(model)
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    kept = SINGLE * total + 2 * SINGLE * trained  # the weights, and Adam's two moments
    kept += SINGLE * total if anchored else 0
    text = model.config.get_text_config()
    layer = KEPT_INPUT if config.gradient_checkpointing else KEPT
    activations = HALF * layer * text.hidden_size * text.num_hidden_layers * tokens
    update = SINGLE * trained + activations
    update += 0 if config.dtype == "float32" else HALF * total  # autocast keeps what it casts
    if sampler.engine == "vllm":
        sampling = int(sampler.share * gpu)
        return kept + (max(update, sampling) if sampler.sleeps else update + sampling)
    copy = 0 if sampler.engine == "in-process" else HALF * total
    return kept + copy + update


def gpu_memory(config: PolicyConfig) -> int | None:
    """The memory in bytes of the GPU that the policy will use; None if it will use none."""
    if config.device == "cpu" or not torch.cuda.is_available():
        return None
    return torch.cuda.get_device_properties(0).total_memory
