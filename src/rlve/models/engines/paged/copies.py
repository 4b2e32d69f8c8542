"""A copy of a model to sample from, in half precision where that is faster.

Matrices are in half precision. Everything that is not a matrix product is computed in single
precision, as autocast does for the trained model: the embedding, the norms, the sum that runs
through all layers, the rotation of positions, and the logits. So sampler and update differ only in
the rounding of matrix products. (For SmolLM2-135M the log-probabilities of sampled tokens then
differ by 0.017 on average, as much as between two ways of ordering the sums; with half precision
throughout, by 0.028.) The copy is called under autocast, so that a model that does something else
in between does not fail because of two types.
"""

import copy
from typing import Any, cast

import torch
from torch import Tensor, nn

from rlve.errors import UserError
from rlve.models.engines.attention import PAGED, rotation_limit, unfit
from rlve.models.engines.weights import base_of, copy_weights
from rlve.models.fusion import fuse_for_sampling


def copy_of(model: Any, dtype: torch.dtype, *, kernels: bool = False) -> Any:
    """The same model with its own weights, and with paged attention.

    kernels   whether to use our Triton kernels in it
    """
    base = base_of(model)
    config = copy.deepcopy(base.config)
    name = type(base).__name__
    if getattr(config, "quantization_config", None) is not None:
        raise unfit(f"{name} is quantised")
    text = config.get_text_config()
    if rotation_limit(base.config) is not None:
        raise UserError(
            f"this model cannot be sampled by the engine paged: the rotation of {name}'s positions "
            "depends on how long a text becomes; choose the engine in-process or vllm"
        )
    half = dtype != torch.float32
    if half:  # the embedding in single precision, the head in half
        config.tie_word_embeddings = text.tie_word_embeddings = False
    device = next(model.parameters()).device
    # Its initial weights are random; drawing them must not disturb our random numbers.
    with torch.random.fork_rng([device] if device.type == "cuda" else []), device:
        copied = type(base)._from_config(config, dtype=dtype, attn_implementation=PAGED)
    copied.config.pad_token_id = (
        None  # otherwise some models look for padding, and wait for the GPU
    )
    if device.type == "cuda" and not half and copied._can_set_experts_implementation():
        # Grouped products of single precision wait for the GPU, so they could not be recorded.
        copied.set_experts_implementation("batched_mm")
    copied = copied.eval().requires_grad_(requires_grad=False)
    for module in copied.modules():
        if isinstance(module, nn.Embedding) or type(module).__name__.endswith("Norm"):
            module.float()
        scale = cast(float | None, getattr(module, "scalar_embed_scale", None))
        if scale is not None:  # Gemma's, made in half precision and so rounded
            cast(Tensor, module.embed_scale).fill_(scale)
    copy_weights(model, copied)
    if half:
        _sharpen(copied.get_output_embeddings())
    fuse_for_sampling(copied, dtype, kernels=kernels)
    return copied


def _sharpen(head: nn.Linear) -> None:
    """Make the last layer give logits in single precision; half precision rounds a 20 by 0.06."""
    bias = cast(Tensor | None, head.bias)

    def forward(input: Tensor) -> Tensor:  # noqa: A002  its name there
        with torch.autocast(input.device.type, enabled=False):
            hidden = input.to(head.weight.dtype).flatten(0, -2)
            if hidden.is_cuda:
                logits = torch.mm(hidden, head.weight.T, out_dtype=torch.float32)
            else:
                logits = hidden.float() @ head.weight.float().T
            logits = logits.view(*input.shape[:-1], -1)
            return logits if bias is None else logits + bias.float()

    head.forward = forward
