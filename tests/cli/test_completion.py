import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rlve.cli import COMMANDS
from rlve.cli._candidates import SHELLS, candidates
from rlve.cli.completion import SCRIPTS
from rlve.collections import COLLECTIONS
from rlve.registry import environments
from rlve.train.config import Config
from rlve.train.presets import PRESETS


def words(*line):
    return [each.word for each in candidates(line)]


def test_commands_are_completed():
    assert words("") == list(COMMANDS)
    assert words("ch") == ["check"]
    assert words("help", "ch") == ["check"]
    assert words("frobnicate", "") == []


def test_environments_and_collections_are_completed_where_they_fit():
    assert words("show", "") == list(environments())
    assert words("check", "Sort") == [name for name in environments() if name.startswith("Sort")]
    assert words("list", "-c", "") == list(COLLECTIONS)
    assert "games" in words("dataset", "-o", "x.jsonl", "--family", "")
    assert words("train", "--data.environments", "Sorting", "C1") == ["C1", "C16"]
    assert "Sorting" in words("rollouts", "run", "-e", "Sor")
    assert words("testset", "in") == ["in-distribution"]


def test_flags_and_their_values_are_completed():
    assert words("train", "--preset", "") == list(PRESETS)
    assert words("train", "--policy.dtype", "") == ["auto", "float32", "bfloat16"]
    assert words("show", "Sorting", "--form") == ["--format"]
    assert words("show", "Sorting", "--format", "") == ["chat", "base", "plain"]
    assert words("completion", "") == list(SHELLS)
    assert "held-out" in words("eval", "--suite", "")


def test_where_a_file_is_wanted_the_shell_is_left_to_it():
    assert words("train", "--config", "") == []
    assert words("train", "--run.folder", "") == []
    assert words("report", "") == []


def test_every_setting_of_training_is_completed():
    found = words("train", "--")
    for part in dataclasses.fields(Config):
        for field in dataclasses.fields(part.default_factory):
            assert f"--{part.name}.{field.name.replace('_', '-')}" in found


@pytest.mark.parametrize("command", COMMANDS)
def test_flags_of_every_command_are_completed(command):
    assert "--help" in words(command, "--")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed_for_each_shell(rlve, shell):
    assert rlve("completion", shell).out == f"{SCRIPTS[shell].strip()}\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_right(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    check = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}
    subprocess.run(check[shell], input=SCRIPTS[shell], text=True, check=True)


def test_bash_completes_by_it(tmp_path):
    (tmp_path / "rlve").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rlve "$@"\n')
    (tmp_path / "rlve").chmod(0o755)
    line = 'COMP_WORDS=(rlve show Sortin); COMP_CWORD=2; _rlve; echo "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-c", f"{SCRIPTS['bash']}\n{line}"],
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        cwd=Path.cwd(),
    )
    assert done.stdout.split() == [name for name in environments() if name.startswith("Sortin")]
