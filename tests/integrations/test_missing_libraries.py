"""What is said where an adapter's library is missing, or another version. None is needed here."""

import sys
from importlib import import_module, metadata
from typing import NamedTuple

import pytest

from rlve.errors import UserError


class Library(NamedTuple):
    module: str
    wanted: str
    extra: str
    others: tuple[str, str]  # versions just out of range


LIBRARIES = [
    Library("lm_eval", "lm_eval >= 0.4.13, < 0.5", "lm-eval", ("0.4.12", "0.5.0")),
    Library("openenv", "openenv-core >= 0.3.0, < 0.4", "openenv", ("0.2.1", "0.4.0")),
    Library("tinker", "tinker-cookbook >= 0.5.8, < 0.6", "tinker", ("0.5.7", "0.6.0")),
    Library("verifiers", "verifiers >= 0.4.0, < 0.5", "verifiers", ("0.3.9", "0.5.0")),
]


@pytest.fixture(params=LIBRARIES, ids=lambda library: library.module)
def library(request, monkeypatch):
    monkeypatch.delitem(sys.modules, f"rlve.integrations.{request.param.module}", raising=False)
    return request.param


def test_it_is_not_installed(library, monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(UserError) as error:
        import_module(f"rlve.integrations.{library.module}")
    install = f"pip install 'rlve[{library.extra}]'"
    assert str(error.value) == f"this needs {library.wanted}, which is not installed: {install}"


def test_it_is_another_version(library, monkeypatch):
    for found in library.others:
        monkeypatch.setattr(metadata, "version", lambda name, found=found: found)
        with pytest.raises(UserError, match=f"but {found} is installed: pip install"):
            import_module(f"rlve.integrations.{library.module}")


def test_the_name_by_which_verifiers_finds_it_says_the_same(monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "0.3.9")
    for module in ("rlve_taskset", "rlve.integrations.verifiers"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(UserError, match=r"but 0\.3\.9 is installed"):
        import_module("rlve_taskset")
