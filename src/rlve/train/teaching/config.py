"""All the settings of teaching from references; `rlve teach --help` lists them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

from rlve.answers import Reading
from rlve.collections import is_collection, resolve
from rlve.errors import UserError
from rlve.foundation.limits import AtLeastOne, AtLeastZero, BetweenZeroAndOne, Positive
from rlve.foundation.tables import one_of
from rlve.models.config import PolicyConfig
from rlve.models.engines.table import ENGINES
from rlve.train.config import (
    Config,
    OptimiserConfig,
    RunConfig,
    ValidationConfig,
    check_distinct,
    check_sections,
    read_run,
)

Worked: TypeAlias = Literal["off", "where-possible", "only"]
"""Teach answers; worked solutions where there are any, and answers elsewhere; or nothing else."""


@dataclass(frozen=True)
class LessonConfig:
    """What to teach."""

    environments: tuple[str, ...] = ("ALL",)
    """Names of environments and of collections: C1, C4, C16, C256, HELD_OUT, ALL."""
    without: tuple[str, ...] = ("HELD_OUT",)
    """Environments and collections to leave out. An environment that `environments` names itself is
    taught even if a collection here has it, and so is HELD_OUT if it is named there."""
    file: Path | None = None
    """A JSONL or Parquet file of examples to teach instead of references, such as `rlve rollouts
    -o` writes of a model's own correct outputs: rows with `messages`, or with `prompt` and
    `completion`. Every epoch takes all of them in a new order. The environments and levels above
    and below then only say on what accuracy is measured."""
    worked: Worked = "off"
    """Whether to teach worked solutions, the way to the answer line by line: off teaches answers
    alone, where-possible teaches answers only where there is no worked solution, and only leaves
    out what has none. They are longer than answers: raise `max_answer_tokens`."""
    levels: tuple[AtLeastZero, ...] = (0, 1, 2, 3)
    """The difficulties of the problems, up to the highest that an environment has."""
    examples: AtLeastOne = 128
    """Problems, with their references, per step."""
    max_prompt_tokens: AtLeastOne = 1024
    """A problem with a longer prompt is left out, and counted."""
    max_answer_tokens: AtLeastOne = 256
    """A problem with a longer answer is left out, and counted. This is also the response limit
    when accuracy is measured."""
    deadline: Positive = 10.0
    """Seconds allowed for a problem and its reference; one that takes longer is left out, and
    counted."""

    @property
    def code(self) -> list[str]:
        """Everything named here as MODULE:NAME or FILE.py:NAME."""
        return [name for name in (*self.environments, *self.without) if ":" in name]

    def names(self) -> list[str]:
        """The environments to teach."""
        # Whoever names HELD_OUT, or an environment in it, means it.
        meant = [n for n in self.environments if is_collection(n) == (n in self.without)]
        excluded = {*resolve(self.without)} - {*resolve(meant)}
        names = [name for name in resolve(self.environments) if name not in excluded]
        if not names:
            raise UserError(
                "data.without leaves out everything in data.environments; --data.without with no "
                "names leaves out nothing"
            )
        return names


@dataclass(frozen=True)
class TeachingUpdateConfig(OptimiserConfig):
    """How a batch changes the weights."""

    learning_rate: Positive | None = None
    """The peak learning rate, by default one for the size of the model: 2e-4 up to 0.3 billion
    parameters, 5e-5 up to 1, 2e-5 up to 3, and 1e-5 above; ten times that for adapters."""
    schedule: Literal["constant", "linear", "cosine"] = "cosine"
    """The learning rate after the warm-up: constant, or falling to almost zero."""
    schedule_steps: AtLeastOne | None = None
    """The step at which the learning rate has fallen to almost zero, where it stays; by default the
    last. A model that is stopped earlier has more left to learn from rewards."""
    warmup_steps: AtLeastZero = 20
    """Steps over which the learning rate rises to its peak."""
    micro_batch_tokens: AtLeastOne | None = None
    """Tokens in one forward and backward pass, padding included; by default 32,768, and on a GPU as
    many as its memory allows, measured on the first steps."""

    RATES: ClassVar[Sequence[tuple[float, float]]] = (
        (0.3e9, 2e-4),
        (1e9, 5e-5),
        (3e9, 2e-5),
        (inf, 1e-5),
    )
    ADAPTERS: ClassVar[float] = 10


@dataclass(frozen=True)
class TeachingValidationConfig(ValidationConfig):
    """How learning is measured: accuracy on a fixed set of test problems."""

    engine: str = one_of(ENGINES, "auto")
    """The engine that samples."""
    slots: AtLeastOne | None = None
    """Outputs that the engine samples at the same time; by default 64 on a CPU, and on a GPU 1,024
    if the response limit is at most that, and 512 if it is higher."""
    memory: BetweenZeroAndOne | None = None
    """The share of the GPU's memory that the engine takes. By default 0.3 for vLLM; the paged
    engine takes at most half of what the update leaves."""


@dataclass(frozen=True)
class TeachingConfig:
    """All the settings of a run of teaching."""

    PREFIX: ClassVar[str] = "taught-"  # of the name of a new folder

    policy: PolicyConfig = field(default_factory=PolicyConfig)
    data: LessonConfig = field(default_factory=LessonConfig)
    update: TeachingUpdateConfig = field(default_factory=TeachingUpdateConfig)
    validation: TeachingValidationConfig = field(default_factory=TeachingValidationConfig)
    run: RunConfig = field(default_factory=lambda: RunConfig(steps=400))

    def check(self) -> None:
        """Raise a UserError for settings that cannot work, before any long work starts."""
        check_sections(self)
        check_distinct("data.levels", self.data.levels)
        if self.data.file is not None and self.data.worked != "off":
            raise UserError("data.file says what is taught; leave out data.worked")
        end, warmup = self.update.schedule_steps, self.update.warmup_steps
        if end is not None and end <= warmup:
            raise UserError(
                f"update.schedule-steps ({end}) must be above update.warmup-steps ({warmup})"
            )

    @property
    def limits(self) -> tuple[int, int]:
        """The most tokens of a prompt, and of an output."""
        return self.data.max_prompt_tokens, self.data.max_answer_tokens

    def with_limits(self, prompt: int, output: int) -> Self:
        """The same settings with these limits."""
        data = replace(self.data, max_prompt_tokens=prompt, max_answer_tokens=output)
        return replace(self, data=data)

    @property
    def schedule_end(self) -> int:
        """The step after which the learning rate no longer changes."""
        return self.update.schedule_steps or self.run.steps

    @property
    def engine(self) -> str:
        """The engine that samples when accuracy is measured."""
        return self.validation.engine

    @property
    def engine_options(self) -> dict[str, Any]:
        """The options of that engine; one that is never used costs nothing."""
        return {
            "name": self.engine if self.validation.every != 0 else "in-process",
            "max_tokens": self.data.max_answer_tokens,
            "slots": self.validation.slots,
            "memory": self.validation.memory,
        }

    @property
    def outputs_per_step(self) -> int:
        """The number of outputs in a step; measuring may cost a share of it."""
        return self.data.examples

    @property
    def temperature(self) -> float:
        """The temperature at which teaching raises the likelihood of the references."""
        return 1.0

    @property
    def reading(self) -> Reading:
        """How answers are read when accuracy is measured: the form is taught, too."""
        return "exact"


def teaching_config(model: str | None = None) -> TeachingConfig:
    """The default settings for a model.

    nano has its own: it is small, has a format of its own, and knows three environments.
    """
    if model not in (None, "nano"):
        return TeachingConfig(policy=PolicyConfig(model=model))
    made_with = json.loads((files("rlve.models") / "nano" / "made_with.json").read_text())
    return TeachingConfig(
        policy=PolicyConfig(model="nano", format="plain", device="cpu"),
        data=LessonConfig(
            environments=tuple(made_with["environments"]),
            levels=tuple(range(made_with["highest"] + 1)),
            examples=64,
            max_prompt_tokens=512,
            max_answer_tokens=192,
        ),
        validation=TeachingValidationConfig(levels=tuple(range(8)), problems=8, slots=1024),
        run=RunConfig(steps=100),
    )


def read_teaching_config(folder: Path) -> TeachingConfig:
    """The settings of the run of teaching in a folder."""
    return read_run(folder, "teach", TeachingConfig)


AnyConfig: TypeAlias = Config | TeachingConfig
"""The settings of any run."""
