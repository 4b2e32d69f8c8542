"""One cell of an experiment: its training run, and how far it is.

A cell that was interrupted resumes from its latest checkpoint when it is run again.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import msgspec

from rlve.datasets.export import export
from rlve.datasets.rows import row_writer
from rlve.errors import FolderBusy, UserError
from rlve.files import check_file, last_lines, pretty, write_whole
from rlve.pool import Pool
from rlve.registry import environment
from rlve.run_folders import CELL_FACTS, CONFIG, METRICS, alone_in, check_folder
from rlve.studies.experiments import Cell, Plan, environments_of
from rlve.studies.folder import cell_folder, fixed_file, is_finished
from rlve.studies.settings import curriculum_of, kind_of, range_of, rewards_form
from rlve.train.config import Config, ValidationConfig
from rlve.train.history import StepMetrics, ValidationRecord, read_validations
from rlve.train.watchers import Watcher

Say: TypeAlias = Callable[[str], None]

PROBES = 3  # problems per level whose prompts are measured
HOPELESS = 4  # if prompts are this many times the limit, the level and those above are not drawn


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a cell's run."""

    drawn_from: tuple[int, int] | None
    """The part of a static range that can fit the prompt limit; None for other settings."""
    device: str
    torch: str
    at_once: int = 1
    """The number of cells that its command ran at the same time; there may be other commands."""


class CellState(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a cell, according to its folder."""

    cell: Cell
    step: int
    seconds: float
    trained: tuple[float, float] | None
    """Accuracy on its training environments, at the start and at the latest measurement."""
    held_out: tuple[float, float] | None
    """The same on environments it is not trained on."""
    finished: bool


def run_cell(
    plan: Plan,
    cell: Cell,
    folder: Path,
    *,
    workers: int | None = None,
    at_once: int = 1,
    say: Say,
) -> None:
    """Train and measure one cell, unless it is finished or another process is running it."""
    from rlve.train.trainer import Run

    place = cell_folder(folder, cell)
    if is_finished(plan, folder, cell):
        return
    check_folder(folder, place)
    place.mkdir(parents=True, exist_ok=True)
    with alone_in(place) as alone:
        if not alone:
            return
    make_fixed_sets(plan, [cell], folder, workers)
    config = cell_config(plan, cell, folder, workers)
    begun = (place / CONFIG).exists()
    try:
        with Run(config, [_Reporter(plan, cell, say)], resume=begun) as run:
            write_whole(place / CELL_FACTS, pretty(_facts(config, run.device, at_once)))
            run.finish()
    except FolderBusy:
        return
    if not is_finished(plan, folder, cell):
        raise KeyboardInterrupt


def cell_config(plan: Plan, cell: Cell, folder: Path, workers: int | None) -> Config:
    """The settings of a cell's training run."""
    training, test = plan.training, plan.test
    names = tuple(cell.trained_on.split("+"))
    data = replace(training.data, environments=names, static=None, dataset=None)
    if (curriculum := curriculum_of(cell.setting)) is not None:
        data = replace(data, curriculum=curriculum.curriculum, rehearsal=curriculum.rehearsal)
    elif kind_of(cell.setting) == "static":
        data = replace(data, static=_readable(training, cell))
    elif kind_of(cell.setting) == "fixed":
        data = replace(data, dataset=fixed_file(folder, cell))
    signal = "form" if rewards_form(cell.setting) else training.rollout.signal
    return replace(
        training,
        data=data,
        rollout=replace(training.rollout, signal=signal),
        validation=ValidationConfig(
            levels=tuple(range(test.levels)),
            problems=plan.problems_of_a_level(environments_of(cell.trained_on)),
            environments=test.environments,
            held_out=test.held_out,
            held_out_levels=tuple(range(test.held_out_levels)),
            held_out_problems=plan.held_out_problems_of_a_level or None,
            every=test.every,
            temperatures=(test.temperature,),
            top_p=test.top_p,
        ),
        run=replace(
            training.run, folder=cell_folder(folder, cell), seed=cell.seed, workers=workers
        ),
    )


def _readable(training: Config, cell: Cell) -> tuple[int, int]:
    """The static range of a cell; for a single environment, only up to levels worth drawing.

    The stream replaces problems that are longer than the limit, and avoids levels where nearly all
    are. But some schedules explode, and it takes minutes to generate and tokenise lists of 270,000
    numbers only to find that out. So levels far beyond the limit are left out, which does not
    change what the policy sees.
    """
    from rlve.models.policy import load_reader

    low, high = range_of(cell.setting)
    [name, *others] = environments_of(cell.trained_on)
    if others:  # each is drawn up to its own limit, and few draws are of one that explodes
        return low, high
    reader = load_reader(training.policy)
    limit = HOPELESS * training.data.max_prompt_tokens
    kind = environment(name)
    if kind.max_difficulty is not None:
        high = min(high, kind.max_difficulty)
    for difficulty in range(low, high + 1):
        problems = [kind.generate(difficulty=difficulty, seed=-1 - i) for i in range(PROBES)]
        if min(len(reader.encode(problem)) for problem in problems) > limit:
            if difficulty == low:
                raise UserError(
                    f"the prompts of {name} at difficulty {low} are far beyond "
                    f"data.max-prompt-tokens ({training.data.max_prompt_tokens:,})"
                )
            return low, difficulty - 1
    return low, high


def make_fixed_sets(
    plan: Plan, cells: Sequence[Cell], folder: Path, workers: int | None = None
) -> None:
    """Write the missing files of fixed settings; a UserError if there are too few problems."""
    for cell in cells:
        path = fixed_file(folder, cell)
        if kind_of(cell.setting) != "fixed":
            continue
        check_file(path)
        if path.exists():
            continue
        low, high = range_of(cell.setting)
        with Pool(workers) as pool, row_writer(path) as write:
            exported = export(
                [environment(name) for name in environments_of(cell.trained_on)],
                pool,
                write,
                count=plan.fixed_problems,
                difficulties=range(low, high + 1),
            )
            if exported.missing:  # raised here, so that there is no file
                raise UserError(
                    f"{cell.trained_on} has only {exported.written:,} of the "
                    f"{plan.fixed_problems:,} problems for {cell.setting}, because "
                    f"{exported.why_missing()}; begin again in another folder, with fewer "
                    "--fixed-problems, other environments or other difficulties"
                )


def state_of(plan: Plan, folder: Path, cell: Cell) -> CellState:
    """The progress of a cell."""
    place = cell_folder(folder, cell)
    last = next(iter(last_lines(place / METRICS, _Position, 1)), None)
    measured = read_validations(place)
    return CellState(
        cell=cell,
        step=0 if last is None else last.step,
        seconds=0.0 if last is None else last.seconds.get("in all", 0.0),
        trained=(_trained_accuracy(measured[0]), _trained_accuracy(measured[-1]))
        if measured
        else None,
        held_out=(_held_out_accuracy(measured[0]), _held_out_accuracy(measured[-1]))
        if measured and measured[0].held_out
        else None,
        finished=bool(measured) and measured[-1].step == plan.steps,
    )


class _Position(msgspec.Struct):
    step: int
    seconds: dict[str, float] = {}


def _trained_accuracy(record: ValidationRecord) -> float:
    return record.measured[0].mean(record.trained)


def _held_out_accuracy(record: ValidationRecord) -> float:
    return record.measured[0].mean(record.held_out)


class _Reporter(Watcher[StepMetrics]):
    """Prints a line for every measurement of accuracy."""

    def __init__(self, plan: Plan, cell: Cell, say: Say) -> None:
        self.plan = plan
        self.cell = cell
        self.say = say
        self.high = 0.0
        self.seconds = 0.0

    def stepped(self, metrics: StepMetrics) -> None:
        self.high = fmean(high for _, high in metrics.bounds.values())
        self.seconds = metrics.seconds["in all"]

    def validated(self, record: ValidationRecord) -> None:
        held_out = f", held out {_held_out_accuracy(record):.1%}" if record.held_out else ""
        self.say(
            f"{self.cell.name}: step {record.step:,} of {self.plan.steps:,}, accuracy "
            f"{_trained_accuracy(record):.1%}{held_out}, h {self.high:.1f}, {self.seconds:,.0f} s"
        )


def _facts(config: Config, device: Any, at_once: int) -> Facts:
    import torch

    name = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    return Facts(
        drawn_from=config.data.static, device=name, torch=torch.__version__, at_once=at_once
    )
