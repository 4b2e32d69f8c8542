from importlib import metadata

import pytest

from rlve.errors import UserError, require


def install(monkeypatch, **versions):
    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)


@pytest.mark.parametrize(
    "version",
    ["1.16", "1.16.0", "1.16.3", "1.17.0", "1.100", "1.16.0+cpu", "1.16.1.post1", "1.17.0rc1"],
)
def test_versions_that_work(monkeypatch, version):
    install(monkeypatch, engine=version)
    require("engine", extra="trl", at_least="1.16", below="2.0.0")


@pytest.mark.parametrize(
    "version", ["1.9", "1.15.9", "0.99", "1", "1.2.16", "2", "2.0", "2.0.0rc1", "2.0.1+cpu", "10.0"]
)
def test_versions_that_do_not(monkeypatch, version):
    install(monkeypatch, engine=version)
    with pytest.raises(UserError) as caught:
        require("engine", extra="trl", at_least="1.16", below="2.0.0")
    assert f"{version} is installed" in str(caught.value)
    assert "engine >= 1.16, < 2.0.0" in str(caught.value)
    assert "pip install 'rlve[trl]'" in str(caught.value)


def test_what_is_missing_and_how_to_get_it(monkeypatch):
    require("msgspec", extra="trl", at_least="0.1")  # what is really installed
    install(monkeypatch, engine="99.0")
    require("engine", extra="trl", at_least="1.16")  # without an upper limit
    with pytest.raises(UserError, match=r"^this needs engine >= 100, but 99\.0 is installed"):
        require("engine", extra="trl", at_least="100")
    message = (
        r"^this needs nothing >= 1\.16, < 2, which is not installed: pip install 'rlve\[trl\]'$"
    )
    with pytest.raises(UserError, match=message):
        require("nothing", extra="trl", at_least="1.16", below="2")
