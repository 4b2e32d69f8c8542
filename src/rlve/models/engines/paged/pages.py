"""Keys and values in pages, shared by rollouts that share a prompt.

Rollouts of one prompt form a tile. The prompt, except for its last token, is stored once, in pages
of the tile; what follows is stored in each rollout's own pages. A decoding step attends to both and
joins the two by the sums of their weights. All queries of a tile are matched together with the keys
of its prompt, which are therefore read once, not once per rollout.

Tables say to whom pages belong. They are on the device at fixed addresses, so that a CUDA graph
recorded with them sees what is written to them later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rlve.models.engines.attention import Asked, causal, joined, partial

PAGE = 64  # positions
SCRATCH = 0  # the page for what is never read: padding, and rows that are not in use

# For each row, in the table `state`:
TOKEN, POSITION, START, LEFT, STREAM, TILE = range(6)
"""The last token; its position; the number of positions in its prompt's pages; the number of tokens
it may still get; where its random numbers begin; its tile."""


def pages_for(positions: int) -> int:
    return -(-positions // PAGE)


class PagePool:
    """The pages: keys and values by layer, and which are free."""

    def __init__(
        self,
        shapes: Sequence[tuple[int, int]],
        pages: int,
        *,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        """shapes: by layer, the number of heads with keys, and their size."""
        self.size = pages
        self.dtype = dtype
        # Zeros, because memory that was never written is multiplied by weights of 0.
        self.keys, self.values = (
            [torch.zeros(pages + 1, h, PAGE, d, dtype=dtype, device=device) for h, d in shapes]
            for _ in range(2)
        )
        self.clear()

    @property
    def free(self) -> int:
        return len(self._free)

    def take(self, count: int) -> list[int]:
        """Take this many pages; the caller makes sure that they are free."""
        taken = self._free[len(self._free) - count :]
        del self._free[len(self._free) - count :]
        return taken

    def give(self, pages: Sequence[int]) -> None:
        self._free.extend(pages)

    def clear(self) -> None:
        self._free = list(range(self.size, SCRATCH, -1))


@dataclass(frozen=True)
class Tables:
    """To whom pages belong, on the device, for as many rows and tiles as there can be."""

    state: Tensor
    """6 x rows: see TOKEN and what follows."""
    row_pages: Tensor
    """rows x pages of the longest output."""
    tile_pages: Tensor
    """The pages of all prompts, tile by tile."""
    tiles: Tensor
    """4 x tiles: where its pages begin in tile_pages, how many positions they hold, its first row,
    and its number of rows, which are adjacent."""

    @staticmethod
    def new(rows: int, width: int, pages: int, device: torch.device) -> "Tables":
        def zeros(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        return Tables(
            state=zeros(6, rows, dtype=torch.long),
            row_pages=zeros(rows, width, dtype=torch.int32),
            tile_pages=zeros(pages + 1, dtype=torch.int32),
            tiles=zeros(4, rows, dtype=torch.int32),
        )


@dataclass(frozen=True)
class Shape:
    """The sizes for which a step is recorded."""

    rows: int
    tiles: int
    seats: int  # rows that a tile can have
    prompt_pages: int = 0  # that the longest prompt has; unused by kernels, which look
    own_pages: int = 0  # that the longest output has


@dataclass(frozen=True)
class Prefill:
    """A pass over complete sequences: nothing is read, and all is stored where it is told to."""

    pool: PagePool
    pages: Tensor  # sequences x tokens
    offsets: Tensor

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, asked: Asked) -> Tensor:
        dtype = self.pool.dtype
        query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
        where = (self.pages, slice(None), self.offsets)
        self.pool.keys[layer][where] = key.transpose(1, 2)
        self.pool.values[layer][where] = value.transpose(1, 2)
        return causal(query, key, value, asked)


class Decode:
    """A pass over one new token per row, in plain torch; kernels are compared with it."""

    def __init__(self, pool: PagePool, tables: Tables, shape: Shape) -> None:
        self.pool = pool
        self.shape = shape
        rows, device = shape.rows, tables.state.device
        state = tables.state[:, :rows]
        self.position = state[POSITION]
        self.own = self.position - state[START]  # where in its own pages the new token comes
        self.row_pages = tables.row_pages[:rows, : shape.own_pages].long()
        page = (self.own // PAGE).unsqueeze(1)
        self.page = self.row_pages.gather(1, page.clamp(max=shape.own_pages - 1)).squeeze(1)
        self.offset = self.own % PAGE

        first, length, row, count = tables.tiles[:, : shape.tiles].long()
        columns = torch.arange(shape.prompt_pages, device=device)
        place = (first.unsqueeze(1) + columns).clamp(max=len(tables.tile_pages) - 1)
        self.tile_pages = tables.tile_pages[place]
        self.length = length
        seats = torch.arange(shape.seats, device=device)
        seated = row.unsqueeze(1) + seats.minimum(count.unsqueeze(1) - 1).clamp(min=0)
        self.tile_rows = seated.clamp(max=rows - 1)  # tiles x seats
        tile = state[TILE]
        seat = tile * shape.seats + torch.arange(rows, device=device) - row[tile]
        self.seat = seat.clamp(0, shape.tiles * shape.seats - 1)  # of rows not in use it is any

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, asked: Asked) -> Tensor:
        dtype = self.pool.dtype
        query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
        keys, values = self.pool.keys[layer], self.pool.values[layer]
        where = (self.page, slice(None), self.offset)
        keys[where] = key[:, :, 0]
        values[where] = value[:, :, 0]
        rows, heads, _, size = query.shape
        grouped = query.reshape(rows, key.shape[1], -1, size)
        parts = [self._own(grouped, keys, values, asked)]
        if self.shape.prompt_pages:
            parts.append(self._prompt(grouped, keys, values, asked))
        sinks = None if asked.sinks is None else asked.sinks.view(key.shape[1], -1)
        return joined(parts, sinks).to(query.dtype).reshape(rows, 1, heads, size)

    def _own(
        self, query: Tensor, keys: Tensor, values: Tensor, asked: Asked
    ) -> tuple[Tensor, Tensor]:
        """Attention of each row to what follows its prompt: rows x kv heads x share."""
        columns = torch.arange(self.shape.own_pages * PAGE, device=query.device)
        allowed = columns <= self.own.unsqueeze(1)
        if asked.window is not None:
            allowed &= columns > self.own.unsqueeze(1) - asked.window
        pages = _gathered(keys, self.row_pages), _gathered(values, self.row_pages)
        return partial(query, *pages, allowed[:, None, None], asked)

    def _prompt(
        self, query: Tensor, keys: Tensor, values: Tensor, asked: Asked
    ) -> tuple[Tensor, Tensor]:
        """Attention of each row to its prompt, by tiles: rows x kv heads x share."""
        columns = torch.arange(self.shape.prompt_pages * PAGE, device=query.device)
        allowed = (columns < self.length.unsqueeze(1)).unsqueeze(1)  # tiles x 1 x columns
        if asked.window is not None:
            allowed = allowed & (columns > self.position[self.tile_rows, None] - asked.window)
        kv, share, size = query.shape[1:]
        # tiles x kv heads x (seats x share) x size
        together = query[self.tile_rows].transpose(1, 2).flatten(2, 3)
        allowed = allowed.expand(-1, self.shape.seats, -1).repeat_interleave(share, 1)
        pages = _gathered(keys, self.tile_pages), _gathered(values, self.tile_pages)
        out, mass = partial(together, *pages, allowed.unsqueeze(1), asked)
        apart = out.view(-1, kv, self.shape.seats, share, size).transpose(1, 2).flatten(0, 1)
        masses = mass.view(-1, kv, self.shape.seats, share).transpose(1, 2).flatten(0, 1)
        return apart[self.seat], masses[self.seat]


def _gathered(states: Tensor, pages: Tensor) -> Tensor:
    """... x kv heads x positions x size, from pages: ... x count."""
    return states[pages].transpose(1, 2).flatten(2, 3)


def packed(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists of different lengths as values, the list each comes from, and its position there."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    values = np.fromiter((value for each in lists for value in each), np.int64, lengths.sum())
    source = np.repeat(np.arange(len(lists)), lengths)
    begin = np.cumsum(lengths) - lengths
    return values, source, np.arange(len(values)) - begin[source]
