"""The catalogue says what the classes say, of every file there is; `make catalogue` writes it."""

from pathlib import Path

import pytest

import rlve
from rlve import envs, registry
from rlve.catalogue import CATALOGUE, DIALOGUES, Entry
from rlve.envs.arrays.sorting import Sorting


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_an_entry_says_what_the_class_says(name):
    cls, found = rlve.environment(name), CATALOGUE[name]
    assert (found.name, cls.__name__) == (name, name)
    assert cls.__module__ == found.module
    assert found.task
    assert found.task == cls.__doc__.splitlines()[0]
    assert found.max_difficulty == cls.max_difficulty
    assert found.guessable == (cls.guessable is not None)


def test_every_file_is_in_the_catalogue_once():
    files = [
        f"rlve.envs.{path.parent.name}.{path.stem}"
        for path in Path(envs.__file__).parent.glob("*/*.py")
        if path.stem != "__init__"
    ]
    entries = [*CATALOGUE.values(), *DIALOGUES.values()]
    assert sorted(files) == sorted(entry.module for entry in entries)
    assert (len(CATALOGUE), len(DIALOGUES)) == (400, 22)


@pytest.mark.parametrize(
    ("name", "file"),
    [("GCDOne_Counting", "gcd_one_counting"), ("Axis_KCenter", "axis_k_center"), ("SAT", "sat")],
)
def test_file_names(name, file):
    assert Entry(name, "family", None, False, "").module == f"rlve.envs.family.{file}"


def test_an_environment_that_is_not_in_it_is_asked():
    class Mine(Sorting):
        """Sort my integers.

        They are mine.
        """

        max_difficulty = 7
        guessable = "Nobody else has them."

    with registry.registered(Mine, family="own"):
        assert registry.entry("Mine") == Entry("Mine", "own", 7, True, "Sort my integers.")
    assert registry.entry("Sorting") is CATALOGUE["Sorting"]
