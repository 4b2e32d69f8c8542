"""What `rlve dataset --push-ready` writes, read by the real library: `make test-datasets`."""

import json
import re

import pytest

pytest.importorskip("datasets.config", reason="needs rlve[datasets]; run make test-datasets")

import datasets
from rlve.cli import main
from rlve.datasets import shards
from rlve.datasets.rows import read_rows


def test_the_folder_loads_as_its_card_says(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(shards.shard_writer.__wrapped__, "__defaults__", (16,))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.chdir(tmp_path)
    words = ["dataset", "Sorting", "EuclidGame", "-n", "40", "-d", "0..3", "--workers", "1"]
    assert main([*words, "--push-ready", "-o", "problems"]) == 0
    folder = tmp_path / "problems"
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    assert files == ["README.md", *(f"data/train-{i:05d}.parquet" for i in range(3))]

    card = (folder / "README.md").read_text()
    names = {}
    for block in re.findall(r"```python\n(.*?)```", card, re.DOTALL):
        exec(compile(block, "card", "exec"), names)
    problems = names["problems"]
    assert names["verdict"].correct
    assert problems.num_rows == 40
    stored = [row for path in sorted((folder / "data").iterdir()) for _, row in read_rows(path)]
    assert problems["id"] == [row.id for row in stored]
    assert problems[0]["prompt"] == stored[0].prompt
    assert set(problems.column_names) == set(re.findall(r"^\| (\w+) \|", card, re.M)) - {
        *("column", "environment", "Sorting", "EuclidGame")
    } | {"environment"}

    # The command on the card makes the same problems.
    [command] = re.findall(r"^\$ rlve (.*) -o problems$", card, re.M)
    assert main([*command.split(), "-o", "again", "--workers", "1"]) == 0
    again = datasets.load_dataset("again", split="train")
    assert again["parameters"] == problems["parameters"]
    assert all(json.loads(text) for text in again["parameters"])

    assert main([*words, "--push-ready", "-o", "problems"]) == 2
    assert "is not an empty folder" in capsys.readouterr().err
