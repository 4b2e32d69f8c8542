"""The folder of an experiment: its plan, and a folder for each cell."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from rlve.errors import UserError
from rlve.files import find_differences, read_lines, write_whole
from rlve.run_folders import CELLS, PLAN, VALIDATION, check_own, read_settings, with_kind
from rlve.studies.experiments import Cell, Plan
from rlve.train.history import read_validations


def claim(plan: Plan, folder: Path) -> None:
    """Claim the folder for this experiment, or check that it belongs to it.

    Several commands may try at the same time; the first decides what it belongs to.
    """
    path = folder / PLAN
    settings = with_kind("experiment", _portable(plan))
    if folder.exists() and not (folder.is_dir() and _free(folder)):
        raise UserError(f"{folder} already exists, and is not an experiment")
    if folder.exists():
        check_own(folder)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write_first(path, settings)
    stored = {"kind": "experiment", **read_settings(folder, "experiment", dict[str, Any])}
    if changed := find_differences(stored, json.loads(settings)):
        raise UserError(
            f"{folder} belongs to an experiment with other settings: {', '.join(changed)}"
        )


def _free(folder: Path) -> bool:
    """Whether a folder is an experiment's, or nobody's: it may hold unfinished copies of a plan."""
    others = [each for each in folder.iterdir() if not each.match(f".*{PLAN}.*.part")]
    # The plan comes first: whoever sees another file of an experiment finds the plan, too.
    return not others or (folder / PLAN).exists()


def _write_first(path: Path, content: bytes) -> None:
    """Write a whole file, unless another process has been faster."""
    draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")  # pids repeat on machines
    write_whole(draft, content)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def read_plan(folder: Path) -> Plan:
    """The plan of the experiment in a folder."""
    return read_settings(folder, "experiment", Plan)


def _portable(plan: Plan) -> Plan:
    """The plan without what does not affect the numbers, since it may continue elsewhere."""
    training = plan.training
    run = replace(training.run, folder=None, workers=None, seed=0)
    return replace(plan, training=replace(training, run=run))


def cell_folder(folder: Path, cell: Cell) -> Path:
    return folder / CELLS / cell.name


def fixed_file(folder: Path, cell: Cell) -> Path:
    """The file with the problems of a fixed setting, the same for all seeds."""
    return folder / f"{cell.trained_on}-{cell.setting}.jsonl"


def is_finished(plan: Plan, folder: Path, cell: Cell) -> bool:
    """Whether a cell was measured after its last step, by its folder or the collected records."""
    measured = read_validations(cell_folder(folder, cell))
    if measured and measured[-1].step == plan.steps:
        return True
    return any(
        Cell(line.trained_on, line.setting, line.seed) == cell and line.step == plan.steps
        for line in read_lines(folder / VALIDATION, _Measured)
    )


class _Measured(msgspec.Struct):
    """The fields of a collected measurement that identify its cell."""

    trained_on: str
    setting: str
    seed: int
    step: int
