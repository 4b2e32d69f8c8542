"""`rlve verl` says what is wrong before verl is started. Runs without verl."""

from importlib import metadata

import pytest

from rlve.cli import MISUSED, main
from rlve.errors import UserError
from rlve.integrations.verl import launch
from rlve.integrations.verl.recipe import Recipe

VERSION = metadata.version


@pytest.fixture
def version(monkeypatch):
    """Pretend that these versions are installed; None is not there."""

    def pretend(**versions):
        def found(name):
            if name not in versions:
                return VERSION(name)
            if versions[name] is None:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(metadata, "version", found)

    return pretend


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        ({"verl": None}, r"needs verl >= 0\.9\.1.*not installed.*pip install 'rlve\[verl\]'"),
        ({"verl": "0.8.0"}, r"needs verl >= 0\.9\.1, < 0\.10, but 0\.8\.0 is installed"),
        ({"verl": "0.10.0"}, r"< 0\.10, but 0\.10\.0 is installed"),
        ({"verl": "0.9.1", "TransferQueue": None}, r"needs TransferQueue.*not installed"),
    ],
)
def test_verl_is_missing_or_another_version(version, versions, message):
    version(**versions)
    with pytest.raises(UserError, match=message):
        launch.launch(["true"])


def test_the_command_line_says_so_too(version, capsys, tmp_path):
    version(verl=None)
    flags = ["--model", "nano", "--folder", str(tmp_path)]
    assert main(["verl", *flags]) == MISUSED
    assert "pip install 'rlve[verl]'" in capsys.readouterr().err
    assert main(["verl", *flags, "--dry-run"]) == 0  # printing a command needs no verl


@pytest.mark.parametrize(
    ("words", "files"),
    [
        ([], "[C16]"),
        (["SAT", "Sorting"], "[SAT,Sorting]"),
        (["-c", "C4", "-c", "HELD_OUT"], "[C4,HELD_OUT]"),
        (["-c", "C4", "-f", "arrays"], "[Sorting]"),
    ],
)
def test_environments_are_chosen_as_in_every_command(capsys, words, files):
    assert main(["verl", "-m", "nano", *words, "--dry-run"]) == 0
    assert f"data.train_files={files}" in capsys.readouterr().out


def test_the_exit_code_is_that_of_the_command(version):
    version(verl="0.9.1", TransferQueue="0.1.11")
    assert launch.launch(["true"]) == 0
    assert launch.launch(["false"]) == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gpus": 7}, "2048 outputs does not divide into equal parts for 1 x 7 = 7 GPUs"),
        ({"problems": 3, "group": 5, "gpus": 2, "oversample": 6}, "15 outputs does not divide"),
        ({"gpus": 8, "tensor_parallel": 3}, "8 GPUs do not divide into groups of"),
        ({"group": 1}, "--group must be at least 2, not 1"),
        ({"problems": 400}, r"--oversample \(384\) must be at least --problems \(400\)"),
        ({"nodes": 0}, "--nodes must be at least 1, not 0"),
        ({"environments": ()}, "no environments were given"),
        ({"environments": ("Sortin",)}, "did you mean 'Sorting'"),
        ({"environments": ("a/own.py:Chess",)}, "PYTHONPATH, and write own:Chess"),
        ({"temperature": 0}, "--temperature must be above 0"),
        ({"learning_rate": -1}, "--learning-rate must be above 0"),
        ({"memory": 1.5}, "--memory must be between 0 and 1"),
        ({"tokens_per_gpu": 100}, "--tokens-per-gpu .100. must be at least the longest prompt"),
    ],
)
def test_a_recipe_that_cannot_work(settings, message):
    with pytest.raises(UserError, match=message):
        Recipe(model="nano", **settings).overrides()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="no file"):
        Recipe(model="nano", validate=tmp_path / "none.jsonl").overrides()


def test_a_setting_that_is_none():
    with pytest.raises(UserError, match="KEY=VALUE, not 'trainer'"):
        launch.command(Recipe(model="nano"), ["trainer"])
