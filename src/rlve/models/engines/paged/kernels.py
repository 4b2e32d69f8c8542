"""The decoding step of pages.py as three Triton kernels.

`_store` writes the new keys and values; `_prompts` attends to the prompts, with one program per
tile and key head; `_outputs` continues from there with each row's own tokens. They read only the
part of a page that is in use and look up in the tables how far to go, so nothing has to be recorded
again when sequences become longer. Triton's interpreter runs them without a GPU.
"""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor

from rlve.models.engines.attention import Asked
from rlve.models.engines.paged.pages import PAGE, POSITION, START, PagePool, Shape, Tables

LOW = tl.constexpr(-1e30)
QUERIES = 64  # the most queries in one program of _prompts
PROMPT_WARPS = 4
OUTPUT_WARPS = 4


@dataclass(frozen=True)
class KernelDecode:
    """A pass over one new token per row, with the same results as pages.Decode."""

    pool: PagePool
    tables: Tables
    shape: Shape

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, asked: Asked) -> Tensor:
        keys, values = self.pool.keys[layer], self.pool.values[layer]
        state, row_pages = self.tables.state, self.tables.row_pages
        rows, heads, _, size = query.shape
        kv = key.shape[1]
        share = heads // kv
        query, key, value = (  # with the numbers of a head adjacent in memory
            each if each.stride(-1) == 1 else each.contiguous() for each in (query, key, value)
        )
        out = torch.empty(rows, 1, heads, size, dtype=self.pool.dtype, device=query.device)
        prompt = torch.empty(rows, heads, size, dtype=torch.float32, device=query.device)
        mass = torch.empty(rows, heads, dtype=torch.float32, device=query.device)
        whole = triton.next_power_of_2(size)
        common = {
            "SHARE": share,
            "KV": kv,
            "SIZE": size,
            "WHOLE": max(16, whole),
            "PAGE": PAGE,
            "WINDOW": asked.window or 0,
            "CAPPED": asked.softcap is not None,
            # Otherwise Triton would multiply single precision less precisely.
            "PRECISION": "ieee" if self.pool.dtype == torch.float32 else "tf32",
        }
        cap = asked.softcap or 0.0
        _store[(rows,)](
            key,
            value,
            keys,
            values,
            state[POSITION],
            state[START],
            row_pages,
            key.stride(0),
            key.stride(1),
            value.stride(0),
            value.stride(1),
            row_pages.stride(0),
            KV=kv,
            SIZE=size,
            ALL=triton.next_power_of_2(kv * size),
            PAGE=PAGE,
        )
        queries = min(QUERIES, max(16, triton.next_power_of_2(self.shape.seats * share)))
        parts = triton.cdiv(self.shape.seats * share, queries)
        _prompts[(self.shape.tiles, kv, parts)](
            query,
            keys,
            values,
            prompt,
            mass,
            state[POSITION],
            self.tables.tiles,
            self.tables.tile_pages,
            query.stride(0),
            query.stride(1),
            self.tables.tiles.stride(0),
            asked.scale,
            cap,
            QUERIES=queries,
            num_warps=PROMPT_WARPS,
            **common,
        )
        sinks = asked.sinks if asked.sinks is not None else mass
        _outputs[(rows, kv)](
            query,
            keys,
            values,
            prompt,
            mass,
            sinks,
            out,
            state[POSITION],
            state[START],
            row_pages,
            query.stride(0),
            query.stride(1),
            row_pages.stride(0),
            asked.scale,
            cap,
            SINKS=asked.sinks is not None,
            QUERIES=max(16, triton.next_power_of_2(share)),
            num_warps=OUTPUT_WARPS,
            **common,
        )
        return out


@triton.jit
def _store(
    key,
    value,
    keys,
    values,
    positions,
    starts,
    row_pages,
    key_row,
    key_head,
    value_row,
    value_head,
    width,
    KV: tl.constexpr,
    SIZE: tl.constexpr,
    ALL: tl.constexpr,
    PAGE: tl.constexpr,
):
    row = tl.program_id(0)
    own = tl.load(positions + row) - tl.load(starts + row)
    page = tl.load(row_pages + row * width + own // PAGE).to(tl.int64)
    number = tl.arange(0, ALL)
    head = number // SIZE
    part = number % SIZE
    inside = number < KV * SIZE
    to = ((page * KV + head) * PAGE + own % PAGE) * SIZE + part
    new = tl.load(key + row * key_row + head * key_head + part, mask=inside)
    tl.store(keys + to, new, mask=inside)
    new = tl.load(value + row * value_row + head * value_head + part, mask=inside)
    tl.store(values + to, new, mask=inside)


@triton.jit
def _prompts(
    query,
    keys,
    values,
    outs,
    masses,
    positions,
    tiles,
    tile_pages,
    query_row,
    query_head,
    tile_stride,
    scale,
    cap,
    QUERIES: tl.constexpr,
    SHARE: tl.constexpr,
    KV: tl.constexpr,
    SIZE: tl.constexpr,
    WHOLE: tl.constexpr,
    PAGE: tl.constexpr,
    WINDOW: tl.constexpr,
    CAPPED: tl.constexpr,
    PRECISION: tl.constexpr,
):
    tile = tl.program_id(0)
    kv = tl.program_id(1)
    first = tl.load(tiles + tile)
    length = tl.load(tiles + tile_stride + tile)
    row = tl.load(tiles + 2 * tile_stride + tile)
    count = tl.load(tiles + 3 * tile_stride + tile)
    number = tl.program_id(2) * QUERIES + tl.arange(0, QUERIES)
    rows = row + number // SHARE
    heads = kv * SHARE + number % SHARE
    seated = number < count * SHARE
    part = tl.arange(0, WHOLE)
    real = seated[:, None] & (part < SIZE)[None, :]
    at = query + rows[:, None] * query_row + heads[:, None] * query_head + part[None, :]
    q = tl.load(at, mask=real, other=0.0).to(keys.dtype.element_ty)
    position = tl.load(positions + rows, mask=seated, other=0)

    best = tl.full((QUERIES,), LOW, tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    out = tl.zeros((QUERIES, WHOLE), tl.float32)
    begin = 0
    if WINDOW > 0:
        earliest = tl.min(tl.where(seated, position, 1 << 30), 0) - WINDOW + 1
        begin = tl.maximum(earliest, 0).to(tl.int32) // PAGE
    for index in range(begin, tl.cdiv(length, PAGE)):
        page = tl.load(tile_pages + first + index).to(tl.int64)
        column = index * PAGE + tl.arange(0, PAGE)
        allowed = seated[:, None] & (column < length)[None, :]
        if WINDOW > 0:
            allowed = allowed & (column[None, :] > position[:, None] - WINDOW)
        best, total, out = _page(
            q,
            keys,
            values,
            (page * KV + kv) * PAGE * SIZE,
            length - index * PAGE,
            allowed,
            best,
            total,
            out,
            scale,
            cap,
            SIZE,
            WHOLE,
            PAGE,
            CAPPED,
            PRECISION,
        )
    # If nothing is seen, there is no mass, and the output is 0.
    out = out / tl.where(total > 0, total, 1.0)[:, None]
    mass = tl.where(total > 0, best + tl.log(tl.where(total > 0, total, 1.0)), LOW)
    place = rows * (KV * SHARE) + heads
    tl.store(outs + place[:, None] * SIZE + part[None, :], out, mask=real)
    tl.store(masses + place, mass, mask=seated)


@triton.jit
def _outputs(
    query,
    keys,
    values,
    prompts,
    masses,
    sinks,
    outs,
    positions,
    starts,
    row_pages,
    query_row,
    query_head,
    width,
    scale,
    cap,
    SINKS: tl.constexpr,
    QUERIES: tl.constexpr,
    SHARE: tl.constexpr,
    KV: tl.constexpr,
    SIZE: tl.constexpr,
    WHOLE: tl.constexpr,
    PAGE: tl.constexpr,
    WINDOW: tl.constexpr,
    CAPPED: tl.constexpr,
    PRECISION: tl.constexpr,
):
    row = tl.program_id(0)
    kv = tl.program_id(1)
    start = tl.load(starts + row)
    own = (tl.load(positions + row) - start).to(tl.int32)
    number = tl.arange(0, QUERIES)
    heads = kv * SHARE + number
    real = number < SHARE
    part = tl.arange(0, WHOLE)
    inside = real[:, None] & (part < SIZE)[None, :]
    at = query + row * query_row + heads[:, None] * query_head + part[None, :]
    q = tl.load(at, mask=inside, other=0.0).to(keys.dtype.element_ty)

    # Continue where the prompt ended.
    place = row * (KV * SHARE) + heads
    known = number < tl.where(start > 0, SHARE, 0)
    best = tl.load(masses + place, mask=known, other=LOW)
    total = tl.where(best > LOW, 1.0, 0.0)
    at = prompts + place[:, None] * SIZE + part[None, :]
    out = tl.load(at, mask=inside & known[:, None], other=0.0)
    begin = 0
    if WINDOW > 0:
        begin = tl.maximum(own - WINDOW + 1, 0) // PAGE
    for index in range(begin, own // PAGE + 1):
        page = tl.load(row_pages + row * width + index).to(tl.int64)
        column = index * PAGE + tl.arange(0, PAGE)
        allowed = column <= own
        if WINDOW > 0:
            allowed = allowed & (column > own - WINDOW)
        best, total, out = _page(
            q,
            keys,
            values,
            (page * KV + kv) * PAGE * SIZE,
            own + 1 - index * PAGE,
            real[:, None] & allowed[None, :],
            best,
            total,
            out,
            scale,
            cap,
            SIZE,
            WHOLE,
            PAGE,
            CAPPED,
            PRECISION,
        )
    if SINKS:
        sink = tl.load(sinks + heads, mask=real, other=LOW).to(tl.float32)
        peak = tl.maximum(best, sink)
        fade = tl.exp(best - peak)
        total = total * fade + tl.exp(sink - peak)
        out = out * fade[:, None]
    out = out / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(outs + place[:, None] * SIZE + part[None, :], out, mask=inside)


@triton.jit
def _page(
    q,
    keys,
    values,
    at,
    used,
    allowed,
    best,
    total,
    out,
    scale,
    cap,
    SIZE: tl.constexpr,
    WHOLE: tl.constexpr,
    PAGE: tl.constexpr,
    CAPPED: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Attend to one more page; updates the best score, the sum of weights and the weighted sum."""
    column = tl.arange(0, PAGE)
    part = tl.arange(0, WHOLE)
    inside = (column < used)[:, None] & (part < SIZE)[None, :]
    place = at + column[:, None] * SIZE + part[None, :]
    k = tl.load(keys + place, mask=inside, other=0.0)
    score = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale
    if CAPPED:
        score = cap * (2 * tl.sigmoid(2 * score / cap) - 1)  # tanh
    score = tl.where(allowed, score, LOW)
    peak = tl.maximum(best, tl.max(score, 1))
    weight = tl.where(allowed, tl.exp(score - peak[:, None]), 0.0)
    fade = tl.exp(best - peak)
    v = tl.load(values + place, mask=inside, other=0.0)
    out = out * fade[:, None] + tl.dot(weight.to(v.dtype), v, input_precision=PRECISION)
    return peak, total * fade + tl.sum(weight, 1), out
