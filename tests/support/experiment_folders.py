"""Folders of experiments that nobody ran."""

import json
from pathlib import Path

import msgspec

from rlve.files import append_line
from rlve.studies.adaptivity import Cell, Facts, Plan, TestConfig, claim
from rlve.train.history import VALIDATION, Accuracy, ValidationRecord
from rlve.train.presets import preset

PLAN = Plan(training=preset("nano"), seeds=(0, 1), test=TestConfig(problems=40, every=2))


def half_done(folder: Path) -> Path:
    """An experiment whose first seed is finished, and the second under way."""
    claim(PLAN, folder)
    for cell in PLAN.cells():
        if cell.seed == 0:
            record(folder, cell, 6)
        elif cell.environment == "Sorting":
            record(folder, cell, 4)
    return folder


def record(folder: Path, cell: Cell, steps: int) -> None:
    """What a cell would have written down."""
    place = folder / "cells" / cell.name
    place.mkdir(parents=True)
    static = cell.setting != "adaptive"
    bounds = [int(x) for x in cell.setting.split("-")[1:]] if static else [0, 1]
    with (place / "metrics.jsonl").open("w") as file:
        for step in range(1, steps + 1):
            metrics = {
                "step": step,
                "prompts": 0 if step == 2 else 10,
                "tokens": 2000 if bounds[1] == 20 else 1000,
                "trained_groups": 8,
                "accuracy": None if step == 2 else 0.5,
                "effective_prompt_ratio": 0.0 if step == 2 else 0.25 if static else 0.75,
                "bounds": {cell.environment: bounds},
                "redrawn": {cell.environment: {"too long": step}} if bounds[1] == 100 else {},
                "seconds": {"in all": step * 1.5},
                "loss": 0.1,
            }
            file.write(json.dumps(metrics) + "\n")
    for step in range(0, steps + 1, 2):
        share = 0.1 + 0.01 * step * (1 if static else 5) + 0.01 * cell.seed * (step > 0)
        by_level = dict.fromkeys(range(PLAN.test.levels), share)
        accuracy = Accuracy(
            temperature=PLAN.test.temperature,
            by_level={cell.environment: by_level},
            ill_formed=0.0,
            truncated=0.0,
            tokens=100,
        )
        measured = ValidationRecord(
            step=step,
            problems=PLAN.test.problems,
            measured=[accuracy],
            too_long=3 if cell.environment == "Sorting" else 0,
            seconds=1.0,
        )
        append_line(place / VALIDATION, measured)
    drawn = (bounds[0], min(bounds[1], 42)) if static else None
    facts = Facts(drawn_from=drawn, device="cpu", torch="2")
    (place / "cell.json").write_bytes(msgspec.json.encode(facts))
