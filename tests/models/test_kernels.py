"""The Triton kernels of a decoding step against plain torch."""

from random import Random

import pytest
import torch

pytest.importorskip("triton", reason="Triton comes with torch for a GPU")

from rlve.models.engines.attention import Asked
from rlve.models.engines.paged.kernels import KernelDecode
from rlve.models.engines.paged.pages import (
    PAGE,
    POSITION,
    START,
    TILE,
    Decode,
    PagePool,
    Shape,
    Tables,
    pages_for,
)
from support.interpreter import DEVICE, elsewhere, needs_triton, passes_by_the_interpreter

SEATS = 3


def example(kv, size, seed=0):
    """Two tiles of two rows and one, prompts of different lengths, and a row that is not in use."""
    rng = Random(seed)
    rows, width = 4, 3
    pool = PagePool([(kv, size)], 24, dtype=torch.float32, device=DEVICE)
    torch.manual_seed(seed)
    for states in (*pool.keys, *pool.values):
        states.copy_(torch.randn(states.shape))
    pages = rng.sample(range(1, 25), 24)
    tables = Tables.new(rows, width, 24, torch.device("cpu"))
    first = row = 0
    for tile, (length, owns) in enumerate([(2 * PAGE + 5, [0, PAGE + 3]), (0, [7])]):
        count = pages_for(length)
        tables.tile_pages[first : first + count] = torch.tensor(pages[:count], dtype=torch.int32)
        tables.tiles[:, tile] = torch.tensor([first, length, row, len(owns)])
        del pages[:count]
        first += count
        for own in owns:
            tables.state[POSITION, row] = length + own
            tables.state[START, row] = length
            tables.state[TILE, row] = tile
            count = pages_for(own + 1)
            tables.row_pages[row, :count] = torch.tensor(pages[:count], dtype=torch.int32)
            del pages[:count]
            row += 1
    return pool, Tables(*(each.to(DEVICE) for each in vars(tables).values()))


@elsewhere
def test_by_the_interpreter():
    passes_by_the_interpreter(__file__)


@needs_triton
@pytest.mark.parametrize(
    ("share", "kv", "size", "settings"),
    [
        (3, 2, 64, {}),
        (1, 2, 24, {"window": 20}),
        (6, 1, 16, {"window": 100, "softcap": 1.5}),
        (2, 2, 32, {"softcap": 3.0, "sinks": True}),
        (24, 1, 16, {"sinks": True}),  # more queries in a tile than a program has
    ],
)
def test_kernels_attend_as_plain_torch_does(share, kv, size, settings):
    pool, tables = example(kv, size)
    heads = share * kv
    sinks = torch.randn(heads, device=DEVICE) if settings.pop("sinks", False) else None
    asked = Asked(size**-0.5, sinks=sinks, **settings)
    torch.manual_seed(1)
    # As models hand them over: the numbers of one token side by side.
    query = torch.randn(4, 1, heads, size, device=DEVICE).transpose(1, 2)
    key, value = (torch.randn(4, 1, kv, size, device=DEVICE).transpose(1, 2) for _ in range(2))
    shape = Shape(rows=4, tiles=2, seats=SEATS, prompt_pages=4, own_pages=3)
    before = [states.clone() for states in (*pool.keys, *pool.values)]
    expected = Decode(pool, tables, shape).attend(0, query, key, value, asked)
    written = [states.clone() for states in (*pool.keys, *pool.values)]
    for states, old in zip((*pool.keys, *pool.values), before, strict=True):
        states.copy_(old)
    found = KernelDecode(pool, tables, shape).attend(0, query, key, value, asked)
    assert found.shape == expected.shape == (4, 1, heads, size)
    used = slice(3)  # the last row is in nobody's use
    assert torch.allclose(found[used], expected[used], atol=1e-5)
    for states, expected_states in zip((*pool.keys, *pool.values), written, strict=True):
        assert torch.equal(states[1:], expected_states[1:])
