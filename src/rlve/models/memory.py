"""How much GPU memory training a model takes: estimated before anything is loaded, then measured.

The estimate is on the low side: a model that it refuses cannot work, and one that it accepts may
still be too large for long outputs.
"""

import logging
from dataclasses import dataclass

import torch

from rlve.errors import UserError
from rlve.models.blueprints import blueprint
from rlve.models.config import PolicyConfig
from rlve.models.engines.table import engine_kind
from rlve.models.folders import parameters_of
from rlve.models.logprobs import CHUNK_ON_GPU
from rlve.models.policy import hold_half, holds_half

SINGLE, HALF = 4, 2  # bytes of a number in float32 and in bfloat16
GIB = 2**30

# What a layer keeps per token for the backward pass, in half precision and as a multiple of the
# model's width: the inputs of its projections, keys and values, and the inside of its MLP. A layer
# that is recomputed keeps its input, in single precision.
KEPT, KEPT_INPUT = 16, 2

MARGIN = 1.25
"""The update is left this many times what it is estimated to need."""

_log = logging.getLogger("rlve.train")


@dataclass(frozen=True)
class Sampler:
    """The engine that samples on the same GPU.

    share   of the GPU's memory that it may take; None is the default of its kind
    sleeps  whether it releases its memory while the weights are updated, if it can
    """

    engine: str = "auto"
    share: float | None = None
    sleeps: bool = True


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes that parts of a run need on a GPU."""

    model: int  # and the initial policy, if it is kept
    optimiser: int
    sampler: int  # at least: the paged engine's cache takes more, where there is room
    update: int  # a forward and backward pass, and the gradient
    sleeps: bool  # whether the sampler and the update take turns

    @property
    def peak(self) -> int:
        both = max(self.sampler, self.update) if self.sleeps else self.sampler + self.update
        return self.model + self.optimiser + both


def check_memory(
    config: PolicyConfig, sampler: Sampler, *, tokens: int, anchored: bool = False
) -> MemoryPlan | None:
    """Refuse a model that cannot be trained on this GPU, or say what it will take.

    Without a GPU there is nothing to check.

    tokens     in a forward and backward pass
    anchored   whether the initial policy is kept as well
    """
    available = gpu_memory(config)
    if available is None:
        return None
    plan = plan_memory(config, sampler, tokens=tokens, anchored=anchored, gpu=available)
    if plan.peak <= available:
        _log.warning(
            "of %.0f GiB of GPU memory, the model takes about %.1f, the optimiser %.1f, the "
            "sampler at least %.1f, and a pass of %s tokens, with the gradient, %.1f",
            available / GIB,
            *(plan.model / GIB, plan.optimiser / GIB, plan.sampler / GIB),
            *(f"{tokens:,}", plan.update / GIB),
        )
        return plan
    ways = [] if config.lora_rank else ["set policy.lora-rank"]
    ways += ["train a smaller model"]
    ways += [] if config.gradient_checkpointing else ["set policy.gradient-checkpointing"]
    kind = engine_kind(sampler.engine, on_gpu=True)
    shared = sampler.share is not None or kind.share is not None
    ways += ["lower rollout.memory"] if shared else []
    raise UserError(
        f"training {config.model} needs about {plan.peak / GIB:,.0f} GiB, but the GPU has "
        f"{available / GIB:,.0f} GiB: {', or '.join(ways)}; rlve verl trains on several GPUs"
    )


def plan_memory(
    config: PolicyConfig, sampler: Sampler, *, tokens: int, anchored: bool, gpu: int
) -> MemoryPlan:
    """What training needs on a GPU of this many bytes, with passes of this many tokens."""
    model = blueprint(config).float()
    if holds_half(config, "cuda"):
        hold_half(model)
    total = parameters_of(model)
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    single = sum(p.numel() for p in model.parameters() if p.dtype == torch.float32)
    text = model.config.get_text_config()
    layer = KEPT_INPUT if config.gradient_checkpointing else KEPT
    activations = HALF * layer * text.hidden_size * text.num_hidden_layers * tokens
    logits = 2 * HALF * min(tokens * text.vocab_size, CHUNK_ON_GPU)  # and their gradient
    casts = 0 if config.dtype == "float32" else HALF * single  # autocast keeps what it casts
    kind = engine_kind(sampler.engine, on_gpu=True)
    share = kind.share if sampler.share is None else sampler.share
    return MemoryPlan(
        model=(SINGLE * single + HALF * (total - single)) * (2 if anchored else 1),
        optimiser=2 * SINGLE * trained,  # Adam's two moments
        sampler=max(kind.copy * total, int((share or 0) * gpu)),
        update=SINGLE * trained + activations + logits + casts,
        sleeps=kind.sleeps and sampler.sleeps,
    )


def gpu_memory(config: PolicyConfig) -> int | None:
    """The memory in bytes of the GPU that the policy will use; None if it will use none."""
    if config.device == "cpu" or not torch.cuda.is_available():
        return None
    return torch.cuda.get_device_properties(0).total_memory
