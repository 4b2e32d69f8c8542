"""What is said where verifiers is missing, or is another version; none is needed here."""

import sys
from importlib import import_module, metadata

import pytest

from rlve.errors import UserError

MODULE = "rlve.integrations.verifiers"


@pytest.fixture(autouse=True)
def afresh(monkeypatch):
    monkeypatch.delitem(sys.modules, MODULE, raising=False)


def test_it_is_not_installed(monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(UserError) as error:
        import_module(MODULE)
    assert str(error.value) == (
        "this needs verifiers >= 0.4.0, < 0.5, which is not installed: "
        "pip install 'rlve[verifiers]'"
    )


@pytest.mark.parametrize("found", ["0.3.9", "0.5.0"])
def test_it_is_another_version(monkeypatch, found):
    monkeypatch.setattr(metadata, "version", lambda name: found)
    with pytest.raises(UserError, match=f"< 0.5, and {found} is installed: pip install"):
        import_module(MODULE)


def test_the_name_by_which_verifiers_finds_it_says_the_same(monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "0.3.9")
    monkeypatch.delitem(sys.modules, "rlve_taskset", raising=False)
    with pytest.raises(UserError, match=r"and 0\.3\.9 is installed"):
        import_module("rlve_taskset")
