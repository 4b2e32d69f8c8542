import subprocess
import sys
from importlib import import_module

import pytest

import rlve as package
from rlve.cli import COMMANDS
from rlve.cli import list as list_command


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"]])
def test_help_names_every_command(rlve, words):
    result = rlve(*words)
    assert result.code == 0
    for command, text in COMMANDS.items():
        assert f"  {command} " in result.out
        assert text in result.out


def test_version(rlve):
    assert rlve("--version").out == f"rlve {package.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(rlve, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = rlve(command, "--help")
    assert result.code == 0
    assert result.out.startswith(f"usage: rlve {command} [-h]")
    text = import_module(f"rlve.cli.{command}").run.__doc__.partition("Args:")[0]
    assert max(map(len, result.out.splitlines()[1:])) <= 80
    for word in text.split():
        assert word in result.out


def test_an_unknown_command_is_an_error_that_helps(rlve):
    assert rlve("lits") == (2, "", "rlve: 'lits' is not a command; did you mean 'list'?\n")
    result = rlve("frobnicate")
    assert result.code == 2
    assert "'rlve --help' lists the commands" in result.err


@pytest.mark.parametrize(
    "words", [["list", "--bogus"], ["show"], ["show", "Sorting", "--seed", "x"], ["dataset"]]
)
def test_wrong_flags_are_a_usage_error(rlve, words):
    result = rlve(*words)
    assert result.code == 2
    assert result.out == ""
    assert f"rlve {words[0]} --help" in result.err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "rlve: interrupted\n"),
        (
            PermissionError(13, "Permission denied", "x.jsonl"),
            2,
            "rlve: x.jsonl: Permission denied\n",
        ),
        (OSError("no such device"), 2, "rlve: no such device\n"),
        (package.UserError("no"), 2, "rlve: no\n"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(rlve, monkeypatch, error, code, message):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(list_command, "select", fail)
    assert rlve("list") == (code, "", message)


def test_a_bug_is_not_hidden(rlve, monkeypatch):
    monkeypatch.setattr(list_command, "select", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        rlve("list")


def test_it_runs_as_a_module_and_stops_quietly_when_nobody_reads_on():
    command = f"{sys.executable} -m rlve list --names; echo $? >&2"
    process = subprocess.Popen(
        ["bash", "-c", f"{{ {command}; }} | exec true"], stderr=subprocess.PIPE, text=True
    )
    assert process.communicate()[1] in ("0\n", "141\n")


def test_listing_loads_nothing_heavy():
    code = (
        "import sys; from rlve.cli import main; main(['list']);"
        "print({'numpy', 'scipy', 'sympy', 'networkx', 'torch', 'rich', 'matplotlib'}"
        " & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
