"""Our own attention inside transformers models.

Most transformers models look up their attention function by name (AttentionInterface). Ours are
registered here: one for rows of a cache (rlve_rows), one for pages (rlve_paged), and one for the
update's rows without padding (rlve_spans). So no model has to be rewritten, but the function must
do everything a model asks for, without the mask that the model would have made: if a window were
ignored, we would sample from another distribution without an error. Every request is therefore
either carried out or refused by name.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any, Protocol, cast

import torch
from torch import Tensor
from torch.nn import functional
from transformers import AttentionInterface

from rlve.errors import UserError
from rlve.models.engines.weights import base_of
from rlve.models.packs import Spans

ROWS = "rlve_rows"
PAGED = "rlve_paged"
SPANS = "rlve_spans"
CHUNK = 512  # queries whose scores are held at the same time
LOW = -1e30  # the score of a hidden position: it has no weight, and never gives not-a-number

# Arguments of attention that change nothing here: we get positions in another way, never train, and
# keep no attention weights.
_IDLE = {
    "cache_position",
    "dropout",
    "is_causal",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "position_ids",
    "return_dict",
    "use_cache",
}
_LAYERS = {"full_attention", "sliding_attention"}


@dataclass(frozen=True)
class Asked:
    """What a layer asks of its attention."""

    scale: float
    window: int | None = None
    """The number of positions that a position sees, including itself."""
    softcap: float | None = None
    """Scores are squeezed into (-softcap, softcap)."""
    sinks: Tensor | None = None
    """By head, the score of a virtual position, which takes weight and gives nothing."""

    @property
    def plain(self) -> bool:
        """Whether torch's own attention can do it, given a mask."""
        return self.softcap is None and self.sinks is None


class Step(Protocol):
    """What a forward pass over pages does in each layer."""

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, asked: Asked) -> Tensor:
        """Store keys and values; rows x heads x tokens x size in, rows x tokens x heads x size out.

        Keys and values are those of the new tokens only. Their type may differ from the stored
        one, since rotating gives single precision.
        """
        ...


def unfit(reason: str) -> UserError:
    """The error for a model from which none of our own engines can sample."""
    return UserError(f"this model cannot be sampled in this process: {reason}")


def check(model: Any) -> None:
    """Raise a UserError if none of our own engines can sample from this model."""
    base = base_of(model)
    config = base.config.get_text_config()
    name = type(base).__name__
    if getattr(base.config, "is_encoder_decoder", False):
        raise unfit(f"{name} has an encoder")
    if getattr(base, "_is_stateful", False):
        raise unfit(f"{name} keeps a state that is no keys and values")
    if not getattr(base, "_supports_attention_backend", False):
        raise unfit(f"{name} has an attention of its own that nothing can take the place of")
    kinds = set(getattr(config, "layer_types", None) or ()) - _LAYERS
    if kinds:
        raise unfit(f"{name} has layers of the kind {min(kinds)}")
    both_ways = getattr(config, "use_bidirectional_attention", None)
    if not getattr(config, "is_causal", True) or both_ways in (True, "all"):
        raise unfit(f"{name} looks ahead")


def rotation_limit(config: Any) -> int | None:
    """The length beyond which a text's positions are rotated in another way, if there is one.

    With `longrope` and `dynamic`, keys are stored as rotated for a short text, and the update
    rotates all of a long one anew.
    """
    text = config.get_text_config()
    ropes = getattr(text, "rope_parameters", None) or {}
    limits = [
        rope.get("original_max_position_embeddings") or text.max_position_embeddings
        for rope in [ropes, *ropes.values()]
        if isinstance(rope, dict) and rope.get("rope_type") in ("dynamic", "longrope")
    ]
    return min(limits, default=None)


@contextmanager
def attending(model: Any, name: str) -> Generator[None]:
    """Make a model use the attention function of this name."""
    config = base_of(model).config
    parts = {key: getattr(config, key) for key in config.sub_configs}
    before = {key: part._attn_implementation for key, part in parts.items() if part is not None}
    before[""] = config._attn_implementation
    config._attn_implementation = name
    try:
        yield
    finally:
        config._attn_implementation = before


def partial(
    query: Tensor, key: Tensor, value: Tensor, allowed: Tensor, asked: Asked
) -> tuple[Tensor, Tensor]:
    """Attention to a part of all positions, and the log of the sum of its weights.

    ... x queries x size, ... x positions x size (twice), and ... x queries x positions.
    """
    scores = _scores(query, key) * asked.scale
    if asked.softcap is not None:
        scores = asked.softcap * (scores / asked.softcap).tanh()
    scores = scores.masked_fill(~allowed, LOW)
    mass = scores.logsumexp(-1)
    weights = (scores - mass.unsqueeze(-1)).exp()
    return weights.to(value.dtype) @ value, mass


def joined(parts: Sequence[tuple[Tensor, Tensor]], sinks: Tensor | None) -> Tensor:
    """Attention to all positions, joined from that to each part of them."""
    masses = [mass for _, mass in parts]
    whole = torch.logsumexp(
        torch.stack(masses if sinks is None else [*masses, sinks.float().expand_as(masses[0])]), 0
    )
    return sum(
        (out.float() * (mass - whole).exp().unsqueeze(-1) for out, mass in parts),
        start=torch.zeros((), device=whole.device),
    )


def causal(query: Tensor, key: Tensor, value: Tensor, asked: Asked) -> Tensor:
    """Attention of complete sequences from their first token; padding can only follow them.

    rows x heads x tokens x size in, rows x tokens x heads x size out.
    """
    heads, length = query.shape[1:3]
    share = heads // key.shape[1]
    bounded = asked.window is not None and asked.window < length
    if asked.plain and not bounded:
        out = functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=asked.scale, enable_gqa=share > 1
        )
        return out.transpose(1, 2)
    # With a mask, torch would use its slowest method for heads that share keys.
    keys, values = key.repeat_interleave(share, 1), value.repeat_interleave(share, 1)
    place = torch.arange(length, device=query.device)
    out = torch.empty_like(query)
    for begin in range(0, length, CHUNK):
        end = min(begin + CHUNK, length)
        allowed = _seen(place[begin:end, None], place[:end], asked.window)
        part = (query[:, :, begin:end], keys[:, :, :end], values[:, :, :end])
        if asked.plain:
            found = functional.scaled_dot_product_attention(*part, allowed, scale=asked.scale)
        else:
            sinks = None if asked.sinks is None else asked.sinks.view(heads, 1)
            found = joined([partial(*part, allowed, asked)], sinks)
        out[:, :, begin:end] = found
    return out.transpose(1, 2)


def _seen(position: Tensor, column: Tensor, window: int | None) -> Tensor:
    """Whether a position may look at a column."""
    seen = column <= position
    return seen if window is None else seen & (column > position - window)


def _scores(query: Tensor, key: Tensor) -> Tensor:
    """Products of queries and keys in single precision."""
    if query.dtype == torch.float32 or not query.is_cuda:
        return query.float() @ key.float().transpose(-1, -2)
    # Half precision would round the score itself, by 0.03 if it is 10.
    flat = torch.bmm(
        query.flatten(0, -3), key.flatten(0, -3).transpose(1, 2), out_dtype=torch.float32
    )
    return flat.view(*query.shape[:-1], key.shape[-2])


def _asked(module: Any, query: Tensor, given: dict[str, Any]) -> Asked:
    """What the layer asks for; a UserError if we do not support it."""
    scale = given.pop("scaling", None)
    window = given.pop("sliding_window", None)
    softcap, sinks = given.pop("softcap", None), given.pop("s_aux", None)
    unknown = {name for name, value in given.items() if value is not None and value is not False}
    unknown -= _IDLE
    looks_ahead = given.get("is_causal") is False or not getattr(module, "is_causal", True)
    if unknown or looks_ahead:
        what = f"for {min(unknown)}" if unknown else "to look ahead"
        raise unfit(f"{type(module).__name__} asks its attention {what}")
    return Asked(query.shape[-1] ** -0.5 if scale is None else scale, window, softcap, sinks)


def _attend_rows(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor, **given: Any
) -> tuple[Tensor, None]:
    """One new token for each row of a cache; the mask says which columns a row has."""
    asked = _asked(module, query, given)
    allowed = attention_mask  # rows x 1 x 1 x columns
    if asked.window is not None:
        columns = torch.arange(allowed.shape[-1], device=allowed.device)
        allowed = allowed & (columns >= allowed.sum(-1, keepdim=True) - asked.window)
    rows, heads = query.shape[:2]
    # Heads that share keys are adjacent, so that nothing has to be repeated.
    grouped = query.reshape(rows, key.shape[1], -1, query.shape[-1]).to(key.dtype)
    with torch.autocast(query.device.type, enabled=False):
        if asked.plain:
            out = functional.scaled_dot_product_attention(
                grouped, key, value, attn_mask=allowed, scale=asked.scale
            )
        else:
            sinks = None if asked.sinks is None else asked.sinks.view(key.shape[1], -1)
            out = joined([partial(grouped, key, value, allowed, asked)], sinks).to(value.dtype)
    return out.reshape(rows, 1, heads, -1), None


def _attend_pages(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    rlve_step: Step | None = None,
    **given: Any,
) -> tuple[Tensor, None]:
    if rlve_step is None:
        raise unfit(f"its layers do not hand on to {type(module).__name__} what they are given")
    asked = _asked(module, query, given)
    with torch.autocast(query.device.type, enabled=False):
        return rlve_step.attend(module.layer_idx, query, key, value, asked), None


def has_kernel_for_spans(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether torch's flash attention takes spans of different lengths here: from 2.11 on."""
    half = dtype in (torch.bfloat16, torch.float16)
    if device.type != "cuda" or not half or torch.version.cuda is None:
        return False
    return torch.cuda.get_device_capability(device) >= (8, 0) and bool(_kernel_arguments())


@cache
def _kernel_arguments() -> frozenset[str]:
    """The arguments of torch's function for spans; none if it is missing or cannot look back."""
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return frozenset()
    names = frozenset(signature(varlen_attn).parameters)
    return names if "window_size" in names else frozenset()


def _attend_spans(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    rlve_spans: Spans | None = None,
    **given: Any,
) -> tuple[Tensor, None]:
    """Attention of spans of tokens to the tokens that each of them sees, with a gradient."""
    if rlve_spans is None:
        raise unfit(f"its layers do not hand on to {type(module).__name__} what they are given")
    asked = _asked(module, query, given)
    if not asked.plain:
        raise unfit(f"{type(module).__name__} caps its attention, or has sinks")
    # Tokens come first from here on. Gradients of a prompt's keys are sums over all its outputs,
    # which half precision would round.
    seen = [each[0].transpose(0, 1).float()[rlve_spans.keys] for each in (key, value)]
    attend = _flash if has_kernel_for_spans(value.device, value.dtype) else _one_by_one
    out = attend(query[0].transpose(0, 1), seen[0], seen[1], rlve_spans, asked, value.dtype)
    return out.unsqueeze(0), None


def _flash(
    query: Tensor, key: Tensor, value: Tensor, spans: Spans, asked: Asked, dtype: torch.dtype
) -> Tensor:
    from torch.nn.attention.varlen import varlen_attn

    # The last query of a span sees its last key; windows count from there.
    before = -1 if asked.window is None else asked.window - 1
    settings: dict[str, Any] = {"scale": asked.scale, "window_size": (before, 0)}
    if "enable_gqa" in _kernel_arguments():  # earlier versions do not ask
        settings["enable_gqa"] = query.shape[1] != key.shape[1]
    ends = (spans.query_ends, spans.key_ends, spans.most_queries, spans.most_keys)
    return cast(Any, varlen_attn)(*(x.to(dtype) for x in (query, key, value)), *ends, **settings)


def _one_by_one(
    query: Tensor, key: Tensor, value: Tensor, spans: Spans, asked: Asked, dtype: torch.dtype
) -> Tensor:
    """The same, in torch's ordinary attention, one span after another."""
    queries, keys = (ends.diff().tolist() for ends in (spans.query_ends, spans.key_ends))
    parts = zip(query.split(queries), key.split(keys), value.split(keys), strict=True)
    found: list[Tensor] = []
    for part in parts:
        asking, looked_at, taken = (x.to(dtype).transpose(0, 1) for x in part)
        places = torch.arange(looked_at.shape[1], device=query.device)
        allowed = _seen(places[-asking.shape[1] :, None], places, asked.window)
        share = asking.shape[0] // looked_at.shape[0]
        out = functional.scaled_dot_product_attention(
            asking.unsqueeze(0),
            looked_at.repeat_interleave(share, 0).unsqueeze(0),
            taken.repeat_interleave(share, 0).unsqueeze(0),
            allowed,
            scale=asked.scale,
        )
        found.append(out[0].transpose(0, 1))
    return torch.cat(found)


AttentionInterface.register(ROWS, _attend_rows)
AttentionInterface.register(PAGED, _attend_pages)
AttentionInterface.register(SPANS, _attend_spans)
