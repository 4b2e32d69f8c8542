import pytest

from rlve.cli._options import Selection
from rlve.collections import C4, COLLECTIONS
from rlve.errors import UserError
from rlve.targets import find, find_format


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


def test_a_name_may_be_that_of_a_collection():
    assert names(Selection(names=("C4", "Sorting", "SAT"))) == [*C4, "SAT"]


def test_the_words_of_a_selection_keep_collections_whole():
    assert Selection(names=("SAT", "C4")).words() == ("SAT", "C4")
    assert Selection(collection=("C4", "C16")).words() == ("C4", "C16")
    assert Selection(collection=("C4",), family=("arrays",)).words() == ("Sorting",)
    assert not Selection()
    assert Selection(family=("arrays",))


def test_a_collection_that_is_not_all_there_is_an_error(monkeypatch):
    monkeypatch.setitem(COLLECTIONS, "C4", (*C4, "NoSuchTask"))
    with pytest.raises(UserError, match="NoSuchTask"):
        Selection(collection=("C4",)).environments()


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(), "no environment was given"),
        (Selection(names=("Sorting",), family=("arrays",)), "give either names"),
        (Selection(names=("Sortin",)), "did you mean 'Sorting'"),
        (Selection(collection=("C3",)), "no collection is named 'C3'; the collections are C1,"),
        (
            Selection(collection=("Sorting",)),
            "no collection is named 'Sorting'; the collections are C1,",
        ),
        (Selection(family=("plants",)), "no family is named 'plants'; the families are "),
        (Selection(collection=("C1",), family=("games",)), "in both these collections and these"),
    ],
)
def test_a_selection_that_means_nothing_is_an_error(selection, message):
    with pytest.raises(UserError, match=message):
        selection.environments()


def test_environments_and_formats_of_ones_own(own_tasks, monkeypatch):
    monkeypatch.syspath_prepend(own_tasks)
    assert find("own_tasks:Echo") is find("own_tasks:Echo") is find("Echo")
    assert find_format("own_tasks:shout").wrap("quiet") == "QUIET"
    with pytest.raises(UserError, match="defines no whisper"):
        find_format("own_tasks:whisper")
    with pytest.raises(UserError, match="no_such_module cannot be imported"):
        find_format("no_such_module:shout")
