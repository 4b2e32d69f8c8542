import pytest

from rlve.algorithms.games import mex, nim_sum


@pytest.mark.parametrize(
    ("values", "smallest"), [([], 0), ([1, 2], 0), ([0, 1, 1, 3], 2), (iter([2, 1, 0]), 3)]
)
def test_mex(values, smallest):
    assert mex(values) == smallest


@pytest.mark.parametrize(("values", "total"), [([], 0), ([5], 5), ([1, 2, 3], 0), ([4, 4, 6], 6)])
def test_nim_sum(values, total):
    assert nim_sum(values) == total
