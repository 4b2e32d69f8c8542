import pytest
import torch

from rlve.models import pass_sizes
from rlve.models.pass_sizes import FIRST_ON_GPU, MOST, SELDOM, PassSize

CPU, GPU = torch.device("cpu"), torch.device("cuda")
COST = 1000  # bytes per token


class Card:
    """A stand-in for the counters of a GPU, on which other processes take memory, too."""

    def __init__(self, monkeypatch, size, gradient=0):
        self.size, self.allocated, self.peak, self.gradient = size, 0, 0, gradient
        self.cached, self.freed = 0, 0  # what torch keeps, and how often it was told to free that
        for name, value in {
            "memory_allocated": lambda device: self.allocated,
            "max_memory_allocated": lambda device: self.peak,
            "memory_reserved": lambda device: self.allocated + self.cached,
            "mem_get_info": lambda device: (self.size - self.allocated - self.cached, self.size),
            "reset_peak_memory_stats": lambda device: setattr(self, "peak", self.allocated),
            "empty_cache": self.free,
        }.items():
            monkeypatch.setattr(pass_sizes.torch.cuda, name, value)

    def free(self):
        self.cached, self.freed = 0, self.freed + 1

    def update(self, size, tokens):
        """Tokens in passes of at most that size; their sizes, or no memory."""
        done = []
        for first in range(0, tokens, size.tokens):
            part = min(size.tokens, tokens - first)
            with size.measuring(part):
                if self.allocated + COST * part > self.size:
                    raise torch.OutOfMemoryError
                self.peak = max(self.peak, self.allocated + COST * part)
                self.allocated = self.gradient  # it stays from the first pass on
            done.append(part)
        self.allocated = 0
        return done


def nothing():
    """There is nothing to undo."""


def test_what_is_given_stays(monkeypatch):
    Card(monkeypatch, COST * 40_000)
    for device in (CPU, GPU):
        size = PassSize(100, usual=16_384, device=device)
        with size.measuring(100):
            pass
        size.grow()
        size.resume(999)
        assert size.tokens == 100


def test_nothing_changes_on_a_cpu():
    size = PassSize(None, usual=16_384, device=CPU)
    with size.measuring(16_384):
        pass
    size.grow()
    size.resume(999)
    assert size.tokens == 16_384


@pytest.mark.parametrize("gradient", [0, COST * 10_000])
def test_passes_grow_into_what_is_free_and_never_beyond(gradient, monkeypatch):
    card = Card(monkeypatch, COST * 40_000 + gradient, gradient)
    size = PassSize(None, usual=1, device=GPU)
    sizes = []
    for _ in range(8):
        card.update(size, 200_000)
        size.grow()
        sizes.append(size.tokens)
    assert FIRST_ON_GPU < sizes[0] < sizes[1] < sizes[-1] < 40_000
    assert sizes == sorted(sizes)
    assert sizes[-1] > 35_000
    card.size *= 100
    size = PassSize(None, usual=1, device=GPU)
    for _ in range(4):
        card.update(size, 200_000)
        size.grow()
    assert size.tokens == MOST


def test_a_tenth_of_what_was_free_at_first_stays_free_for_good(monkeypatch):
    card = Card(monkeypatch, COST * 40_000)
    size = PassSize(None, usual=1, device=GPU)
    for _ in range(50):
        card.update(size, 200_000)
        size.grow()
    assert size.tokens == 36_000
    card.size *= 2  # others let go of theirs, and may want it back
    card.update(size, 200_000)
    size.grow()
    assert size.tokens == 36_000


def test_the_peak_of_a_run_is_that_of_its_largest_pass(monkeypatch):
    card = Card(monkeypatch, COST * 40_000)
    card.peak = COST * 30_000  # before the first pass
    size = PassSize(None, usual=1, device=GPU)
    assert size.peak == COST * 30_000
    card.update(size, 2000)
    assert card.peak == COST * 2000
    assert size.peak == COST * 30_000
    card.size *= 2
    card.peak = COST * 50_000
    assert size.peak == COST * 50_000


@pytest.mark.parametrize("given", [None, 100])
def test_what_torch_keeps_is_freed_now_and_then_where_little_is_left(given, monkeypatch):
    card = Card(monkeypatch, COST * 40_000)
    size = PassSize(given, usual=1, device=GPU)
    freed = []
    for share in [0.5, 0.95] + [0.95] * SELDOM + [0.5, 0.95]:
        card.cached = int(share * card.size)
        size.grow()
        freed.append(card.freed)
    assert freed == [0] + [1] * SELDOM + [2] * 3


def test_batches_that_fill_no_pass_change_nothing(monkeypatch):
    card = Card(monkeypatch, COST * 40_000)
    size = PassSize(None, usual=1, device=GPU)
    card.update(size, 1000)
    size.grow()
    assert size.tokens == FIRST_ON_GPU


def test_passes_shrink_when_memory_runs_out_and_grow_no_more(monkeypatch):
    card = Card(monkeypatch, COST * 3000)
    size = PassSize(None, usual=1, device=GPU)
    undone = []
    done = size.fit(lambda: card.update(size, 5000), lambda: undone.append(size.tokens))
    assert undone == [4096, 2048]
    assert done == [2048, 2048, 904]
    size.grow()
    assert size.tokens == 2048
    card.size = COST * 100
    with pytest.raises(torch.OutOfMemoryError):
        size.fit(lambda: card.update(size, 5000), nothing)


def test_a_given_size_is_not_made_smaller(monkeypatch):
    card = Card(monkeypatch, COST * 3000)
    size = PassSize(8000, usual=1, device=GPU)
    with pytest.raises(torch.OutOfMemoryError):
        size.fit(lambda: card.update(size, 9000), nothing)


def test_a_resumed_run_goes_on_with_its_size():
    size = PassSize(None, usual=1, device=GPU)
    size.resume(20_000)
    assert size.tokens == 20_000
