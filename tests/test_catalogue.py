"""The catalogue says what the classes say, of every file there is; `make catalogue` writes it."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import rlve
from rlve import envs, registry
from rlve.catalogue import CATALOGUE, DIALOGUES, Entry
from rlve.envs.arrays.sorting import Sorting

ROOT = Path(__file__).parents[1]


def test_different_problems_were_counted_for_every_environment(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    variety = import_module("variety")
    counts = variety.stored()
    assert counts.keys() == CATALOGUE.keys()
    assert counts["Kth_BinaryTree"] == variety.measure("Kth_BinaryTree")


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


def test_pages_say_how_many_there_are():
    """So a new environment changes the number above and in the pages that are named here."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("hubs/*/[!.]*.*")]
    counts = re.compile(r"\b([3-9]\d\d (?:verifiable )?(?:environments|names)|\d\d \[?dialogues)\b")
    wrong = [
        f"{page.relative_to(ROOT)}: {said}"
        for page in pages
        if not {"results", "CHANGELOG.md"} & {*page.parts}
        for said in counts.findall(page.read_text("utf-8"))
        if int(said.split()[0]) != len(DIALOGUES if "dialogues" in said else CATALOGUE)
    ]
    assert wrong == []


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
