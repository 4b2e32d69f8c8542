"""Folders of experiments that nobody ran."""

import json
from pathlib import Path

import msgspec

from rlve.collections import HELD_OUT, resolve
from rlve.files import append_line
from rlve.registry import environment
from rlve.run_folders import VALIDATION
from rlve.studies.cells import Facts
from rlve.studies.experiments import Cell, Plan, TestConfig
from rlve.studies.folder import claim
from rlve.studies.settings import ADAPTIVE, range_of
from rlve.train.history import Accuracy, ValidationRecord
from rlve.train.presets import preset

PLAN = Plan(
    study="adaptivity",
    training=preset("nano"),
    trained_on=("Sorting", "ABProgramSimulation"),
    settings=(ADAPTIVE, "static-0-1", "static-0-20", "static-0-100"),
    test=TestConfig(problems=200, levels=20, held_out=0, every=2),
)
SCALING = Plan(
    study="environment-scaling",
    training=preset("nano"),
    trained_on=("C1", "C4"),
    test=TestConfig(problems=400, held_out=10, held_out_problems=1000, every=2),
)
OTHERS = HELD_OUT[:10]


def half_done(folder: Path) -> Path:
    """An experiment whose first seed is finished, and the second under way."""
    claim(PLAN, folder)
    for cell in PLAN.cells():
        if cell.seed == 0:
            record(PLAN, folder, cell, 6)
        elif cell.trained_on == "Sorting":
            record(PLAN, folder, cell, 4)
    return folder


def scaled(folder: Path) -> Path:
    """An experiment in which all that is held out got better with C4, and nothing with C1."""
    claim(SCALING, folder)
    for cell in SCALING.cells():
        record(SCALING, folder, cell, 6, held_out=0.05 if cell.trained_on == "C4" else 0.0)
    return folder


def record(plan: Plan, folder: Path, cell: Cell, steps: int, held_out: float = 0.0) -> None:
    """What a cell would have written down; a step moves accuracy on what is held out so far."""
    place = folder / "cells" / cell.name
    place.mkdir(parents=True)
    static = cell.setting != ADAPTIVE
    names = resolve([cell.trained_on])
    low, high = range_of(cell.setting) if static else (0, 1)
    with (place / "metrics.jsonl").open("w") as file:
        for step in range(1, steps + 1):
            metrics = {
                "step": step,
                "prompts": 0 if step == 2 else 10,
                "tokens": 2000 if high == 20 else 1000,
                "trained_groups": 8,
                "accuracy": None if step == 2 else 0.5,
                "effective_prompt_ratio": 0.0 if step == 2 else 0.25 if static else 0.75,
                "bounds": dict.fromkeys(names, (low, high)),
                "raised": {names[0]: 1} if step == 3 and not static else {},
                "redrawn": {names[0]: {"too long": step}} if high == 100 else {},
                "seconds": {"in all": step * 1.5},
                "loss": 0.1,
            }
            file.write(json.dumps(metrics) + "\n")
    unseen = OTHERS if plan.test.held_out else ()
    for step in range(0, steps + 1, 2):
        share = 0.1 + 0.01 * step * (1 if static else 5) + 0.01 * cell.seed * (step > 0)
        of = {name: dict.fromkeys(range(plan.test.levels), share) for name in names} | {
            name: dict.fromkeys(range(5), 0.2 + held_out * step) for name in unseen
        }
        accuracy = Accuracy(
            temperature=plan.test.temperature,
            by_level=of,
            solved={
                name: {level: _bits(s, 20 if unseen else 10) for level, s in levels.items()}
                for name, levels in of.items()
            },
            ill_formed=0.5 - 0.05 * step,
            truncated=0.25 - 0.04 * step * cell.seed,
            tokens=(plan.test.problems - 3) * (10 - step),
        )
        measured = ValidationRecord(
            step=step,
            problems=plan.test.problems,
            held_out=list(unseen),
            measured=[accuracy],
            too_long=3 if cell.trained_on == "Sorting" else 0,
            seconds=1.0,
        )
        append_line(place / VALIDATION, measured)
    ends = (environment(name).max_difficulty or 42 for name in names)
    drawn = (low, min(high, 42, *ends)) if static else None
    facts = Facts(drawn_from=drawn, device="cpu", torch="2", at_once=4)
    (place / "cell.json").write_bytes(msgspec.json.encode(facts))


def _bits(share: float, count: int) -> str:
    solved = round(share * count)
    return "1" * solved + "0" * (count - solved)
