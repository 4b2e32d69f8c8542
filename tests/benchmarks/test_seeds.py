from pathlib import Path
from types import SimpleNamespace

from rlve.train.history import Accuracy, ValidationRecord
from support.programs import load

seeds = load("benchmarks/seeds.py")


def record(step, marks):
    """Two problems at each of two levels of Sorting; the second one of each came up in training."""
    shares = {level: text.count("1") / len(text) for level, text in marks.items()}
    measured = Accuracy(
        temperature=1.0,
        by_level={"Sorting": shares},
        solved={"Sorting": marks},
        ill_formed=0.0,
        truncated=0.0,
        tokens=1,
    )
    seen = {"Sorting": {0: "01", 3: "01"}}
    return ValidationRecord(step=step, problems=4, measured=[measured], seen=seen, seconds=1.0)


def test_the_table_of_several_seeds(monkeypatch):
    records = [record(0, {0: "01", 3: "00"}), record(5, {0: "11", 3: "00"})]
    monkeypatch.setattr(seeds, "read_validations", lambda folder: records)
    last = SimpleNamespace(bounds={"Sorting": (0, 2)})
    monkeypatch.setattr(seeds, "read_steps", lambda folder: [last])
    assert seeds.table({"0": Path("a"), "1": Path("b")}).splitlines() == [
        "| seed | T = 1 | T = 1, not seen in training | Sorting up to h |",
        "| --- | --- | --- | --- |",
        "| 0 | 25.0 -> 50.0 | 0.0 -> 50.0 (2) | 50.0 -> 100.0 (h 2) |",
        "| 1 | 25.0 -> 50.0 | 0.0 -> 50.0 (2) | 50.0 -> 100.0 (h 2) |",
    ]
