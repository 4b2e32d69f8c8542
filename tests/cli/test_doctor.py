import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from rlve.reports import machine
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


def test_what_is_missing_is_no_fault_and_has_a_remedy(rlve, monkeypatch):
    def version(name):
        if name != "ray":
            raise metadata.PackageNotFoundError(name)
        return "2.60.1"

    wants = ["torch>=2.8; extra == 'train'", "ray[default]<3,>=2.60; extra == 'ray'", "numpy>=1.26"]
    monkeypatch.setattr(metadata, "requires", lambda name: wants)
    monkeypatch.setattr(metadata, "version", version)
    result = rlve("doctor")
    assert result.code == 0
    rows = [line.split() for line in result.out.splitlines()]
    assert ["train", "torch"] in rows
    assert ["ray", "ray", "2.60.1"] in rows
    assert "pip install 'rlve[train]'" in result.out


def test_workers_that_do_not_work_are_a_fault(rlve, monkeypatch):
    def broken(count):
        raise OSError("no more processes")

    monkeypatch.setattr(machine, "Pool", broken)
    result = rlve("doctor")
    assert result.code == 1
    assert "\nworkers       do not start: no more processes\n" in result.out


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
    assert "they can see which paths exist" in rlve("doctor").out
