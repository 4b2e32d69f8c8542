"""What an experiment is: one model, trained in several ways, measured alike, and compared.

It is a folder: plan.json, and in cells/ a training run for each collection or environment, each
setting and each seed, such as cells/C16/adaptive/0. A cell is an ordinary run. Its validation
measures accuracy on fixed problems, both of the environments it is trained on and of environments
that no cell is trained on: at the start, at regular intervals and at the end.

A setting says how problems are chosen:

    adaptive        the difficulty adapts to the policy, by Algorithm 1; two-way, learnability and
                    bandit are other curricula, and with adaptive+rehearsal-20, 20% of the draws
                    go back to levels already left behind
    static-0-20     difficulties from a range that never moves
    fixed-0-4       the problems of one file, again and again, with difficulties from that range

Each experiment of the paper is a Study in a module of its own. running.py runs the cells,
collected.py gathers their records, comparison.py compares them.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from rlve.collections import HELD_OUT, resolve
from rlve.curricula import CURRICULA, CurriculumSettings
from rlve.errors import UserError
from rlve.files import differing, pretty, read_lines, read_record, write_whole
from rlve.registry import environment
from rlve.train.config import Config, ValidationConfig
from rlve.train.history import VALIDATION, read_validations

T = TypeVar("T")

PLAN = "plan.json"
ADAPTIVE = "adaptive"
PROBES = 3  # problems per level whose prompts are measured
HOPELESS = 4  # if prompts are this many times the limit, the level and those above are not drawn


@dataclass(frozen=True)
class TestConfig:
    """How accuracy is measured."""

    __test__ = False  # not a test for pytest

    problems: int = 1280
    """Problems of the training environments, the same ones every time, evenly spread over
    environments and levels."""
    levels: int = 5
    """The number of difficulties at which to measure them, from 0."""
    environments: int = 32
    """The most training environments to measure."""
    held_out: int = len(HELD_OUT)
    """The number of environments to measure that no run is trained on (HELD_OUT has 50)."""
    held_out_problems: int = 4000
    """Problems of the held-out environments, in total."""
    held_out_levels: int = 5
    """The number of difficulties at which to measure those, from 0."""
    every: int = 100
    """Steps between measurements; accuracy is also measured at the start and at the end."""
    temperature: float = 0.6
    """The sampling temperature; 0 takes the most likely token. The paper uses 0.6."""
    top_p: float = 0.95
    """Sample from the most likely tokens whose probabilities add up to this; at the training
    temperature, from all. The paper uses 0.95."""

    def check(self) -> None:
        """Raise a UserError for settings that cannot work."""
        for name in ("problems", "levels", "environments", "held_out_levels", "every"):
            if getattr(self, name) < 1:
                flag = f"test.{name.replace('_', '-')}"
                raise UserError(f"{flag} must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.held_out <= len(HELD_OUT):
            raise UserError(
                f"test.held-out must be from 0 to {len(HELD_OUT)}, the size of HELD_OUT, "
                f"not {self.held_out}"
            )
        if self.temperature < 0:
            raise UserError(f"test.temperature must be at least 0, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise UserError(f"test.top-p must be above 0 and at most 1, not {self.top_p}")


class Cell(NamedTuple):
    """One training run of an experiment."""

    trained_on: str  # an environment, a collection, or several joined by +
    setting: str
    seed: int

    @property
    def name(self) -> str:
        """Its name, and its folder in cells/."""
        return f"{self.trained_on}/{self.setting}/{self.seed}"


@dataclass(frozen=True)
class Study:
    """An experiment of the paper, before a model is chosen."""

    name: str
    title: str
    trained_on: tuple[str, ...]
    settings: tuple[str, ...]
    test: TestConfig
    seeds: int = 2
    fixed_problems: int = 0
    window: int | None = None
    """The most levels in a range; None leaves it to the preset."""


@dataclass(frozen=True)
class Plan:
    """Everything that the numbers of an experiment depend on."""

    study: str
    """The name of the study."""
    training: Config
    """The settings that all cells share; environments, setting, seed and folder differ."""
    trained_on: tuple[str, ...]
    """Environments and collections, one per run."""
    settings: tuple[str, ...] = (ADAPTIVE,)
    """The ways of choosing problems."""
    seeds: tuple[int, ...] = (0, 1)
    """The seeds of the runs."""
    fixed_problems: int = 0
    """Problems in the file of a fixed setting."""
    test: TestConfig = field(default_factory=TestConfig)
    """How accuracy is measured."""

    @property
    def steps(self) -> int:
        return self.training.run.steps

    def cells(self) -> list[Cell]:
        """All cells, seed by seed, so that they can be compared before all are finished."""
        return [
            Cell(name, setting, seed)
            for seed in self.seeds
            for name in self.trained_on
            for setting in self.settings
        ]

    def problems_of_a_level(self, names: Sequence[str]) -> int:
        """Problems per environment and level of the training environments."""
        return self.test.problems // (self.test.levels * min(len(names), self.test.environments))

    def check(self) -> None:
        """Raise a UserError for settings that cannot work, before any long work starts."""
        self.training.check()
        self.test.check()
        if not self.trained_on:
            raise UserError("an experiment needs at least one environment to train on")
        if not self.seeds:
            raise UserError("seeds must be at least 1, not 0")
        for setting in self.settings:
            if kind_of(setting) == "fixed" and self.fixed_problems < 1:
                raise UserError(f"{setting} needs --fixed-problems to be at least 1")
        for name in self.trained_on:
            names = environments_of(name)
            for setting in self.settings:
                _check_range(setting, names)
            if self.problems_of_a_level(names) < 1:
                raise UserError(
                    f"test.problems ({self.test.problems}) is less than one per environment and "
                    f"level of {name}; raise it, or lower test.levels or test.environments"
                )
            if self.test.held_out and {*names} & {*HELD_OUT}:
                raise UserError(
                    f"{name} contains environments of HELD_OUT, on which no run may be trained; "
                    "choose others, or set test.held-out to 0"
                )
        if self.test.held_out and self.held_out_problems_of_a_level < 1:
            raise UserError(
                f"test.held-out-problems ({self.test.held_out_problems}) is less than one per "
                "environment and level; raise it, or lower test.held-out or test.held-out-levels"
            )

    @property
    def held_out_problems_of_a_level(self) -> int:
        """Problems per environment and level of the held-out environments."""
        return self.test.held_out_problems // max(1, self.test.held_out * self.test.held_out_levels)


def environments_of(trained_on: str) -> list[str]:
    """The environments that a cell is trained on."""
    return list(resolve(trained_on.split("+")))


def brief(trained_on: str) -> str:
    """What a cell is trained on, as shown in tables and pictures."""
    several = trained_on.count("+") + 1
    return trained_on if several == 1 else f"{several} environments"


def kind_of(setting: str) -> str:
    """adaptive, static or fixed; a UserError for anything else."""
    if curriculum_of(setting) is not None:
        return ADAPTIVE
    range_of(setting)
    return setting.partition("-")[0]


def adapts(setting: str) -> bool:
    """Whether difficulties adapt to the policy."""
    return kind_of(setting) == ADAPTIVE


def curriculum_of(setting: str) -> CurriculumSettings | None:
    """The curriculum of a setting, with its rehearsal; None if nothing adapts."""
    kind, _, extra = setting.partition("+")
    if kind not in CURRICULA:
        return None
    share = extra.removeprefix("rehearsal-")
    if not extra:
        return CurriculumSettings(curriculum=kind)
    if share == extra or not share.isdecimal() or not 0 < int(share) <= 100:
        raise UserError(f"write rehearsal as in {kind}+rehearsal-20, not {setting!r}")
    return CurriculumSettings(curriculum=kind, rehearsal=int(share) / 100)


def range_of(setting: str) -> tuple[int, int]:
    """The difficulties of a static or a fixed setting."""
    kind, *ends = setting.split("-")
    if kind not in ("static", "fixed") or len(ends) != 2 or not all(e.isdecimal() for e in ends):
        raise UserError(
            f"a setting must be {', '.join(CURRICULA)}, or like adaptive+rehearsal-20, static-0-20 "
            f"or fixed-0-4, not {setting!r}"
        )
    low, high = map(int, ends)
    if low > high:
        raise UserError(f"a range must go from low to high, unlike {setting}")
    return low, high


def _check_range(setting: str, names: Sequence[str]) -> None:
    """Raise a UserError if a static or a fixed range begins above where environments end.

    A fixed set leaves out such environments, as long as there are others.
    """
    if adapts(setting):
        return
    low = range_of(setting)[0]
    ends = {name: environment(name).max_difficulty for name in names}
    below = {name: end for name, end in ends.items() if end is not None and end < low}
    if below and (kind_of(setting) == "static" or len(below) == len(names)):
        name, end = max(below.items(), key=lambda item: item[1])
        raise UserError(f"{setting} begins above the highest difficulty of {name}, which is {end}")


def label(setting: str) -> str:
    """A setting as shown in tables and pictures."""
    if (curriculum := curriculum_of(setting)) is not None:
        return curriculum.label()
    low, high = range_of(setting)
    return f"{kind_of(setting)} [{low}, {high}]"


def chosen(cells: Sequence[Cell], only: Sequence[str]) -> list[Cell]:
    """The cells with these names, or whose names start like this: Sorting/adaptive."""
    selected: list[Cell] = []
    for word in only:
        matching = [cell for cell in cells if f"{cell.name}/".startswith(f"{word.rstrip('/')}/")]
        if not matching:
            raise UserError(f"no cell is named {word}; an example of a name is {cells[0].name}")
        selected += matching
    return [cell for cell in cells if cell in selected] if only else list(cells)


def claim(plan: Plan, folder: Path) -> None:
    """Claim the folder for this experiment, or check that it belongs to it.

    Several commands may try at the same time; the first decides what it belongs to.
    """
    path = folder / PLAN
    settings = pretty(_portable(plan))
    if folder.exists() and not (folder.is_dir() and _free(folder)):
        raise UserError(f"{folder} already exists, and is not an experiment")
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write_first(path, settings)
    if changed := differing(_read(folder, dict[str, Any]), json.loads(settings)):
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
    return _read(folder, Plan)


def _read(folder: Path, kind: type[T]) -> T:
    missing = f"{folder} is not an experiment: it has no {PLAN}"
    return read_record(folder / PLAN, kind, missing=missing)


def _portable(plan: Plan) -> Plan:
    """The plan without what does not affect the numbers, since it may continue elsewhere."""
    training = plan.training
    run = replace(training.run, folder=None, workers=None, seed=0)
    return replace(plan, training=replace(training, run=run))


def cell_folder(folder: Path, cell: Cell) -> Path:
    return folder / "cells" / cell.name


def fixed_file(folder: Path, cell: Cell) -> Path:
    """The file with the problems of a fixed setting, the same for all seeds."""
    return folder / f"{cell.trained_on}-{cell.setting}.jsonl"


def finished(plan: Plan, folder: Path, cell: Cell) -> bool:
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
