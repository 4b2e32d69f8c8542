"""The paper's adaptivity experiment: the same start, trained with adaptive and static difficulty.

An experiment is a folder: plan.json, and below cells/ one training run for each environment,
setting and seed, such as cells/Sorting/adaptive/0. A cell is an ordinary run, whose validation
measures accuracy on a fixed set of problems at the start, every so many steps and at the end.
Cells know nothing of each other. Several processes may work through the same
folder: each takes cells that are neither finished nor under way. Interrupted, a cell goes on from
its latest checkpoint.

adaptivity_results.py sums up what is there.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import json
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from rlve.errors import FolderBusy, UserError
from rlve.files import differing, pretty, read_record, write_whole
from rlve.pool import usable_cores
from rlve.registry import environment
from rlve.train.config import Config, ValidationConfig
from rlve.train.history import CONFIG, StepMetrics, ValidationRecord, read_validations

Say: TypeAlias = Callable[[str], None]

ADAPTIVE = "adaptive"
PROBES = 3  # problems of a level whose prompts are measured
HOPELESS = 4  # prompts so many times the limit: this level and those above are never drawn


@dataclass(frozen=True)
class TestConfig:
    """How accuracy is measured."""

    __test__ = False  # nothing for pytest

    problems: int = 4000
    """Problems, the same at every measurement."""
    levels: int = 20
    """They have difficulties 0 to this, exclusive, in equal numbers."""
    every: int = 25
    """Steps between measurements; there is one at the start and one at the end, too."""
    temperature: float = 0.6
    """Of the sampling; 0 takes the likeliest token. The paper has 0.6."""
    top_p: float = 0.95
    """Sample from the likeliest tokens with this much probability; at the temperature of training
    from all. The paper has 0.95."""


class Cell(NamedTuple):
    """One training run of the experiment."""

    environment: str
    setting: str  # adaptive, or such as static-0-20
    seed: int

    @property
    def name(self) -> str:
        """What it is called, and its folder below cells/."""
        return f"{self.environment}/{self.setting}/{self.seed}"


@dataclass(frozen=True)
class Plan:
    """All that the numbers of an experiment depend on."""

    training: Config
    """Of every cell, but for environment, setting, seed and folder."""
    environments: tuple[str, ...] = ("Sorting", "ABProgramSimulation")
    """There is one in each run."""
    static: tuple[tuple[int, int], ...] = ((0, 1), (0, 20), (0, 100))
    """The ranges that adaptive difficulty is compared with."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Of all random choices of a run."""
    test: TestConfig = field(default_factory=TestConfig)
    """How accuracy is measured."""

    @property
    def settings(self) -> tuple[str, ...]:
        """Adaptive first, then the static ranges."""
        return (ADAPTIVE, *(f"static-{low}-{high}" for low, high in self.static))

    @property
    def steps(self) -> int:
        return self.training.run.steps

    def cells(self) -> list[Cell]:
        """All of them. Those of one seed come together, so that a part of them can be compared."""
        return [
            Cell(name, setting, seed)
            for seed in self.seeds
            for name in self.environments
            for setting in self.settings
        ]

    def check(self) -> None:
        """Raise a UserError for what cannot work, before any long work starts."""
        self.training.check()
        if not self.environments:
            raise UserError("an experiment needs at least one environment")
        for name in self.environments:
            environment(name)
        for low, high in self.static:
            if not 0 <= low <= high:
                raise UserError(f"a static range needs 0 <= low <= high, not [{low}, {high}]")
        if not self.seeds:
            raise UserError("seeds is at least 1, not 0")
        test = self.test
        for name, value in (
            ("test.levels", test.levels),
            ("test.problems", test.problems),
            ("test.every", test.every),
        ):
            if value < 1:
                raise UserError(f"{name} is at least 1, not {value}")
        if test.problems % test.levels:
            raise UserError(
                f"test.problems ({test.problems}) does not divide into test.levels "
                f"({test.levels}) equal parts"
            )
        if test.temperature < 0:
            raise UserError(f"test.temperature is at least 0, not {test.temperature}")
        if not 0 < test.top_p <= 1:
            raise UserError(f"test.top-p is above 0 and at most 1, not {test.top_p}")


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The accuracy of a policy after a step."""

    step: int
    accuracy: float
    by_level: list[float]  # at d = 0, 1, ...
    ill_formed: float
    truncated: float
    too_long: int  # problems that were not put to the policy; they count as not solved
    failed: int = 0  # outputs that could not be judged; they do so, too
    tokens: int
    seconds: float


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What else there is to know of a cell."""

    drawn_from: tuple[int, int] | None
    """The difficulties of a static range that can fit the prompt limit; None if adaptive."""
    device: str
    torch: str


def label(setting: str) -> str:
    """A setting as tables and pictures name it."""
    if setting == ADAPTIVE:
        return setting
    _, low, high = setting.split("-")
    return f"static [{low}, {high}]"


def chosen(cells: Sequence[Cell], only: Sequence[str]) -> list[Cell]:
    """The cells named, by their whole name or the beginning of it, such as Sorting/adaptive."""
    found: list[Cell] = []
    for word in only:
        matching = [cell for cell in cells if f"{cell.name}/".startswith(f"{word.rstrip('/')}/")]
        if not matching:
            raise UserError(f"no cell is named {word}; there are such as {cells[0].name}")
        found += matching
    return [cell for cell in cells if cell in found] if only else list(cells)


def claim(plan: Plan, folder: Path) -> None:
    """Make the folder this experiment's own, or see that it is."""
    place = folder / "plan.json"
    settings = pretty(_portable(plan))
    if place.exists():
        if others := differing(json.loads(place.read_bytes()), json.loads(settings)):
            raise UserError(
                f"{folder} belongs to an experiment with other settings: {', '.join(others)}"
            )
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already, and is not the folder of an experiment")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(place, settings)


def read_plan(folder: Path) -> Plan:
    """The plan of the experiment in a folder."""
    missing = f"{folder} is not the folder of an experiment: no plan.json"
    return read_record(folder / "plan.json", Plan, missing=missing)


def run_cells(
    plan: Plan,
    cells: Sequence[Cell],
    folder: Path,
    *,
    jobs: int = 1,
    workers: int | None = None,
    say: Say,
) -> None:
    """Run what is neither finished nor under way elsewhere, so many cells at once."""
    if jobs == 1:
        for cell in cells:
            run_cell(plan, cell, folder, workers=workers, say=say)
        return
    # Imported once, and shared by the processes that are forked from here. A GPU must not be
    # touched before that.
    import transformers.models.auto.modeling_auto  # noqa: F401  # pyright: ignore[reportUnusedImport]

    import rlve.train.trainer  # noqa: F401  # pyright: ignore[reportUnusedImport]

    jobs = min(jobs, len(cells))
    threads = max(1, usable_cores() // jobs)
    forking = multiprocessing.get_context("fork")
    processes = [
        forking.Process(
            target=_work_through, args=(plan, cells, folder, workers or threads, threads, say)
        )
        for _ in range(jobs)
    ]
    for process in processes:
        process.start()
    try:
        for process in processes:
            process.join()
    except KeyboardInterrupt:  # they were interrupted, too, and save what they have
        for process in processes:
            process.join()
        raise
    if any(process.exitcode for process in processes):
        raise UserError("not all runs came to their end; the same command goes on with them")


def _work_through(
    plan: Plan, cells: Sequence[Cell], folder: Path, workers: int, threads: int, say: Say
) -> None:
    import torch

    torch.set_num_threads(threads)
    try:
        for cell in cells:
            run_cell(plan, cell, folder, workers=workers, say=say)
    except KeyboardInterrupt:
        sys.exit(130)
    except UserError as error:
        say(f"rlve: {error}")
        sys.exit(2)


def run_cell(plan: Plan, cell: Cell, folder: Path, *, workers: int | None = None, say: Say) -> None:
    """Train and measure one cell, unless it is finished or another process is at it."""
    from rlve.train.trainer import Run

    place = cell_folder(folder, cell)
    if finished(plan, folder, cell):
        return
    place.mkdir(parents=True, exist_ok=True)
    config = cell_config(plan, cell, place, workers)
    begun = (place / CONFIG).exists()
    try:
        with Run(config, [_Teller(plan, cell, say)], resume=begun) as run:
            write_whole(place / "cell.json", pretty(_facts(config, run.device)))
            for _ in run:
                pass
    except FolderBusy:
        return
    if run.step < plan.steps:
        raise KeyboardInterrupt


def cell_folder(folder: Path, cell: Cell) -> Path:
    return folder / "cells" / cell.name


def finished(plan: Plan, folder: Path, cell: Cell) -> bool:
    """Whether a cell was measured after its last step."""
    found = read_validations(cell_folder(folder, cell))
    return bool(found) and found[-1].step == plan.steps


def evaluations_of(place: Path) -> list[Evaluation]:
    """The accuracy of a cell's policy so far."""
    return [_evaluation(record) for record in read_validations(place)]


def _evaluation(record: ValidationRecord) -> Evaluation:
    [accuracy] = record.measured
    [by_level] = accuracy.by_level.values()
    return Evaluation(
        step=record.step,
        accuracy=accuracy.mean(),
        by_level=[by_level[level] for level in sorted(by_level)],
        ill_formed=accuracy.ill_formed,
        truncated=accuracy.truncated,
        too_long=record.too_long,
        failed=record.failures,
        tokens=accuracy.tokens,
        seconds=record.seconds,
    )


class _Teller:
    """Says a line each time that accuracy was measured."""

    def __init__(self, plan: Plan, cell: Cell, say: Say) -> None:
        self.plan = plan
        self.cell = cell
        self.say = say
        self.high = 0
        self.seconds = 0.0

    def collecting(self, step: int, kept: int, finished: int) -> None:
        """Of no interest here."""

    def validating(self, step: int, done: int, total: int) -> None:
        """Likewise."""

    def stepped(self, metrics: StepMetrics) -> None:
        self.high = metrics.bounds[self.cell.environment][1]
        self.seconds = metrics.seconds["in all"]

    def validated(self, record: ValidationRecord) -> None:
        self.say(
            f"{self.cell.name}: step {record.step:,} of {self.plan.steps:,}, accuracy "
            f"{record.measured[0].mean():.1%}, h {self.high}, {self.seconds:,.0f} s of training"
        )


def _facts(config: Config, device: Any) -> Facts:
    import torch

    name = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    return Facts(drawn_from=config.data.static, device=name, torch=torch.__version__)


def cell_config(plan: Plan, cell: Cell, place: Path, workers: int | None) -> Config:
    """The settings of a cell's training run."""
    training = plan.training
    static = None
    if cell.setting != ADAPTIVE:
        _, low, high = cell.setting.split("-")
        static = int(low), _readable(training, cell.environment, int(low), int(high))
    return replace(
        training,
        data=replace(training.data, environments=(cell.environment,), static=static),
        validation=ValidationConfig(
            levels=tuple(range(plan.test.levels)),
            problems=plan.test.problems // plan.test.levels,
            every=plan.test.every,
            temperatures=(plan.test.temperature,),
            top_p=plan.test.top_p,
        ),
        run=replace(training.run, folder=place, seed=cell.seed, workers=workers),
    )


def _readable(training: Config, name: str, low: int, high: int) -> int:
    """The highest difficulty that is worth drawing.

    The stream draws again, and counts, what is longer than the limit. But some schedules explode:
    to generate and tokenise a list of 270,000 numbers only to drop it takes seconds. So levels far
    beyond the limit are left out, which does not change what the policy sees.
    """
    from rlve.models.policy import load_reader

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
            return difficulty - 1
    return high


def _portable(plan: Plan) -> Plan:
    """The plan without what the numbers do not depend on: it may go on somewhere else."""
    training = plan.training
    run = replace(training.run, folder=None, workers=None, seed=0)
    return replace(plan, training=replace(training, run=run))
