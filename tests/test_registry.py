import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import rlve
from rlve import registry
from rlve.catalogue import CATALOGUE
from rlve.collections import ALL, C1, C4, C16, C256, HELD_OUT, collection
from rlve.envs.arrays.sorting import Sorting


def test_names_lead_to_classes():
    for name in registry.environments():
        cls = rlve.environment(name)
        assert cls.__name__ == name
        assert cls.__module__.split(".")[-2] == registry.family(name) or name not in ALL


@pytest.mark.parametrize(
    ("name", "hint"), [("Sortin", "did you mean 'Sorting'"), ("?", "lists all names")]
)
def test_unknown_names(name, hint):
    with pytest.raises(rlve.UnknownEnvironment, match=hint) as error:
        rlve.environment(name)
    assert isinstance(error.value, LookupError)


def test_register():
    class Mine(Sorting):
        pass

    assert rlve.register(Mine, family="mine") is Mine
    with registry.registered(Mine) as found:  # twice the same is no conflict, and keeps its family
        assert found is rlve.environment("Mine") is Mine
        assert "Mine" in rlve.environments()
        assert rlve.families()["mine"] == ["Mine"]
        assert registry.entry("Mine")[:5] == ("Mine", "mine", Sorting.max_difficulty, False, "")
        another = type(Sorting)("Mine", (Sorting,), {})
        with pytest.raises(rlve.UserError, match="already named 'Mine'"):
            rlve.register(another)
    assert "Mine" not in rlve.environments()


def test_register_refuses_what_is_no_environment():
    with pytest.raises(TypeError, match="is not an environment"):
        rlve.register(int)
    with pytest.raises(rlve.UserError, match="already named 'Sorting'"):
        rlve.register(type(Sorting)("Sorting", (Sorting,), {}))


def test_entry_points_are_loaded_on_first_use(monkeypatch):
    entry = EntryPoint("Elsewhere", "tests_no_such_module:Elsewhere", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "_plugins", lambda: {"Elsewhere": entry})
    assert "Elsewhere" in rlve.environments()
    with pytest.raises(ModuleNotFoundError):
        rlve.environment("Elsewhere")
    sorting = EntryPoint("Renamed", "rlve.envs.arrays.sorting:Sorting", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "_plugins", lambda: {"Renamed": sorting})
    with pytest.raises(TypeError, match="'Renamed' loads an environment named 'Sorting'"):
        rlve.environment("Renamed")


def test_collections_are_the_papers():
    assert [len(names) for names in (C1, C4, C16, C256, HELD_OUT)] == [1, 4, 16, 256, 50]
    assert set(C1) < set(C4) < set(C16) < set(C256) < set(ALL)
    assert set(HELD_OUT) < set(ALL)
    assert not set(HELD_OUT) & set(C256)
    assert list(ALL) == sorted(CATALOGUE)
    assert collection("c16") == C16
    assert collection("held-out") == HELD_OUT
    with pytest.raises(rlve.UserError, match="the collections are C1, C4, C16"):
        collection("C17")


@pytest.mark.parametrize("use", ["pass", "rlve.environments()", "rlve.families()"])
def test_names_are_known_before_anything_heavy_is_loaded(use):
    code = f"import sys, rlve; {use}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {
        "torch",
        "transformers",
        "numpy",
        "sympy",
        "networkx",
        "scipy",
        "matplotlib",
        "rich",
        "tyro",
        "pyarrow",
    }
    assert heavy.isdisjoint(loaded.stdout.split())
    assert not any(name.startswith("rlve.envs.") for name in loaded.stdout.split())


def test_questions_of_data_sets_are_known_but_not_listed():
    from rlve.judges.math import MathQuestion

    assert rlve.environment("MathQuestion") is MathQuestion
    assert "MathQuestion" not in rlve.environments()
