"""Triton kernels that take the place of many small ones; fusion.py says where, and checks each.

They compute in single precision, and round where the model would. Those that only sampling uses
have no gradient. Triton's interpreter runs them without a GPU.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

COLUMNS = 1024  # numbers that one program of a gate computes
CHUNK = 4096  # of the vocabulary that one program looks at together
BLOCKS = 16  # of the vocabulary that one program of _masses adds up


def norm(states: Tensor, weight: Tensor, epsilon: float, dtype: torch.dtype) -> Tensor:
    """The RMS norm of contiguous states over their last dimension, cast to `dtype`."""
    size = states.shape[-1]
    out = torch.empty(states.shape, dtype=dtype, device=states.device)
    _norm[(states.numel() // size,)](
        states, weight, out, epsilon, SIZE=size, WHOLE=triton.next_power_of_2(size)
    )
    return out


def gated(states: Tensor) -> Tensor:
    """silu(gate) * up, from both side by side."""
    size = states.shape[-1] // 2
    states = states.contiguous()
    out = torch.empty(*states.shape[:-1], size, dtype=states.dtype, device=states.device)
    _gated[(out.numel() // size, triton.cdiv(size, COLUMNS))](
        states, out, SIZE=size, COLUMNS=COLUMNS
    )
    return out


def rotated(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys, rotated by their positions.

    query, key   rows x heads x tokens x size
    cos, sin     rows, or 1, x tokens x size
    """
    rows, heads, tokens, size = query.shape
    query, key = (each if each.stride(-1) == 1 else each.contiguous() for each in (query, key))
    cos, sin = (part.expand(rows, -1, -1) for part in (cos.contiguous(), sin.contiguous()))
    new_query, new_key = (
        torch.empty(rows, tokens, states.shape[1], size, dtype=states.dtype, device=states.device)
        for states in (query, key)
    )
    half = size // 2
    _rotated[(rows * tokens,)](
        query,
        key,
        cos,
        sin,
        new_query,
        new_key,
        tokens,
        *query.stride()[:3],
        *key.stride()[:3],
        *cos.stride()[:2],
        *sin.stride()[:2],
        QUERIES=heads,
        KEYS=key.shape[1],
        ALL_QUERIES=triton.next_power_of_2(heads),
        ALL_KEYS=triton.next_power_of_2(key.shape[1]),
        HALF=half,
        WHOLE=triton.next_power_of_2(half),
    )
    return new_query.transpose(1, 2), new_key.transpose(1, 2)


class Rotated(torch.autograd.Function):
    """`rotated` with its gradient, which is turned back."""

    @staticmethod
    def forward(ctx, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor):
        ctx.save_for_backward(cos, sin)
        return rotated(query, key, cos, sin)

    @staticmethod
    def backward(ctx, *grads: Tensor):
        cos, sin = ctx.saved_tensors
        query, key = grads
        back = -sin.roll(sin.shape[-1] // 2, -1)  # the halves need not turn by the same
        return *rotated(query, key, cos, back), None, None


def gated_pair(gate: Tensor, up: Tensor) -> Tensor:
    """silu(gate) * up, with its gradient."""
    return _GatedPair.apply(gate, up)


class _GatedPair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate: Tensor, up: Tensor) -> Tensor:
        gate, up = gate.contiguous(), up.contiguous()
        ctx.save_for_backward(gate, up)
        out = torch.empty_like(gate)
        count = out.numel()
        _gated_pair[(triton.cdiv(count, COLUMNS),)](gate, up, out, count, COLUMNS=COLUMNS)
        return out

    @staticmethod
    def backward(ctx, *grads: Tensor):
        gate, up = ctx.saved_tensors
        to_gate, to_up = torch.empty_like(gate), torch.empty_like(up)
        count = gate.numel()
        _back_through_gate[(triton.cdiv(count, COLUMNS),)](
            gate, up, grads[0].contiguous(), to_gate, to_up, count, COLUMNS=COLUMNS
        )
        return to_gate, to_up


class ChosenLogprobs(torch.autograd.Function):
    """The log-probability of a token of each row of logits, and the entropy of each row.

    The logits are read once for both, and once more for their gradient; no others are stored.
    """

    @staticmethod
    def forward(ctx, logits: Tensor, tokens: Tensor, temperature: float):
        logits = logits.contiguous()
        rows, size = logits.shape
        logprobs, entropy, mass = torch.empty(
            3, rows, dtype=torch.float32, device=logits.device
        ).unbind()
        _chosen[(rows,)](
            logits,
            tokens,
            logprobs,
            entropy,
            mass,
            size,
            1 / temperature,
            CHUNK=CHUNK,
            num_warps=8,
        )
        ctx.save_for_backward(logits, tokens, mass)
        ctx.temperature = temperature
        ctx.mark_non_differentiable(entropy)
        return logprobs, entropy

    @staticmethod
    def backward(ctx, *grads: Tensor):
        logits, tokens, mass = ctx.saved_tensors
        rows, size = logits.shape
        to_logits = torch.empty_like(logits)
        _back_to_logits[(rows, triton.cdiv(size, CHUNK))](
            logits,
            tokens,
            mass,
            grads[0].contiguous(),
            to_logits,
            size,
            1 / ctx.temperature,
            CHUNK=CHUNK,
            num_warps=8,
        )
        return to_logits, None, None


def most_likely(scores: Tensor, peak: Tensor, top_p: float) -> Tensor:
    """The scores of the most likely tokens with a total probability of top_p; of others, -inf.

    scores   rows x vocabulary, contiguous
    peak     the highest of each row: rows x 1
    """
    rows, size = scores.shape
    out = torch.empty_like(scores)
    _most_likely[(rows,)](scores, peak, out, size, top_p, CHUNK=CHUNK, num_warps=8)
    return out


def masses(scores: Tensor, peak: Tensor, block: int) -> Tensor:
    """The sums of exp(scores - peak) over blocks of the vocabulary.

    scores   rows x vocabulary, contiguous
    peak     rows x 1
    """
    rows, size = scores.shape
    count = triton.cdiv(size, block)
    out = torch.empty(rows, count, dtype=torch.float32, device=scores.device)
    _masses[(rows, triton.cdiv(count, BLOCKS))](
        scores, peak, out, size, count, BLOCK=block, BLOCKS=BLOCKS
    )
    return out


@triton.jit
def _norm(states, weight, out, epsilon, SIZE: tl.constexpr, WHOLE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, WHOLE)
    inside = column < SIZE
    x = tl.load(states + row * SIZE + column, mask=inside, other=0.0).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(x * x, 0) / SIZE + epsilon)
    w = tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * SIZE + column, x * scale * w, mask=inside)


@triton.jit
def _gated(states, out, SIZE: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < SIZE
    at = states + row * 2 * SIZE + column
    gate = tl.load(at, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(at + SIZE, mask=inside, other=0.0).to(tl.float32)
    # The model rounds the activation before it multiplies.
    active = (gate * tl.sigmoid(gate)).to(out.dtype.element_ty).to(tl.float32)
    tl.store(out + row * SIZE + column, active * up, mask=inside)


@triton.jit
def _gated_pair(gates, ups, out, count, COLUMNS: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    inside = at < count
    gate = tl.load(gates + at, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(ups + at, mask=inside, other=0.0).to(tl.float32)
    active = (gate * tl.sigmoid(gate)).to(out.dtype.element_ty).to(tl.float32)
    tl.store(out + at, active * up, mask=inside)


@triton.jit
def _back_through_gate(gates, ups, grads, to_gates, to_ups, count, COLUMNS: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    inside = at < count
    gate = tl.load(gates + at, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(ups + at, mask=inside, other=0.0).to(tl.float32)
    grad = tl.load(grads + at, mask=inside, other=0.0).to(tl.float32)
    opened = tl.sigmoid(gate)
    tl.store(to_gates + at, grad * up * opened * (1 + gate * (1 - opened)), mask=inside)
    tl.store(to_ups + at, grad * gate * opened, mask=inside)


@triton.jit
def _rotated(
    query,
    key,
    cos,
    sin,
    new_query,
    new_key,
    tokens,
    query_row,
    query_head,
    query_token,
    key_row,
    key_head,
    key_token,
    cos_row,
    cos_token,
    sin_row,
    sin_token,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
    ALL_QUERIES: tl.constexpr,
    ALL_KEYS: tl.constexpr,
    HALF: tl.constexpr,
    WHOLE: tl.constexpr,
):
    number = tl.program_id(0).to(tl.int64)
    row = number // tokens
    token = number % tokens
    part = tl.arange(0, WHOLE)
    inside = part < HALF
    at = cos + row * cos_row + token * cos_token + part
    cos_1 = tl.load(at, mask=inside, other=0.0).to(tl.float32)[None, :]
    cos_2 = tl.load(at + HALF, mask=inside, other=0.0).to(tl.float32)[None, :]
    at = sin + row * sin_row + token * sin_token + part
    sin_1 = tl.load(at, mask=inside, other=0.0).to(tl.float32)[None, :]
    sin_2 = tl.load(at + HALF, mask=inside, other=0.0).to(tl.float32)[None, :]

    at = query + row * query_row + token * query_token
    to = new_query + number * QUERIES * 2 * HALF
    _turn(at, query_head, to, cos_1, cos_2, sin_1, sin_2, QUERIES, ALL_QUERIES, HALF, WHOLE)
    at = key + row * key_row + token * key_token
    to = new_key + number * KEYS * 2 * HALF
    _turn(at, key_head, to, cos_1, cos_2, sin_1, sin_2, KEYS, ALL_KEYS, HALF, WHOLE)


@triton.jit
def _turn(
    states,
    stride,
    out,
    cos_1,
    cos_2,
    sin_1,
    sin_2,
    HEADS: tl.constexpr,
    ALL: tl.constexpr,
    HALF: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """Rotate all heads of one token."""
    head = tl.arange(0, ALL)[:, None]
    part = tl.arange(0, WHOLE)[None, :]
    real = (head < HEADS) & (part < HALF)
    at = states + head * stride + part
    first = tl.load(at, mask=real, other=0.0).to(tl.float32)
    second = tl.load(at + HALF, mask=real, other=0.0).to(tl.float32)
    to = out + head * 2 * HALF + part
    tl.store(to, first * cos_1 - second * sin_1, mask=real)
    tl.store(to + HALF, second * cos_2 + first * sin_2, mask=real)


@triton.jit
def _chosen(logits, tokens, logprobs, entropies, masses, size, sharpness, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    logits += row * size
    place = tl.arange(0, CHUNK)
    peak = tl.full((), float("-inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)  # of the weights, and of the logits with these weights
    weighted = tl.full((), 0.0, tl.float32)
    for begin in range(0, size, CHUNK):
        x = tl.load(logits + begin + place, mask=begin + place < size, other=float("-inf"))
        x = x.to(tl.float32) * sharpness
        higher = tl.maximum(peak, tl.max(x, 0))
        weight = tl.exp(x - higher)
        before = tl.exp(peak - higher)
        total = total * before + tl.sum(weight, 0)
        weighted = weighted * before + tl.sum(tl.where(weight > 0, weight * x, 0.0), 0)
        peak = higher
    mass = peak + tl.log(total)
    chosen = tl.load(logits + tl.load(tokens + row)).to(tl.float32) * sharpness
    tl.store(logprobs + row, chosen - mass)
    tl.store(entropies + row, mass - weighted / total)
    tl.store(masses + row, mass)


@triton.jit
def _back_to_logits(
    logits, tokens, masses, to_chosen, to_logits, size, sharpness, CHUNK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * CHUNK + tl.arange(0, CHUNK)
    inside = column < size
    x = tl.load(logits + row * size + column, mask=inside, other=float("-inf")).to(tl.float32)
    share = tl.exp(x * sharpness - tl.load(masses + row))
    grad = tl.load(to_chosen + row)
    back = grad * (tl.where(column == tl.load(tokens + row), 1.0, 0.0) - share)
    tl.store(to_logits + row * size + column, back * sharpness, mask=inside)


@triton.jit
def _most_likely(scores, peaks, out, size, top_p, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    scores += row * size
    peak = tl.load(peaks + row)
    place = tl.arange(0, CHUNK)
    needed = top_p * _heavier(scores, peak, size, 0.0, CHUNK)
    # The least weight such that those above it are not enough. Positive numbers have the order of
    # their bits, so these can be halved between: what is at `low` leaves enough above it.
    low = tl.full((), 0, tl.int32)
    high = tl.full((), 0x3F800000, tl.int32)  # 1, the weight of the most likely token
    for _ in range(30):
        middle = (low + high) // 2
        above = _heavier(scores, peak, size, middle.to(tl.float32, bitcast=True), CHUNK)
        low = tl.where(above < needed, low, middle)
        high = tl.where(above < needed, middle, high)
    least = high.to(tl.float32, bitcast=True)
    for begin in range(0, size, CHUNK):
        inside = begin + place < size
        score = tl.load(scores + begin + place, mask=inside, other=float("-inf"))
        kept = tl.where(tl.exp(score - peak) >= least, score, float("-inf"))
        tl.store(out + row * size + begin + place, kept, mask=inside)


@triton.jit
def _heavier(scores, peak, size, least, CHUNK: tl.constexpr):
    """The sum of the weights above the least."""
    place = tl.arange(0, CHUNK)
    total = tl.zeros((CHUNK,), tl.float32)
    for begin in range(0, size, CHUNK):
        score = tl.load(scores + begin + place, mask=begin + place < size, other=float("-inf"))
        weight = tl.exp(score - peak)
        total += tl.where(weight > least, weight, 0.0)
    return tl.sum(total, 0)


@triton.jit
def _masses(scores, peaks, out, size, count, BLOCK: tl.constexpr, BLOCKS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1) * BLOCKS + tl.arange(0, BLOCKS)
    column = block[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    peak = tl.load(peaks + row)
    score = tl.load(scores + row * size + column, mask=column < size, other=float("-inf"))
    mass = tl.sum(tl.exp(score - peak), 1)
    tl.store(out + row * count + block, mass, mask=block < count)
