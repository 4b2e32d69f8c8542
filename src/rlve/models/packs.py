"""Outputs as tensors: the outputs for one prompt share a row, in which it is processed once.

A row is the prompt followed by one output after another. Each output sees the prompt and itself,
and its positions are counted from the end of the prompt, as if the others were not there:

    tokens     p0 p1 p2 a0 a1 b0 b1 b2
    positions   0  1  2  3  4  3  4  5

Short answers to long prompts are mostly prompt: 8 outputs of 8 tokens for a prompt of 60 take 544
tokens in rows of their own, and 116 in one. (The last token of an output predicts nothing, and is
left out.) A row of one output is an ordinary row. Replies within an output are read, not scored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
SHARING_MODELS = frozenset("gemma3_text gpt2 llama mistral olmo2 qwen2 qwen3 smollm3".split())
"""Types of models that are known to use masks and positions as they are given. Tests compare each
with plain rows."""


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
class Packed:
    """Rows as tensors, padded at their ends.

    At the end, padding needs no attention mask, since no token looks at what comes after it.
    (Padding at the beginning would have to see nothing and be seen by nothing, and some kernels
    give such positions gradients that are not numbers.)
    """

    inputs: dict[str, Tensor]  # of the model
    tokens: Tensor  # all sampled tokens of all outputs, one after another
    sources: Tensor  # for each of them, where it is predicted, in the flattened input


def pack(rows: Sequence[PackedRow], device: torch.device, dtype: torch.dtype) -> Packed:
    """The rows as tensors, for a model that computes in `dtype`; outputs keep their order."""
    width = max(map(len, rows))
    shared = any(row.shared for row in rows)
    if shared:
        width = -(-width // MULTIPLE) * MULTIPLE
    ids: list[list[int]] = []
    positions: list[list[int]] = []
    segments: list[list[int]] = []  # 0 is the prompt; outputs and padding are numbered from 1
    tokens: list[int] = []
    sources: list[int] = []
    for i, row in enumerate(rows):
        start = len(row.prompt)
        ids.append(list(row.prompt))
        positions.append(list(range(start)))
        segments.append([0] * start)
        given = row.given or [()] * len(row.outputs)
        for number, (output, replies) in enumerate(zip(row.outputs, given, strict=True), 1):
            first = i * width + len(ids[-1])
            before = [i * width + start - 1, *range(first, first + len(output) - 1)]
            scored = sampled(output, replies)
            sources += [before[index] for index in scored]
            tokens += [output[index] for index in scored]
            ids[-1] += output[:-1]
            positions[-1] += range(start, start + len(output) - 1)
            segments[-1] += [number] * (len(output) - 1)
        padding = width - len(row)
        ids[-1] += [0] * padding
        positions[-1] += [0] * padding
        segments[-1] += [len(row.outputs) + 1] * padding
    inputs = {"input_ids": torch.tensor(ids, device=device)}
    if shared:
        inputs["position_ids"] = torch.tensor(positions, device=device)
        inputs["attention_mask"] = _mask(torch.tensor(segments, device=device), dtype)
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
    if config.model_type not in SHARING_MODELS or config._attn_implementation != "sdpa":
        return False
    layers = getattr(config, "layer_types", None)
    if layers is not None and "sliding_attention" not in layers:
        return True
    window = getattr(config, "sliding_window", None)
    return window is None or longest <= window


def micro_batches(rows: Sequence[PackedRow], budget: int) -> Iterator[list[int]]:
    """Indices of rows of similar length, such that rows x longest is at most the budget.

    Shared rows and plain rows are not mixed, because the plain ones would need a mask as well.
    """
    order = sorted(range(len(rows)), key=lambda i: (rows[i].shared, len(rows[i])), reverse=True)
    while order:
        first = rows[order[0]]
        count = max(1, budget // len(first))
        chosen = [i for i in order[:count] if rows[i].shared == first.shared]
        yield chosen
        order = order[len(chosen) :]
