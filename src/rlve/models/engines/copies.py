"""A copy of a model to sample from, in half precision where that pays.

Matrices are in half precision. What is not a matrix product is computed in single precision, as
autocast does it for the trained model: the embedding, the norms, the sum that runs through all
layers, the rotation of positions, and the logits. So sampler and update differ by the rounding of
matrix products alone. (For SmolLM2-135M the log-probabilities of sampled tokens then differ by
0.017 on average, which is as much as two ways to order the sums differ by; half precision
throughout makes it 0.028.) The copy is called under autocast, lest a model that does something else
in between stumble over two types.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import copy
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from rlve.errors import UserError
from rlve.models.engines.attention import PAGED
from rlve.models.engines.weights import base_of, copy_weights


def copy_of(model: Any, dtype: torch.dtype) -> Any:
    """The same model with weights of its own, which attends by way of pages."""
    base = base_of(model)
    config = copy.deepcopy(base.config)
    name = type(base).__name__
    if getattr(config, "quantization_config", None) is not None:
        raise UserError(f"this model cannot be sampled from in process: {name} is quantised")
    text = config.get_text_config()
    ropes = getattr(text, "rope_parameters", None) or {}
    kinds = {each.get("rope_type") for each in [ropes, *ropes.values()] if isinstance(each, dict)}
    if kinds & {"dynamic", "longrope"}:
        raise UserError(
            f"this model cannot be sampled from in process: the rotation of {name}'s positions "
            "depends on how long a text becomes"
        )
    half = dtype != torch.float32
    if half:  # the embedding in single precision, the head in half
        config.tie_word_embeddings = text.tie_word_embeddings = False
    device = next(model.parameters()).device
    # The weights that it is made with are drawn, which is nobody's business.
    with torch.random.fork_rng([device] if device.type == "cuda" else []), device:
        made = type(base)._from_config(config, dtype=dtype, attn_implementation=PAGED)
    made.config.pad_token_id = None  # else some models look for padding, and wait for the GPU
    made = made.eval().requires_grad_(requires_grad=False)
    for module in made.modules():
        if isinstance(module, nn.Embedding) or type(module).__name__.endswith("Norm"):
            module.float()
    copy_weights(model, made)
    if half:
        _sharpen(made.get_output_embeddings())
    for module in made.modules():
        if type(module).__name__.endswith("RMSNorm"):
            _fuse(module, text.hidden_size, dtype)
    return made


def _sharpen(head: nn.Linear) -> None:
    """Let the last layer give logits in single precision; half precision rounds a 20 by 0.06."""
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


def _fuse(module: nn.Module, hidden: int, dtype: torch.dtype) -> None:
    """Let a layer of root mean squares be one kernel instead of eight, if it is an ordinary one."""
    weight = cast(Tensor, module.weight)
    epsilon = getattr(module, "variance_epsilon", getattr(module, "eps", None))
    size = tuple(weight.shape)
    # What comes from the sum of all layers goes into matrices, which would cast it one by one.
    wanted = dtype if size == (hidden,) else weight.dtype

    def forward(states: Tensor) -> Tensor:
        return functional.rms_norm(states.float(), size, weight, epsilon).to(wanted)

    generator = torch.Generator(weight.device).manual_seed(0)
    probe = torch.randn(8, *size, generator=generator, device=weight.device)
    near = 1e-5 if wanted == torch.float32 else 2e-2
    # Some add 1 to their weights; those stay as they are.
    if torch.allclose(forward(probe).float(), module(probe).float(), rtol=near, atol=near):
        module.forward = forward
