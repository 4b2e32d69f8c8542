import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.cli._options import Selection, as_difficulties, as_difficulty, find
from rlve.collections import C4, COLLECTIONS
from rlve.errors import UserError
from rlve.formats import named_format

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
    with pytest.raises(UserError, match=r"a difficulty is an integer 0, 1, 2, \.\.\., not"):
        as_difficulty(text)
    with pytest.raises(UserError, match="a difficulty is an integer"):
        as_difficulties(f"0,{text}")
    with pytest.raises(UserError, match="a difficulty is an integer"):
        as_difficulties(f"0..{text}")


def test_a_range_has_a_limit():
    with pytest.raises(UserError, match="too long"):
        as_difficulties("0..999999999")


def names(selection: Selection) -> list[str]:
    return [cls.__name__ for cls in selection.environments()]


def test_names_are_taken_in_their_order_and_once():
    assert names(Selection(names=("Sorting", "Division", "Sorting"))) == ["Sorting", "Division"]


def test_collections_add_up_and_families_narrow_them():
    assert names(Selection(collection=("C4",))) == [*C4]
    assert names(Selection(collection=("c4",), family=("arithmetic",))) == [
        "Multiplication",
        "Division",
    ]
    assert names(Selection(collection=("C1", "C4"), family=("arithmetic", "arrays"))) == [
        "Multiplication",
        "Division",
        "Sorting",
    ]


def test_a_collection_that_is_not_all_there_is_an_error(monkeypatch):
    monkeypatch.setitem(COLLECTIONS, "C4", (*C4, "NoSuchTask"))
    with pytest.raises(UserError, match="NoSuchTask"):
        Selection(collection=("C4",)).environments()


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(), "no environment was asked for"),
        (Selection(names=("Sorting",), family=("arrays",)), "not both"),
        (Selection(names=("Sortin",)), "did you mean 'Sorting'"),
        (Selection(collection=("C3",)), "no collection is named 'C3'; there are C1,"),
        (Selection(family=("plants",)), "no family is named 'plants'; there are "),
    ],
)
def test_a_selection_that_means_nothing_is_an_error(selection, message):
    with pytest.raises(UserError, match=message):
        selection.environments()


def test_environments_and_formats_of_ones_own(own_tasks, monkeypatch):
    monkeypatch.syspath_prepend(own_tasks)
    assert find("own_tasks:Echo") is find("own_tasks:Echo") is find("Echo")
    assert named_format("own_tasks:shout").wrap("quiet") == "QUIET"
    with pytest.raises(UserError, match="has no 'whisper'"):
        named_format("own_tasks:whisper")
    with pytest.raises(UserError, match="cannot import 'no_such_module'"):
        named_format("no_such_module:shout")
