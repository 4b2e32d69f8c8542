import json

import pytest

from rlve import environments


def test_the_table_has_every_environment_whole_and_a_count(rlve):
    result = rlve("list")
    assert result.code == 0
    header, rule, *rows, blank, count = result.out.splitlines()
    assert header.split() == ["name", "family", "max", "d", "task"]
    assert set(rule) == {"─", " "}
    assert [row.split()[0] for row in rows] == environments()
    assert blank == ""
    assert count == f"{len(environments())} environments"
    assert "\x1b" not in result.out


def test_filters_narrow_each_other(rlve):
    assert rlve("list", "-c", "C4", "--names").out.split() == sorted(
        ["Multiplication", "Division", "EuclidGame", "Sorting"]
    )
    assert rlve("list", "-c", "C4", "--family", "arithmetic", "--names").out.split() == [
        "Division",
        "Multiplication",
    ]
    assert rlve("list", "MULTIPLY", "integers", "-c", "C4", "--names").out == "Multiplication\n"
    assert rlve("list", "sort", "-c", "C4").out.endswith("\n1 environment\n")


def test_finding_nothing_is_not_an_error(rlve):
    assert rlve("list", "no such words anywhere") == (0, "0 environments\n", "")


def test_json(rlve):
    (found,) = json.loads(rlve("list", "-c", "C16", "--json", "sort integers").out)
    assert found == {
        "name": "Sorting",
        "family": "arrays",
        "collection": "C4",
        "max_difficulty": 80,
        "guessable": False,
        "task": "Sort integers in ascending order.",
    }


@pytest.mark.parametrize(
    ("flag", "kind", "kinds"),
    [("--family", "family", "families"), ("-c", "collection", "collections")],
)
def test_unknown_groups_are_errors(rlve, flag, kind, kinds):
    result = rlve("list", flag, "nonsense")
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith(f"rlve: no {kind} is named 'nonsense'; the {kinds} are ")


def test_environments_of_other_packages_are_listed(own_tasks, rlve):
    assert rlve("show", "own_tasks:Echo").code == 0  # which registers it
    listed = rlve("list", "--family", "elsewhere").out
    assert "Repeat a number that is below 3 + d." in listed
    assert listed.endswith("\n1 environment\n")
