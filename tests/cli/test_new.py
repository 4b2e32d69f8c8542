"""`rlve new` begins an environment; a file of settings names its code once."""

import runpy
import sys
from pathlib import Path

import pytest

import rlve as package
from rlve import registry
from rlve.cli import _example
from rlve.cli.teach import prepare as prepare_teaching
from rlve.cli.train import prepare


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(registry, "_registered", {**registry._registered})
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("roman_num")]:
        del sys.modules[name]


def run_tests(file):
    found = runpy.run_path(file)
    tests = {name for name in found if name.startswith("test_")}
    for name in tests - {"test_it_keeps_the_rules"}:  # which is tested below
        found[name]()
    assert len(tests) == 4


def test_a_new_environment_works_and_its_code_is_named_once(rlve, folder):
    result = rlve("new", "RomanNumeralXYSum")
    assert result.code == 0
    own = "roman_numeral_xy_sum.py"
    commands = [line.strip() for line in result.out.splitlines() if line.startswith("  rlve ")]
    target = f"{own}:RomanNumeralXYSum"
    assert commands[:2] == [f"rlve check {target}", f"rlve show {target}"]
    assert commands[2] == f"rlve teach --data.environments {target}"
    lesson = prepare_teaching(commands[2].split()[2:]).keywords["config"]
    assert lesson.policy.model == "nano"
    assert "── RomanNumeralXYSum, " in rlve(*commands[1].split()[1:]).out
    assert f"import {own[:-3]}" in Path(f"test_{own}").read_text().replace("from", "import")
    run_tests(f"test_{own}")
    again = rlve("new", "RomanNumeralXYSum", "--folder", "elsewhere")
    assert "another environment is already named" in again.err
    # Its code is named once, in a file of settings.
    registry._registered.clear()
    sys.modules.pop(next(name for name in sys.modules if name.startswith(f"{own[:-3]} of ")))
    Path("run.yaml").write_text(
        f"preset: small\nload: {own}\npolicy: {{model: nano}}\n"
        "data: {environments: RomanNumeralXYSum}\n"
    )
    call = prepare(["--config", "run.yaml"])
    assert call.keywords["preset"] == "small"
    assert call.keywords["config"].data.environments == (target,)  # which --resume asks for
    assert "RomanNumeralXYSum" in package.environments()


def test_the_example_keeps_the_rules():
    assert not package.check(_example.Example)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["roman"], "a name begins with a capital"),
        (["../X"], "a name begins with a capital"),
        (["Sorting"], "another environment is already named 'Sorting'"),
        (["PlayNim"], "another environment is already named 'PlayNim'"),
        (["Taken"], "taken.py exists; choose another name or --folder"),
    ],
)
def test_what_cannot_be_begun(rlve, folder, words, message):
    Path("taken.py").touch()
    result = rlve("new", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert [path.name for path in folder.iterdir()] == ["taken.py"]
