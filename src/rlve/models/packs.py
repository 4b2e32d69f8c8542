"""Outputs as tensors: the outputs for one prompt share a row, in which it is processed once.

A row is the prompt followed by one output after another. Each output sees the prompt and itself,
and its positions are counted from the end of the prompt, as if the others were not there:

    tokens     p0 p1 p2 a0 a1 b0 b1 b2
    positions   0  1  2  3  4  3  4  5

Short answers to long prompts are mostly prompt: 8 outputs of 8 tokens for a prompt of 60 take 544
tokens in rows of their own, and 116 in one. (The last token of an output predicts nothing, and is
left out.) A row of one output is an ordinary row. Replies within an output are read, not scored.

A GPU takes all rows of a pass one after another, without padding, and attends span by span: a
prompt to itself, and each output to its prompt and itself. A CPU takes them as a rectangle, with
padding, and, if outputs share rows, with a mask.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from rlve.models.rollouts import Span, sampled

SHARED_TOKENS = 2048
"""The most tokens of outputs in one row. Outputs do not see each other, but attention with a mask
computes all pairs of tokens before dropping them: twice the row means four times the pairs."""
SAVING = 0.5
"""A row is shared if that saves at least this share of its tokens: without a mask, attention is
faster and computes only the pairs it needs."""
MULTIPLE = 16
"""The length of a shared row is a multiple of this: attention on a GPU copies other masks for every
layer."""
PASS: Final = 256
"""The overhead of a forward and backward pass on a CPU, in tokens."""
PASS_ON_GPU: Final = 2.3e12
"""The same on a GPU, in tokens x parameters (docs/results/speed)."""
SHARING_MODELS = frozenset("gemma3_text gpt2 llama mistral olmo2 qwen2 qwen3 smollm3".split())
"""Types of models that are known to use masks, spans and positions as they are given. Tests compare
each with plain rows."""


@dataclass(frozen=True)
class PackedRow:
    """A prompt, and outputs for it."""

    prompt: Sequence[int]
    outputs: Sequence[Sequence[int]]
    given: Sequence[Sequence[Span]] = ()  # where replies are, by output; () if nowhere

    def __post_init__(self) -> None:
        if not self.prompt or not all(self.outputs):
            raise ValueError("a prompt and all its outputs must have at least one token")
        if self.given and len(self.given) != len(self.outputs):
            raise ValueError("replies must be given for each of the outputs")

    def __len__(self) -> int:
        return len(self.prompt) + sum(len(output) - 1 for output in self.outputs)

    @property
    def shared(self) -> bool:
        """Whether it needs a mask that keeps its outputs from seeing each other."""
        return len(self.outputs) > 1


@dataclass(frozen=True)
class Spans:
    """What the tokens of rows without padding attend to, one span of queries after another."""

    keys: Tensor  # the tokens that each span sees, ending with its own
    query_ends: Tensor  # where spans end, after a 0
    key_ends: Tensor  # where the tokens that they see end among `keys`, after a 0
    most_queries: int  # in one span
    most_keys: int


@dataclass(frozen=True)
class Packed:
    """Rows as tensors.

    Padding is at their ends, where it needs no attention mask, since no token looks at what comes
    after it. (Padding at the beginning would have to see nothing and be seen by nothing, and some
    kernels give such positions gradients that are not numbers.)
    """

    inputs: dict[str, Any]  # of the model
    tokens: Tensor  # all sampled tokens of all outputs, one after another
    sources: Tensor  # for each of them, where it is predicted, in the flattened input


@dataclass(frozen=True)
class _Written:
    """A row as lists."""

    ids: list[int]
    positions: list[int]
    ends: list[int]  # of the prompt, and of each output
    tokens: list[int]
    sources: list[int]  # counted from the beginning of the row


def _write(row: PackedRow) -> _Written:
    start = len(row.prompt)
    written = _Written(list(row.prompt), list(range(start)), [start], [], [])
    for output, replies in zip(row.outputs, row.given or [()] * len(row.outputs), strict=True):
        first = len(written.ids)
        before = [start - 1, *range(first, first + len(output) - 1)]
        for index in sampled(output, replies):
            written.sources.append(before[index])
            written.tokens.append(output[index])
        written.ids.extend(output[:-1])
        written.positions.extend(range(start, start + len(output) - 1))
        written.ends.append(len(written.ids))
    return written


def pack(rows: Sequence[PackedRow], device: torch.device, dtype: torch.dtype) -> Packed:
    """The rows as a rectangle, for a model that computes in `dtype`; outputs keep their order."""
    width = max(map(len, rows))
    shared = any(row.shared for row in rows)
    if shared:
        width = -(-width // MULTIPLE) * MULTIPLE
    written = [_write(row) for row in rows]
    padding = [[0] * (width - len(row)) for row in rows]
    pairs = list(zip(written, padding, strict=True))
    inputs = {"input_ids": torch.tensor([row.ids + pad for row, pad in pairs], device=device)}
    if shared:
        positions = [row.positions + pad for row, pad in pairs]
        inputs["position_ids"] = torch.tensor(positions, device=device)
        # 0 is the prompt; outputs and padding are numbered from 1.
        segments = np.stack([np.searchsorted(row.ends, range(width), "right") for row in written])
        inputs["attention_mask"] = _mask(torch.from_numpy(segments).to(device), dtype)
    return _finish(inputs, written, [i * width for i in range(len(rows))])


def pack_flat(rows: Sequence[PackedRow], device: torch.device) -> Packed:
    """The rows one after another, as a single one without padding; outputs keep their order."""
    written = [_write(row) for row in rows]
    *starts, _ = accumulate((len(row.ids) for row in written), initial=0)
    queries: list[int] = []
    keys: list[np.ndarray] = []
    for begin, row in zip(starts, written, strict=True):
        prompt = np.arange(begin, begin + row.ends[0])
        queries.append(len(prompt))
        keys.append(prompt)
        for first, end in pairwise(row.ends):
            if end > first:  # an output of one token is predicted, and predicts nothing
                queries.append(end - first)
                keys.append(np.concatenate([prompt, np.arange(begin + first, begin + end)]))
    seen = [len(each) for each in keys]

    def ends(counts: Sequence[int]) -> Tensor:
        return torch.tensor([0, *accumulate(counts)], dtype=torch.int32, device=device)

    def joined(parts: Sequence[Sequence[int] | np.ndarray]) -> Tensor:
        return torch.from_numpy(np.concatenate(parts)).to(device)

    spans = Spans(
        joined(keys),
        ends(queries),
        ends(seen),
        most_queries=max(queries),
        most_keys=max(seen),
    )
    inputs = {
        "input_ids": joined([row.ids for row in written]).unsqueeze(0),
        "position_ids": joined([row.positions for row in written]).unsqueeze(0),
        "rlve_spans": spans,
    }
    return _finish(inputs, written, starts)


def _finish(inputs: dict[str, Any], rows: Sequence[_Written], starts: Sequence[int]) -> Packed:
    device = inputs["input_ids"].device
    sources = [s + start for row, start in zip(rows, starts, strict=True) for s in row.sources]
    tokens = [token for row in rows for token in row.tokens]
    return Packed(
        inputs,
        tokens=torch.tensor(tokens, device=device),
        sources=torch.tensor(sources, device=device),
    )


def _mask(segments: Tensor, dtype: torch.dtype) -> Tensor:
    """rows x 1 x tokens x tokens, to be added: 0 if a token is seen, otherwise minus infinity."""
    width = segments.shape[1]
    before = torch.ones(width, width, dtype=torch.bool, device=segments.device).tril()
    looking, seen = segments.unsqueeze(2), segments.unsqueeze(1)
    hidden = ~(before & ((seen == 0) | (seen == looking)))
    mask = torch.zeros(hidden.shape, dtype=dtype, device=segments.device)
    return mask.masked_fill_(hidden, -torch.inf).unsqueeze(1)


def share(prompt: int, outputs: Sequence[int]) -> list[list[int]]:
    """Which outputs share a row, by index, given the lengths of the prompt and of the outputs.

    Shorter ones come first, so that a few long ones do not keep them from sharing.
    """
    rows: list[list[int]] = []
    room = 0
    for i in sorted(range(len(outputs)), key=lambda i: outputs[i]):
        if not rows or outputs[i] > room:
            rows.append([])
            room = SHARED_TOKENS
        rows[-1].append(i)
        room -= outputs[i]
    parts: list[list[int]] = []
    for row in rows:
        saved = prompt * (len(row) - 1)
        plain = prompt * len(row) + sum(outputs[i] for i in row)
        parts += [row] if saved >= SAVING * plain else [[i] for i in row]
    return parts


def can_share(model: Any, longest: int) -> bool:
    """Whether the model's outputs can share rows; `longest` is a prompt with its output.

    Only torch's own attention function uses our mask as it is; models with attention sinks or
    capped attention do not use it. A window shorter than a prompt with its output would be ignored.
    """
    config = model.config
    if not is_known(model):
        return False
    layers = getattr(config, "layer_types", None)
    if layers is not None and "sliding_attention" not in layers:
        return True
    window = getattr(config, "sliding_window", None)
    return window is None or longest <= window


def is_known(model: Any) -> bool:
    """Whether the model uses what it is given beside tokens, and torch's own attention."""
    config = model.config
    return config.model_type in SHARING_MODELS and config._attn_implementation == "sdpa"


def pass_overhead(model: Any) -> int:
    """How many tokens could be computed in the time that a pass takes for none at all.

    A GPU computes the tokens of a small model in much less time than it takes to tell it to.
    """
    if model.device.type == "cpu":
        return PASS
    return int(PASS_ON_GPU / sum(parameter.numel() for parameter in model.parameters()))


def fill(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Indices by pass: lengths that add up to the budget at most, in few passes.

    The longest come first, and each goes where it still fits. One that is longer than the budget
    has a pass to itself.
    """
    parts: list[list[int]] = []
    room: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        fits = next((part for part, left in enumerate(room) if left >= lengths[i]), None)
        if fits is None:
            fits = len(parts)
            parts.append([])
            room.append(budget)
        parts[fits].append(i)
        room[fits] -= lengths[i]
    return parts


def micro_batches(rows: Sequence[PackedRow], budget: int, overhead: int) -> list[list[int]]:
    """Split rows that are padded into micro-batches, by index, in the cheapest way.

    A micro-batch costs its number of rows times the longest of them, at most the budget, plus the
    overhead of a pass: one pass over rows of very different lengths computes mostly padding. Shared
    rows and plain rows are not mixed, because the plain ones would need a mask as well.
    """
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    return [
        part
        for shared in (True, False)
        for part in _cut(rows, [i for i in order if rows[i].shared == shared], budget, overhead)
    ]


def _cut(
    rows: Sequence[PackedRow], order: Sequence[int], budget: int, overhead: int
) -> list[list[int]]:
    """These rows, the longest first, cut where it is cheapest."""
    lengths = [len(rows[i]) for i in order]
    cost = [0.0] + [math.inf] * len(order)  # cost[n]: of the n longest
    begin = [0] * len(cost)  # where the last micro-batch among them begins
    for end in range(1, len(cost)):
        for start in range(end - 1, -1, -1):
            tokens = (end - start) * lengths[start]
            if tokens > budget and end - start > 1:
                break  # and the next would have more
            if cost[start] + tokens + overhead < cost[end]:
                cost[end], begin[end] = cost[start] + tokens + overhead, start
    parts: list[list[int]] = []
    end = len(order)
    while end:
        parts.append(list(order[begin[end] : end]))
        end = begin[end]
    return parts[::-1]
