"""What an experiment is: one start, trained in several ways, measured alike, and compared.

It is a folder: plan.json, and below cells/ a training run for each thing that is trained on, each
setting and each seed, such as cells/C16/adaptive/0. A cell is an ordinary run. Its validation
measures accuracy on fixed problems, of what is trained on and of environments that no cell is
trained on, at the start, every so many steps and at the end.

A setting says how problems are chosen, and is all there is to know of it:

    adaptive        the difficulty adapts to the policy, by Algorithm 1; two-way, learnability and
                    bandit are other curricula, and adaptive+rehearsal-20 is one of which 20% of
                    the draws go back to levels that were left behind
    static-0-20     difficulties from a range that never moves
    fixed-0-4       the problems of one file, again and again, of difficulties from that range

Each experiment of the paper is a Study on a page of its own. running.py runs the cells,
collected.py gathers what they recorded, comparison.py compares.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from rlve.collections import HELD_OUT, resolve
from rlve.curricula import CURRICULA, CurriculumSettings
from rlve.errors import UserError
from rlve.files import differing, pretty, read_lines, read_record, write_whole
from rlve.registry import environment
from rlve.train.config import Config, ValidationConfig
from rlve.train.history import VALIDATION, read_validations

PLAN = "plan.json"
ADAPTIVE = "adaptive"
PROBES = 3  # problems of a level whose prompts are measured
HOPELESS = 4  # prompts so many times the limit: this level and those above are never drawn


@dataclass(frozen=True)
class TestConfig:
    """How accuracy is measured."""

    __test__ = False  # nothing for pytest

    problems: int = 1280
    """Problems of what is trained on, the same each time, as many of each environment and level."""
    levels: int = 5
    """They have difficulties 0 to this, exclusive."""
    environments: int = 32
    """They are of at most so many of the environments that are trained on."""
    held_out: int = len(HELD_OUT)
    """Environments that no run is trained on (HELD_OUT has 50) that are measured, too."""
    held_out_problems: int = 4000
    """The problems of all of those."""
    held_out_levels: int = 5
    """The difficulties of those are 0 to this, exclusive."""
    every: int = 100
    """Steps between measurements; there is one at the start and one at the end, too."""
    temperature: float = 0.6
    """The sampling temperature; 0 takes the likeliest token. The paper uses 0.6."""
    top_p: float = 0.95
    """Sample from the likeliest tokens with this much probability; at the temperature of training
    from all. The paper has 0.95."""

    def check(self) -> None:
        """Raise a UserError for what cannot work."""
        for name in ("problems", "levels", "environments", "held_out_levels", "every"):
            if getattr(self, name) < 1:
                flag = f"test.{name.replace('_', '-')}"
                raise UserError(f"{flag} must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.held_out <= len(HELD_OUT):
            raise UserError(
                f"test.held-out is from 0 to the {len(HELD_OUT)} environments of HELD_OUT, "
                f"not {self.held_out}"
            )
        if self.temperature < 0:
            raise UserError(f"test.temperature must be at least 0, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise UserError(f"test.top-p must be above 0 and at most 1, not {self.top_p}")


class Cell(NamedTuple):
    """One training run of an experiment."""

    trained_on: str  # an environment, a collection, or several of them, joined by +
    setting: str
    seed: int

    @property
    def name(self) -> str:
        """What it is called, and its folder below cells/."""
        return f"{self.trained_on}/{self.setting}/{self.seed}"


@dataclass(frozen=True)
class Study:
    """An experiment of the paper, before anybody has chosen a model."""

    name: str
    title: str
    trained_on: tuple[str, ...]
    settings: tuple[str, ...]
    test: TestConfig
    seeds: int = 2
    fixed_problems: int = 0
    window: int | None = None
    """Levels that a range spans; None leaves it to the preset."""


@dataclass(frozen=True)
class Plan:
    """All that the numbers of an experiment depend on."""

    study: str
    """Its name."""
    training: Config
    """The settings that all cells share; what is trained on, setting, seed and folder differ."""
    trained_on: tuple[str, ...]
    """Environments and collections; there is one in each run."""
    settings: tuple[str, ...] = (ADAPTIVE,)
    """How problems are chosen."""
    seeds: tuple[int, ...] = (0, 1)
    """The seeds of the runs."""
    fixed_problems: int = 0
    """How many there are in the file of a fixed setting."""
    test: TestConfig = field(default_factory=TestConfig)
    """How accuracy is measured."""

    @property
    def steps(self) -> int:
        return self.training.run.steps

    def cells(self) -> list[Cell]:
        """All of them. Those of one seed come together, so that a part of them can be compared."""
        return [
            Cell(name, setting, seed)
            for seed in self.seeds
            for name in self.trained_on
            for setting in self.settings
        ]

    def problems_of_a_level(self, names: Sequence[str]) -> int:
        """How many there are of each environment and level, of what is trained on."""
        return self.test.problems // (self.test.levels * min(len(names), self.test.environments))

    def check(self) -> None:
        """Raise a UserError for what cannot work, before any long work starts."""
        self.training.check()
        self.test.check()
        if not self.trained_on:
            raise UserError("an experiment needs at least one environment to train on")
        if not self.seeds:
            raise UserError("seeds must be at least 1, not 0")
        for setting in self.settings:
            if kind_of(setting) == "fixed" and self.fixed_problems < 1:
                raise UserError(f"{setting} needs fixed-problems of at least 1")
        for name in self.trained_on:
            names = environments_of(name)
            if self.problems_of_a_level(names) < 1:
                raise UserError(
                    f"test.problems ({self.test.problems}) is less than one for each environment "
                    f"and level of {name}; raise it, or lower test.levels or test.environments"
                )
            if self.test.held_out and {*names} & {*HELD_OUT}:
                raise UserError(
                    f"{name} has environments of HELD_OUT, which no run may be trained on; "
                    "choose others, or set test.held-out to 0"
                )
        if self.test.held_out and self.held_out_problems_of_a_level < 1:
            raise UserError(
                f"test.held-out-problems ({self.test.held_out_problems}) is less than one for each "
                "environment and level; raise it, or lower test.held-out or test.held-out-levels"
            )

    @property
    def held_out_problems_of_a_level(self) -> int:
        """How many there are of each environment and level, of what is held out."""
        return self.test.held_out_problems // max(1, self.test.held_out * self.test.held_out_levels)


def environments_of(trained_on: str) -> list[str]:
    """The environments that a cell is trained on."""
    return list(resolve(trained_on.split("+")))


def brief(trained_on: str) -> str:
    """What a cell is trained on, as tables and pictures name it."""
    several = trained_on.count("+") + 1
    return trained_on if several == 1 else f"{several} environments"


def kind_of(setting: str) -> str:
    """adaptive, static or fixed; a UserError for anything else."""
    if curriculum_of(setting) is not None:
        return ADAPTIVE
    range_of(setting)
    return setting.partition("-")[0]


def adapts(setting: str) -> bool:
    """Whether difficulties follow the policy."""
    return kind_of(setting) == ADAPTIVE


def curriculum_of(setting: str) -> CurriculumSettings | None:
    """The curriculum of a setting, with its rehearsal; None where nothing adapts."""
    kind, _, more = setting.partition("+")
    if kind not in CURRICULA:
        return None
    share = more.removeprefix("rehearsal-")
    if not more:
        return CurriculumSettings(curriculum=kind)
    if share == more or not share.isdecimal() or not 0 < int(share) <= 100:
        raise UserError(f"a share of rehearsal is written {kind}+rehearsal-20, not {setting!r}")
    return CurriculumSettings(curriculum=kind, rehearsal=int(share) / 100)


def range_of(setting: str) -> tuple[int, int]:
    """The difficulties of a static or a fixed setting."""
    kind, *ends = setting.split("-")
    if kind not in ("static", "fixed") or len(ends) != 2 or not all(e.isdecimal() for e in ends):
        raise UserError(
            f"a setting is {', '.join(CURRICULA)}, or such as adaptive+rehearsal-20, static-0-20 "
            f"or fixed-0-4, not {setting!r}"
        )
    low, high = map(int, ends)
    if low > high:
        raise UserError(f"a range goes from low to high, not as in {setting}")
    return low, high


def label(setting: str) -> str:
    """A setting as tables and pictures name it."""
    if (curriculum := curriculum_of(setting)) is not None:
        return curriculum.label()
    low, high = range_of(setting)
    return f"{kind_of(setting)} [{low}, {high}]"


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
    place = folder / PLAN
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
    missing = f"{folder} is not the folder of an experiment: no {PLAN}"
    return read_record(folder / PLAN, Plan, missing=missing)


def _portable(plan: Plan) -> Plan:
    """The plan without what the numbers do not depend on: it may go on somewhere else."""
    training = plan.training
    run = replace(training.run, folder=None, workers=None, seed=0)
    return replace(plan, training=replace(training, run=run))


def cell_folder(folder: Path, cell: Cell) -> Path:
    return folder / "cells" / cell.name


def fixed_file(folder: Path, cell: Cell) -> Path:
    """Where the problems of a fixed setting are, for all seeds the same."""
    return folder / f"{cell.trained_on}-{cell.setting}.jsonl"


def finished(plan: Plan, folder: Path, cell: Cell) -> bool:
    """Whether a cell was measured after its last step, here or where it was collected."""
    found = read_validations(cell_folder(folder, cell))
    if found and found[-1].step == plan.steps:
        return True
    return any(
        Cell(line.trained_on, line.setting, line.seed) == cell and line.step == plan.steps
        for line in read_lines(folder / VALIDATION, _Measured)
    )


class _Measured(msgspec.Struct):
    """What a line of the collected measurements says of its cell."""

    trained_on: str
    setting: str
    seed: int
    step: int


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
    return replace(
        training,
        data=data,
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
    """The static range of a cell, of a single environment up to what is worth drawing.

    The stream draws again what is longer than the limit, and avoids levels where that is nearly
    all. But some schedules explode: to generate and tokenise lists of 270,000 numbers only to find
    that out takes minutes. So levels far beyond the limit are left out, which does not change what
    the policy sees.
    """
    from rlve.models.policy import load_reader

    low, high = range_of(cell.setting)
    [name, *others] = environments_of(cell.trained_on)
    if others:  # each is drawn as far as it goes, and few draws are of one that explodes
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
