"""Keys and values of rollouts of different lengths, as the in-process engine stores them."""

from typing import Any, cast

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import Cache

# The number of positions by which the cache grows. Growing copies all of it, but a cache that is
# much longer than its rows is slower to read: attention on a CPU waits for memory.
BLOCK = 32


class RowCache(Cache):
    """Keys and values of rollouts of different lengths, one row each, aligned at position 0.

    The rows in use come first, each up to its own length.
    """

    def __init__(self) -> None:
        super().__init__(layers=[])
        self.keys: list[Tensor] = []  # by layer: rows x heads x positions x size
        self.values: list[Tensor] = []
        self.lengths = torch.empty(0, dtype=torch.long)
        self.longest = 0

    def append(self, fresh: DynamicCache, index: Tensor, lengths: Tensor) -> None:
        """Add one row for each entry of `index`, a row of the left-padded fresh cache."""
        old, new = len(self.lengths), len(self.lengths) + len(index)
        added = lengths.index_select(0, index)
        self.lengths = torch.cat([self.lengths.to(added.device), added])
        self.longest = int(self.lengths.max())
        padded = fresh.get_seq_length()
        # Where each position comes from; those beyond a row's length are arbitrary and never read.
        columns = torch.arange(padded, device=lengths.device) + (padded - lengths).unsqueeze(1)
        columns = columns.clamp(max=padded - 1)[:, None, :, None]
        for layer, part in enumerate(cast(list[Any], fresh.layers)):
            for store, given in ((self.keys, part.keys), (self.values, part.values)):
                states = given.to(_kept_in(given))
                self._reserve(store, layer, new, self.longest + 1, states)
                aligned = states.gather(2, columns.expand_as(states))
                store[layer][old:new, :, :padded] = aligned.index_select(0, index)

    def begin(self) -> Tensor:
        """Make room for one more position in each row, and return these positions."""
        positions = self.lengths
        self.lengths = positions + 1
        self.longest += 1
        for store in (self.keys, self.values):
            for layer, states in enumerate(store):
                self._reserve(store, layer, len(positions), self.longest, states)
        self._rows = torch.arange(len(positions), device=positions.device)
        self._positions = positions
        return positions

    def mask(self) -> Tensor:
        """rows x 1 x 1 x positions: what each row may see."""
        columns = torch.arange(self._width(), device=self.lengths.device)
        return (columns < self.lengths.unsqueeze(1))[:, None, None, :]

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Called by the model's attention layers: store the new position, return all."""
        keys, values = self.keys[layer_idx], self.values[layer_idx]
        keys[self._rows, :, self._positions] = key_states[:, :, 0].to(keys.dtype)
        values[self._rows, :, self._positions] = value_states[:, :, 0].to(values.dtype)
        rows, width = len(self._rows), self._width()
        return keys[:rows, :, :width], values[:rows, :, :width]

    def _width(self) -> int:
        """The positions to pass to attention.

        A few that no row has reached are masked: memory without gaps is read almost twice as fast.
        """
        capacity = self.keys[0].shape[2]
        return capacity if capacity - self.longest < BLOCK else self.longest

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return self.longest

    def move(self, to: Tensor, source: Tensor, left: int, longest: int) -> None:
        """Copy rows over others, and free those from `left`; `longest` is the longest one left."""
        if len(to):
            for states in (*self.keys, *self.values):
                states[to] = states[source]
            self.lengths[to] = self.lengths[source]
        self.lengths = self.lengths[:left]
        self.longest = longest  # lengths.max() would wait for the GPU

    def _reserve(
        self, store: list[Tensor], layer: int, rows: int, positions: int, like: Tensor
    ) -> None:
        if layer == len(store):
            store.append(like.new_zeros(0, like.shape[1], 0, like.shape[3]))
        states = store[layer]
        if states.shape[0] < rows or states.shape[2] < positions:
            # On a GPU by half, because the allocator keeps the memory of every smaller size.
            block = max(BLOCK, states.shape[2] // 2) if states.is_cuda else BLOCK
            capacity = max(states.shape[2], -(-positions // block) * block)
            count, heads, _, size = states.shape
            grown = states.new_zeros(max(rows, count), heads, capacity, size)
            grown[: states.shape[0], :, : states.shape[2]] = states
            store[layer] = grown


def _kept_in(states: Tensor) -> torch.dtype:
    """The type in which attention computes; under autocast it is not that of its inputs.

    There keys are in single precision, because rotating gives that, and transformers' caches store
    values in the type of their keys: twice the memory for the same numbers.
    """
    kind = states.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else states.dtype
