from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.rewards import closeness, exact_residue, ratio

naturals = st.integers(0, 10**400) | st.integers(0, 10)


@given(naturals, naturals)
def test_ratio_is_one_only_for_enough(part, whole):
    value = ratio(part, whole)
    assert 0 <= value <= 1
    assert (value == 1) == (part >= whole)
    if part < whole:
        assert value == pytest.approx(float(Fraction(part, whole)))


@given(naturals, naturals)
def test_closeness_is_one_only_for_equality(x, gold):
    assert (closeness(x, gold) == 1) == (x == gold)
    assert closeness(x, gold) == closeness(gold, x)


@pytest.mark.parametrize("power", [1, 2, 3, 5, 10])
def test_off_by_one_never_passes_however_large(power):
    gold = 10**3000
    assert closeness(gold - 1, gold) ** power < 1


def test_zero():
    assert ratio(0, 0) == 1
    assert closeness(0, 0) == 1
    assert closeness(0, 5) == 0
    assert closeness(5, 0) == 0


def test_exact_residue():
    assert [exact_residue(x, 2, 3) for x in (-1, 0, 1, 2, 3, 5)] == [-0.5, 0, 0, 1, -0.5, -0.5]
