import dataclasses
import shutil
import subprocess

import pytest

from rlve.cli import COMMANDS, main
from rlve.train.config import Config
from rlve.train.presets import PRESETS

SHELLS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The script for bash."""
    path = tmp_path_factory.mktemp("completion") / "rlve"
    with pytest.MonkeyPatch.context() as patch, path.open("w") as file:
        patch.setattr("sys.stdout", file)
        assert main(["completion", "bash"]) == 0
    return path


@pytest.fixture
def words(script, tmp_path):
    def complete(*line):
        run = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rlve; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(
            ["bash", "-c", f'source "{script}"; {run}', "bash", "rlve", *line],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,  # without files that could be completed
        )
        return done.stdout.split()

    return complete


def test_commands_are_completed(words):
    assert set(words("")) == {*COMMANDS, "-h", "--help"}
    assert words("ch") == ["check"]


def test_names_are_completed(words):
    assert words("show", "Sort") == ["Sorting", "SortByComparisons"]
    assert words("train", "--data.environments", "Sorting", "C1") == ["C1", "C16"]
    assert words("rollouts", "run", "-e", "Sortin") == ["Sorting"]
    assert words("dataset", "-o", "x.jsonl", "--family", "ga") == ["games"]
    assert words("eval", "--suite", "bb") == ["bbeh"]
    for preset in PRESETS:
        assert preset in words("train", "--preset", preset[:3])


def test_flags_and_their_values_are_completed(words):
    assert words("train", "--policy.dtype", "") == ["auto", "float32", "bfloat16"]
    assert words("show", "Sorting", "--form") == ["--format"]


def test_files_are_completed(words, script, tmp_path):
    (tmp_path / "problems.jsonl").touch()
    assert words("train", "--config", "prob") == ["problems.jsonl"]
    assert words("score", "prob") == ["probability", "problems.jsonl"]
    assert words("score", "probl") == []  # so that bash itself looks for files
    assert "complete -o default" in script.read_text()


def test_every_setting_of_training_is_completed(words):
    found = words("train", "--")
    for part in dataclasses.fields(Config):
        for field in dataclasses.fields(part.default_factory):
            assert f"--{part.name}.{field.name.replace('_', '-')}" in found


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_right(rlve, shell):
    printed = rlve("completion", shell).out
    assert "Sorting" in printed
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    subprocess.run(SHELLS[shell], input=printed, text=True, check=True)
