import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.errors import UserError
from rlve.levels import as_difficulties, as_difficulty

DIFFICULTIES = st.integers(0, 300)


@given(st.lists(DIFFICULTIES, min_size=1))
def test_a_list_of_difficulties_is_read_back(values):
    text = ", ".join(map(str, values))
    assert as_difficulties(text) == list(dict.fromkeys(values))


@given(DIFFICULTIES, DIFFICULTIES)
def test_a_range_has_both_its_ends(low, high):
    text = f"{low}..{high}"
    if low <= high:
        assert as_difficulties(text) == [*range(low, high + 1)]
    else:
        with pytest.raises(UserError, match=f"the range of difficulties {text} is empty"):
            as_difficulties(text)


def test_lists_and_ranges_mix():
    assert as_difficulties("0..2,8,1..3") == [0, 1, 2, 8, 3]


@pytest.mark.parametrize("text", ["-1", "2.5", "1e3", "x", "", "٣", "0x10", "9" * 5000])
def test_a_difficulty_is_an_integer_from_zero(text):
    with pytest.raises(UserError, match=r"a difficulty must be an integer 0, 1, 2, \.\.\., not"):
        as_difficulty(text)
    with pytest.raises(UserError, match="a difficulty must be an integer"):
        as_difficulties(f"0,{text}")
    with pytest.raises(UserError, match="a difficulty must be an integer"):
        as_difficulties(f"0..{text}")


def test_a_range_has_a_limit():
    with pytest.raises(UserError, match="too long"):
        as_difficulties("0..999999999")
