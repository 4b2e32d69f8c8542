"""The engine on a GPU samples from a copy of the model, and refuses one that is broken."""

import pytest
import torch
from torch import nn

from rlve.errors import UserError
from rlve.models.engines.paged import PagedEngine
from rlve.models.engines.paged import engine as module
from support.families import FAMILIES, VOCABULARY, tiny, tiny_model

PROMPTS = [[2 + (7 * i * i + 3 * i + k) % (VOCABULARY - 2) for i in range(30)] for k in range(4)]
PRECISIONS = [torch.float32, torch.bfloat16]
SABOTAGED = ["llama", "qwen2", "qwen3", "gemma3", "mistral, window", "gpt-oss"]


def engine(model, dtype):
    return PagedEngine(
        model, stop_tokens=[1], max_tokens=16, slots=8, dtype=dtype, examples=PROMPTS
    )


@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_sound_copies_pass(family, dtype):
    engine(tiny(family), dtype)


@pytest.mark.parametrize("family", FAMILIES)
def test_sound_copies_of_half_precision_weights_pass(family):
    """As an evaluation loads them."""
    model = tiny(family).to(torch.bfloat16)
    weights = {name: weight.clone() for name, weight in model.named_parameters()}
    engine(model, torch.bfloat16)
    for name, weight in model.named_parameters():
        assert weight.dtype == torch.bfloat16
        assert torch.equal(weight, weights[name])


@pytest.mark.parametrize("spread", [0.02, 1.0])
@pytest.mark.parametrize("family", FAMILIES)
def test_sound_copies_pass_whatever_their_weights_make_of_rounding(family, spread):
    engine(tiny(family, spread=spread), torch.bfloat16)


def layer(model, index=1):
    return model.base_model.layers[index]


def swap_heads(model):
    weight = layer(model).self_attn.q_proj.weight
    size = layer(model).self_attn.head_dim
    # Between groups of heads, which look at different keys.
    weight.copy_(weight.roll(2 * size, 0))


def drop_a_bias(model):
    """Of the queries, in every layer, as if the copy had no such parameter."""
    for name, parameter in model.base_model.named_parameters():
        if name.endswith(("attn.c_attn.bias", "self_attn.q_proj.bias")):
            parameter.zero_()


def turn_too_far(model):
    rotation = model.base_model.rotary_emb
    for name, value in rotation.named_buffers():
        if "inv_freq" in name:
            value.mul_(1.3)


def leave_out_a_norm(model):
    layer(model).input_layernorm = nn.Identity()


def keep_a_layer_stale(model):
    for parameter in layer(model).self_attn.parameters():
        parameter.add_(0.1 * torch.randn_like(parameter))


def shift_positions(model):
    """Those of outputs, but not those of prompts."""
    forward = model.forward

    def shifted(*, position_ids, **inputs):
        return forward(position_ids=position_ids + (position_ids.shape[1] == 1), **inputs)

    model.forward = shifted


WAYS = [
    swap_heads,
    turn_too_far,
    leave_out_a_norm,
    keep_a_layer_stale,
    shift_positions,
]


def refuses(model, sabotage, dtype, monkeypatch):
    plain = module.copy_of

    def broken(*args, **kwargs):
        copied = plain(*args, **kwargs)
        torch.manual_seed(5)
        with torch.no_grad():
            sabotage(copied)
        return copied

    monkeypatch.setattr(module, "copy_of", broken)
    with pytest.raises(UserError, match=r"cannot be sampled .* rounding explains at most"):
        engine(model, dtype)


@pytest.mark.parametrize(
    ("family", "dtype"), [("llama", torch.float32), *((f, torch.bfloat16) for f in SABOTAGED)]
)
@pytest.mark.parametrize("sabotage", WAYS, ids=lambda way: way.__name__)
def test_broken_copies_are_refused(sabotage, family, dtype, monkeypatch):
    """Which is harder in half precision, where rounding explains more."""
    refuses(tiny(family), sabotage, dtype, monkeypatch)


@pytest.mark.parametrize("family", SABOTAGED)
@pytest.mark.parametrize("sabotage", WAYS, ids=lambda way: way.__name__)
def test_broken_copies_of_half_precision_weights_are_refused(sabotage, family, monkeypatch):
    refuses(tiny(family).to(torch.bfloat16), sabotage, torch.bfloat16, monkeypatch)


@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "gemma3", "gpt-oss", "gpt2"])
def test_a_copy_without_a_bias_is_refused(family, dtype, monkeypatch):
    kind, settings = FAMILIES[family]
    biased = {} if family in ("qwen2", "gpt2") else {"attention_bias": True}  # these always are
    refuses(tiny_model(kind, **settings, **biased), drop_a_bias, dtype, monkeypatch)
