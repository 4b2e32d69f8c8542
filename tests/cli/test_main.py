import os
import pty
import re
import subprocess
import sys
from importlib import import_module

import pytest

import rlve as package
from rlve.cli import COMMANDS
from rlve.cli import list as list_command


def test_help_names_every_command(rlve):
    result = rlve()
    assert result.code == 0
    assert result == rlve("-h") == rlve("--help") == rlve("help")
    for command, text in COMMANDS.items():
        assert f"  {command} " in result.out
        assert text in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_help_explains_a_command(rlve):
    assert rlve("help", "list") == rlve("list", "--help")
    assert "did you mean 'list'" in rlve("help", "lits").err


def on_a_terminal(command, **variables):
    """What a command writes to a terminal of 80 columns."""
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"} | variables
    process = subprocess.Popen(
        [sys.executable, "-m", "rlve", *command],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 2**16)
        except OSError:  # nobody writes any more
            break
        if not part:
            break
        shown += part
    os.close(leader)
    process.wait()
    return shown.decode()


@pytest.mark.parametrize("command", [["list", "--help"], ["list", "--bogus"], ["show"]])
def test_no_color_holds_in_help_and_errors(command):
    assert "\x1b[" not in on_a_terminal(command, NO_COLOR="1")


def test_tables_fit_a_terminal():
    shown = on_a_terminal(["list", "-f", "games"])
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [
        ["show", "[bold]x[/bold]"],
        ["show", "Sorting", "-d", "[red]1"],
        ["show", "Sorting", "--[b]oo"],
        ["train", "--run.steps", "[red]x"],
        ["train", "--policy.model", "./[/dim]"],
    ],
)
def test_what_looks_like_markup_is_shown_as_it_is(rlve, words):
    result = rlve(*words)
    assert result.code == 2
    assert words[-1].removeprefix("--") in result.err
    assert not re.search(r"\[/?(bold|dim|red|cyan|b)\]", result.err.replace(words[-1], ""))


def test_a_terminal_without_utf_8_is_served():
    for words in (["list", "-f", "games"], ["show", "Sorting"], ["list", "--help"], ["show"]):
        done = subprocess.run(
            [sys.executable, "-m", "rlve", *words],
            env=os.environ | {"PYTHONIOENCODING": "ascii"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == (2 if words == ["show"] else 0)
        assert "Traceback" not in done.stderr


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
    result = rlve("xyzzy")
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
        "print({'numpy', 'scipy', 'sympy', 'networkx', 'torch', 'matplotlib'}"
        " & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("train --lr 1e-5", "--lr is not a flag; did you mean --update.learning-rate?"),
        ("train --learning_rate=1e-5", "did you mean --update.learning-rate?"),
        ("train --steps 5", "did you mean --run.steps?"),
        ("eval --modle nano", "did you mean --model?"),
        ("dataset --cuont 5 -o x.jsonl", "did you mean --count?"),
    ],
)
def test_an_unknown_flag_is_an_error_that_helps(rlve, words, meant):
    result = rlve(*words.split())
    assert result.code == 2
    assert result.out == ""
    assert result.err.rstrip().endswith(meant)
    assert "did you mean" not in rlve("train", "--run.steps", "many").err
