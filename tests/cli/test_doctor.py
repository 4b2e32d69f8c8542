import json
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from rlve.pool import usable_cores
from rlve.reports import machine
from rlve.reports.machine import fits
from rlve.sandbox import Sandbox
from support.kernel import landlocked

ROOT = Path(__file__).parents[2]


def test_it_says_what_there_is(rlve):
    result = rlve("doctor")
    assert result.code == 0, result
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [name for name in project["optional-dependencies"] if name != "dev"]
    for name in ("rlve", "Python", "cores", "memory", "GPU", "workers", "sandbox", *extras):
        assert f"\n{name} " in f"\n{result.out}"
    found = json.loads(rlve("doctor", "--json").out)
    assert found["cores"] == usable_cores()
    assert {extra["name"] for extra in found["extras"]} == {*extras}


def installed(monkeypatch, **versions):
    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    wants = ["torch>=2.8; extra == 'train'", "ray<3,>=2.60; extra == 'ray'", "numpy>=1.26"]
    monkeypatch.setattr(metadata, "requires", lambda name: wants)
    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(machine, "_torch", lambda found: None)


def test_what_is_missing_is_no_fault_and_has_a_remedy(rlve, monkeypatch):
    installed(monkeypatch)
    result = rlve("doctor")
    assert result.code == 0
    assert "missing: torch\n" in result.out
    assert "pip install 'rlve[train]'" in result.out


def test_a_version_that_does_not_fit_is_a_fault(rlve, monkeypatch):
    installed(monkeypatch, torch="2.8.1+cpu", ray="3.1.0")
    result = rlve("doctor")
    assert result.code == 1
    assert "torch 2.8.1+cpu\n" in result.out
    assert "untested: ray 3.1.0, not <3,>=2.60" in result.out


def test_a_sandbox_that_does_not_hold_is_told(rlve, monkeypatch):
    def broken():
        raise machine.SandboxError("there is no Landlock")

    monkeypatch.setattr(machine, "Sandbox", broken)
    result = rlve("doctor")
    assert result.code == 0
    assert "sandbox       there is no Landlock" in result.out


@pytest.mark.skipif(not landlocked(), reason="the kernel has no Landlock")
def test_what_programs_can_see_in_the_sandbox_is_told(rlve, monkeypatch):
    monkeypatch.setattr(machine, "Sandbox", lambda: Sandbox(hiding=False))
    result = rlve("doctor")
    assert "sandbox       works: " in result.out
    assert "they can see which paths exist" in result.out


@pytest.mark.parametrize(
    ("version", "wanted", "right"),
    [
        ("2.60", ">=2.60,<3", True),
        ("2.9", ">=2.60,<3", False),
        ("3.0.0", "<3,>=2.60", False),
        ("1.16.2", "==1.16.*", True),
        ("1.17", "==1.16.*", False),
        ("2.13.0+cpu", ">=2.8", True),
        ("5", "", True),
    ],
)
def test_versions_are_compared_as_numbers(version, wanted, right):
    assert fits(version, wanted) is right
