"""How many tokens a forward and backward pass takes: on a GPU, as many as memory allows."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import torch

FIRST_ON_GPU = 8_192
"""Tokens of a pass on a GPU before any has been measured."""
MOST = 65_536
LEAST = 512
GROWTH = 0.5
"""The share of what is free at the peak of a pass by which the next ones may grow."""
MOST_OF_FREE = 0.9
"""The share of what was free at first that passes may ever take: memory is also lost in gaps, and
others on the same GPU may need some."""
LITTLE = 0.1
"""The share of a GPU's memory below which others on it may lack some."""
SELDOM = 10
"""Updates between two times that torch's cache is freed: it has to be filled again."""

T = TypeVar("T")


class PassSize:
    """The tokens of a pass: as given, or on a GPU as many as memory allows.

    Results depend on it only by rounding. It grows after updates whose passes were full, by what
    the largest of them was measured to take, and leaves a margin for good. It falls only if memory
    runs out, as when others on the same GPU take more; from then on it no longer grows.

    usual   on other devices, if no size is given
    """

    def __init__(self, given: int | None, *, usual: int, device: torch.device) -> None:
        self.chosen = given is None and device.type == "cuda"  # by us, so that it may change
        self.tokens = given or (FIRST_ON_GPU if self.chosen else usual)
        self._device = device
        self._growing = self.chosen
        self._largest = 0  # tokens of the largest pass of an update
        self._used = 0  # bytes that it took
        self._begun = 0  # bytes in use when the update began
        self._needed = 0  # bytes that it took at its peak, the gradient included
        self._most: float | None = None  # bytes that a pass may take
        self._peak = 0  # bytes in use at once, before torch's count of them was last reset
        self._since = SELDOM  # updates since torch's cache was freed

    @property
    def peak(self) -> int:
        """The most bytes of the GPU in use at once so far; measuring resets torch's own count."""
        return max(self._peak, torch.cuda.max_memory_allocated(self._device))

    @contextmanager
    def measuring(self, tokens: int) -> Generator[None]:
        """Measure a pass of this many tokens, without waiting for it."""
        if not self._growing:
            yield
            return
        before = torch.cuda.memory_allocated(self._device)
        if not self._largest:
            self._begun, self._needed = before, 0
        self._peak = self.peak
        torch.cuda.reset_peak_memory_stats(self._device)
        yield
        peak = torch.cuda.max_memory_allocated(self._device)
        self._needed = max(self._needed, peak - self._begun)
        if tokens >= self._largest:
            self._largest, self._used = tokens, peak - before

    def grow(self) -> None:
        """Make the next passes larger, if those of this update were full and memory is left.

        Where little is left, others on the GPU get what torch keeps.
        """
        self._give_back()
        largest, used = self._largest, self._used
        self._largest = 0
        if not self._growing or used <= 0 or 2 * largest < self.tokens:
            return
        free = torch.cuda.mem_get_info(self._device)[0] + torch.cuda.memory_reserved(self._device)
        spare = max(0, free - torch.cuda.memory_allocated(self._device) - self._needed)
        if self._most is None:
            self._most = MOST_OF_FREE * (used + spare)
        room = min(self._most, used + GROWTH * spare)
        self.tokens = max(self.tokens, min(MOST, int(largest * room / used)))

    def _give_back(self) -> None:
        """Free what torch keeps for later, where others on the same GPU may lack it."""
        self._since += 1
        if self._device.type != "cuda" or self._since < SELDOM:
            return
        free, total = torch.cuda.mem_get_info(self._device)
        if free < LITTLE * total:
            torch.cuda.empty_cache()
            self._since = 0

    def fit(self, work: Callable[[], T], undo: Callable[[], None]) -> T:
        """Do something that is cut into passes of this size; in smaller ones, until they fit.

        It is begun again after `undo`, so an optimiser's step cannot be part of it.
        """
        while True:
            try:
                return work()
            except torch.OutOfMemoryError:
                if not self.chosen or self.tokens // 2 < LEAST:
                    raise
            # Out here, nothing of the pass that failed is held any more.
            self.tokens //= 2
            self._growing = False
            undo()
            torch.cuda.empty_cache()

    def resume(self, tokens: int) -> None:
        """Go on with the size that a run had, unless one is given."""
        if self.chosen:
            self.tokens = tokens
