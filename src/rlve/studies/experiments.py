"""What an experiment is: one model, trained in several ways, measured alike, and compared.

It is a folder: plan.json, and in cells/ a training run for each collection or environment, each
setting (settings.py) and each seed, such as cells/C16/adaptive/0. A cell is an ordinary run. Its
validation measures accuracy on fixed problems, both of the environments it is trained on and of
environments that no cell is trained on: at the start, at regular intervals and at the end.

index.py has a Study for each experiment of the paper. folder.py claims the folder, cells.py runs a
cell, jobs.py runs several at a time, records.py gathers their records, and comparison.py compares
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rlve.collections import HELD_OUT, resolve
from rlve.errors import UserError
from rlve.limits import AtLeastOne, NotNegative, UpToOne, check_limits
from rlve.studies.settings import ADAPTIVE, check_range, kind_of
from rlve.train.config import Config


@dataclass(frozen=True)
class TestConfig:
    """How accuracy is measured."""

    __test__ = False  # not a test for pytest

    problems: AtLeastOne = 1280
    """Problems of the training environments, the same ones every time, evenly spread over
    environments and levels."""
    levels: AtLeastOne = 5
    """The number of difficulties at which to measure them, from 0."""
    environments: AtLeastOne = 32
    """The most training environments to measure."""
    held_out: int = len(HELD_OUT)
    """The number of environments to measure that no run is trained on (HELD_OUT has 50)."""
    held_out_problems: int = 4000
    """Problems of the held-out environments, in total."""
    held_out_levels: AtLeastOne = 5
    """The number of difficulties at which to measure those, from 0."""
    every: AtLeastOne = 100
    """Steps between measurements; accuracy is also measured at the start and at the end."""
    temperature: NotNegative = 0.6
    """The sampling temperature; 0 takes the most likely token. The paper uses 0.6."""
    top_p: UpToOne = 0.95
    """Sample from the most likely tokens whose probabilities add up to this; at the training
    temperature, from all. The paper uses 0.95."""

    def check(self) -> None:
        """Raise a UserError for settings that cannot work."""
        check_limits("test.", self)
        if not 0 <= self.held_out <= len(HELD_OUT):
            raise UserError(
                f"test.held-out must be from 0 to {len(HELD_OUT)}, the size of HELD_OUT, "
                f"not {self.held_out}"
            )


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
                check_range(setting, names)
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


def choose_cells(cells: Sequence[Cell], only: Sequence[str]) -> list[Cell]:
    """The cells with these names, or whose names start like this: Sorting/adaptive."""
    selected: list[Cell] = []
    for word in only:
        matching = [cell for cell in cells if f"{cell.name}/".startswith(f"{word.rstrip('/')}/")]
        if not matching:
            raise UserError(f"no cell is named {word}; an example of a name is {cells[0].name}")
        selected += matching
    return [cell for cell in cells if cell in selected] if only else list(cells)
