"""What is said where tinker-cookbook is missing, or is another version; none is needed here."""

import sys
from importlib import import_module, metadata

import pytest

from rlve.errors import UserError

MODULE = "rlve.integrations.tinker"


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
        "this needs tinker-cookbook >= 0.5.8, < 0.6, which is not installed: "
        "pip install 'rlve[tinker]'"
    )


@pytest.mark.parametrize("found", ["0.5.7", "0.6.0"])
def test_it_is_another_version(monkeypatch, found):
    monkeypatch.setattr(metadata, "version", lambda name: found)
    with pytest.raises(UserError, match=f"< 0.6, and {found} is installed: pip install"):
        import_module(MODULE)
