import pytest

from rlve.cli._options import Selection
from rlve.collections import C4
from rlve.errors import UserError
from rlve.targets import find, find_format


def names(selection: Selection) -> list[str]:
    return [cls.__name__ for cls in selection.environments()]


def test_a_name_may_be_that_of_a_collection_and_families_narrow_collections():
    assert names(Selection(names=("C4", "Sorting", "SAT", "SAT"))) == [*C4, "SAT"]
    assert names(Selection(collection=("C1", "c4"), family=("arithmetic", "arrays"))) == [
        "Multiplication",
        "Division",
        "Sorting",
    ]


def test_the_words_of_a_selection_keep_collections_whole():
    assert Selection(names=("SAT", "C4")).words() == ("SAT", "C4")
    assert Selection(collection=("C4", "C16")).words() == ("C4", "C16")
    assert Selection(collection=("C4",), family=("arrays",)).words() == ("Sorting",)
    assert not Selection()
    assert Selection(family=("arrays",))


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(), "no environment was given"),
        (Selection(names=("Sorting",), family=("arrays",)), "give either names"),
        (
            Selection(collection=("Sorting",)),
            "no collection is named 'Sorting'; the collections are C1,",
        ),
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
