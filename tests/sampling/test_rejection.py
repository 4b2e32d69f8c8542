from collections import Counter
from itertools import count
from random import Random

import pytest

from rlve.errors import GenerationError
from rlve.sampling.rejection import prefer, redraw, spread


def test_redraw():
    numbers = count()
    assert redraw(lambda: next(numbers), lambda x: x == 7, tries=8) == 7
    with pytest.raises(GenerationError, match="none of 5 draws"):
        redraw(lambda: next(numbers), lambda x: x < 0, tries=5)


def test_prefer():
    numbers = count()
    assert prefer(lambda: next(numbers), lambda x: x == 3, tries=20) == 3
    assert prefer(lambda: next(numbers), lambda x: x < 0, tries=5) == 8


def test_spread():
    rng = Random(0)
    parities = Counter(
        spread(rng, lambda: rng.choice([1, 3, 5, 7, 8]), by=lambda x: x % 2, draws=30) % 2
        for _ in range(1000)
    )
    assert 400 < parities[0] < 600
