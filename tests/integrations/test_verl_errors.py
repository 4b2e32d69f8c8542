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
    ("settings", "message"),
    [
        ({"gpus": 7}, "2048 outputs does not divide into equal parts for 1 x 7 = 7 GPUs"),
        ({"environments": ("a/own.py:Chess",)}, "PYTHONPATH, and write own:Chess"),
        ({"tokens_per_gpu": 100}, "--tokens-per-gpu .100. must be at least the longest prompt"),
    ],
)
def test_a_recipe_that_cannot_work(settings, message):
    with pytest.raises(UserError, match=message):
        Recipe(model="nano", **settings).overrides()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="no file"):
        Recipe(model="nano", validate=tmp_path / "none.jsonl").overrides()
