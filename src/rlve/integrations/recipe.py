"""The paper's training recipe with its checks, shared by the launchers of other trainers."""

import json
import logging
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from tyro.conf import Fixed, Suppress, arg

from rlve.collections import resolve
from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.foundation.files import RECORD, read_whole
from rlve.foundation.limits import AtLeastOne, AtLeastTwo, BetweenZeroAndOne, Positive, check_limits
from rlve.gym import Signal
from rlve.models.locations import SETTINGS
from rlve.targets import find
from rlve.train.limits import CUT, cut

_log = logging.getLogger("rlve.train")

ModelName: TypeAlias = Annotated[str, arg(aliases=["-m"])]


@dataclass(frozen=True, kw_only=True)
class PaperRecipe(CurriculumSettings):
    """A training run; the defaults are the paper's for a model of 1.5 billion parameters."""

    library: ClassVar[str]  # the library that trains

    model: ModelName
    """A Hugging Face causal model: a folder or a hub name."""
    environments: Suppress[Fixed[tuple[str, ...]]] = ("C16",)  # commands have flags for them
    """Names of environments and collections (C1, C4, C16, C256, ALL). MODULE:CLASS names your own;
    all nodes must be able to import it."""
    nodes: AtLeastOne = 1
    """Number of machines; with more than one, Ray must be running on them."""
    gpus: AtLeastOne = 8
    """GPUs per machine."""
    folder: Path | None = None
    """Where to save checkpoints and resume from; all nodes must see it. By default, a new folder in
    runs/."""
    steps: AtLeastOne = 1000
    """Training steps."""
    checkpoint_every: AtLeastOne = 50
    """Steps between checkpoints."""
    format: Literal["chat", "base", "plain"] = "chat"
    """chat: the problem is the user's turn, \\boxed{} the answer; base: <think>, then <answer>."""
    signal: Signal = "reward"
    """What training uses and dynamic sampling compares: the shaped reward, 0/1 correctness, or 0/1
    form, a control."""
    seed: Annotated[int, arg(aliases=["-s"])] = 0
    """The seed of the problems."""
    problems: AtLeastOne = 128
    """Problems (groups) in the batch of a step."""
    oversample: AtLeastOne = 384
    """Problems to sample at once: more than a batch, as groups without signal are dropped."""
    rounds: AtLeastOne = 8
    """A step draws at most this many times `oversample` problems, even if its batch is not full of
    groups with signal."""
    group: AtLeastTwo = 16
    """Rollouts per problem."""
    max_prompt_tokens: AtLeastOne = 4096
    """Problems with longer prompts are replaced."""
    max_tokens: AtLeastOne = 24_576
    """The response limit; the paper uses 8,192 for Qwen2.5-7B-Base."""
    temperature: Positive = 1.0
    """The sampling temperature."""
    partial: bool = True
    """Whether rollouts that are unfinished when the batch is full go on in the next step."""
    learning_rate: Positive = 2e-6
    """Constant. The paper uses 2e-6 for 1.5B models and 1e-6 for Qwen2.5-7B-Base."""
    aggregation: Literal["token", "sample"] = "token"
    """token: all tokens of the batch count equally (DAPO); sample: all outputs do."""
    tensor_parallel: AtLeastOne = 1
    """GPUs that share one copy of the model."""
    memory: BetweenZeroAndOne = 0.5
    """The share of a GPU's memory for the sampling engine."""
    tokens_per_gpu: AtLeastOne | None = None
    """Tokens per forward and backward pass; by default the longest prompt plus output."""
    workers: AtLeastOne = 8
    """Processes that generate problems and judge outputs, on the node that drives the training."""

    def check(self) -> None:
        """Raise a UserError for settings that cannot work, before any long work starts."""
        check_limits("--", self)
        if not self.environments:
            raise UserError("no environments were given")
        names = resolve(self.environments)
        for name in names:
            if ":" in name:  # the user's own
                find(name)
        self.build(names, group=self.group)
        if self.oversample < self.problems:
            raise UserError(
                f"--oversample ({self.oversample}) must be at least --problems ({self.problems})"
            )
        self.divide("tensor_parallel")

    @cached_property
    def place(self) -> Path:
        """The folder of the run."""
        new = f"{self.library}-{Path(self.model).name}-{datetime.now():%Y%m%d-%H%M%S}"
        return (self.folder or Path("runs", new)).resolve()

    def architecture(self) -> dict[str, Any]:
        """What the model's folder says about it; nothing, if it is not a folder here."""
        file = Path(self.model) / SETTINGS
        if not file.is_file():
            return {}
        try:
            return json.loads(read_whole(file, RECORD))
        except (ValueError, RecursionError) as error:
            raise UserError(f"{file} is damaged: {error}") from None

    def fitted(self) -> Self:
        """The same recipe with limits that fit into the model's context, if it is a folder here."""
        settings = self.architecture()
        context = settings.get("text_config", settings).get("max_position_embeddings")
        limits = self.max_prompt_tokens, self.max_tokens
        if context is None or sum(limits) <= context:
            return self
        prompt, output = cut(*limits, context=context)
        _log.warning(CUT, *(self.model, *(f"{n:,}" for n in (context, prompt, output, *limits))))
        return replace(self, max_prompt_tokens=prompt, max_tokens=output)

    def options(self) -> dict[str, Any]:
        return super().options() | {"curriculum": absolute(self.curriculum)}

    def divide(self, name: str) -> None:
        """Raise a UserError unless the GPUs divide into groups of that size."""
        gpus, size = self.nodes * self.gpus, getattr(self, name)
        if gpus % size:
            raise UserError(
                f"{self.nodes} x {self.gpus} = {gpus} GPUs do not divide into groups of "
                f"{flag(name)} {size}"
            )

    def divide_batch(self, parts: int, what: str) -> None:
        """Raise a UserError unless the outputs of a batch divide into that many equal parts."""
        outputs = self.problems * self.group
        if outputs % parts:
            raise UserError(
                f"a batch of {self.problems} problems x {self.group} rollouts = {outputs} outputs "
                f"does not divide into equal parts for {what}"
            )


def absolute(target: str) -> str:
    """The target with an absolute path to the user's own file, so that every process finds it."""
    where, colon, name = target.rpartition(":")
    return f"{Path(where).resolve()}:{name}" if colon and where.endswith(".py") else target


def flag(name: str) -> str:
    """The flag of a field."""
    return "--" + name.replace("_", "-")
