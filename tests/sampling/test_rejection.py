from itertools import count

import pytest

from rlve.errors import GenerationError
from rlve.sampling.rejection import prefer, redraw


def test_redraw():
    numbers = count()
    assert redraw(lambda: next(numbers), lambda x: x == 7, tries=8) == 7
    with pytest.raises(GenerationError, match="none of 5 draws"):
        redraw(lambda: next(numbers), lambda x: x < 0, tries=5)


def test_prefer():
    numbers = count()
    assert prefer(lambda: next(numbers), lambda x: x == 3, tries=20) == 3
    assert prefer(lambda: next(numbers), lambda x: x < 0, tries=5) == 8
