"""The paper's adaptivity experiment: the same start, trained with adaptive and static difficulty.

An experiment is a folder: plan.json, and below cells/ one training run for each environment,
setting and seed, such as cells/Sorting/adaptive/0. A cell is an ordinary run; beside its metrics
it has evaluations.jsonl, the accuracy on a fixed set of problems at the start, every so many steps
and at the end. Cells know nothing of each other. Several processes may work through the same
folder: each takes cells that are neither finished nor under way. Interrupted, a cell goes on from
its latest checkpoint.

experiment_report.py makes tables and pictures of what is there.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from rlve.contract import Problem
from rlve.errors import UserError
from rlve.files import (
    alone_in,
    append_line,
    differing,
    pretty,
    read_lines,
    read_record,
    write_lines,
    write_whole,
)
from rlve.pool import Failure, Pool, Request, usable_cores
from rlve.registry import environment
from rlve.train.config import Config

if TYPE_CHECKING:
    from rlve.models.policy import Policy
    from rlve.train.trainer import Run

T = TypeVar("T")
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
    """Sample from the likeliest tokens with this much probability. The paper has 0.95."""
    slots: int = 1024
    """Outputs sampled at once; what a GPU's memory allows."""


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
            ("test.slots", test.slots),
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

    def due(self, step: int) -> bool:
        """Whether accuracy is measured after this step."""
        return step % self.test.every == 0 or step == self.steps


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The accuracy of a policy after a step."""

    step: int
    accuracy: float
    by_level: list[float]  # at d = 0, 1, ...
    ill_formed: float
    truncated: float
    too_long: int  # problems that were not put to the policy; they count as not solved
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
    place = cell_folder(folder, cell)
    place.mkdir(parents=True, exist_ok=True)
    with alone_in(place) as alone:
        if alone and not finished(plan, folder, cell):
            _train(plan, cell, place, workers, say)


def cell_folder(folder: Path, cell: Cell) -> Path:
    return folder / "cells" / cell.name


def finished(plan: Plan, folder: Path, cell: Cell) -> bool:
    """Whether a cell was measured after its last step."""
    found = read_lines(cell_folder(folder, cell) / "evaluations.jsonl", Evaluation)
    return bool(found) and found[-1].step == plan.steps


def _train(plan: Plan, cell: Cell, place: Path, workers: int | None, say: Say) -> None:
    import torch

    from rlve.train.trainer import Run, interrupts

    config = cell_config(plan, cell, place, workers)
    with Pool(workers) as pool, interrupts() as interrupted:
        run = Run(config, place, pool)
        try:
            run.restore()
            facts = Facts(
                drawn_from=config.data.static,
                device=_device_name(run.device),
                torch=torch.__version__,
            )
            write_whole(place / "config.json", pretty(config))  # so that `rlve report` reads it
            write_whole(place / "cell.json", pretty(facts))
            path = place / "evaluations.jsonl"
            earlier = [e for e in read_lines(path, Evaluation) if e.step <= run.step]
            write_lines(path, earlier)
            measured = {evaluation.step for evaluation in earlier}
            problems = examination(plan, cell, pool)
            while True:
                if plan.due(run.step) and run.step not in measured:
                    evaluation = evaluate(run, problems, plan.test, pool)
                    append_line(path, evaluation)
                    say(_line(plan, cell, run, evaluation))
                if run.step >= plan.steps:
                    return
                if interrupted():
                    if run.checkpointed < run.step:
                        run.checkpoint()
                    raise KeyboardInterrupt
                run.train_step()
        finally:
            run.engine.close()


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
        run=replace(training.run, folder=place, seed=cell.seed, workers=workers),
    )


def _readable(training: Config, name: str, low: int, high: int) -> int:
    """The highest difficulty that is worth drawing.

    The stream draws again, and counts, what is longer than the limit. But some schedules explode:
    to generate and tokenise a list of 270,000 numbers only to drop it takes seconds. So levels far
    beyond the limit are left out, which does not change what the policy sees.
    """
    reader = _reader(training)
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


def _reader(training: Config) -> "Policy":
    """The policy without its model: enough to count the tokens of a prompt."""
    from transformers import AutoTokenizer

    from rlve.formats import prompt_format
    from rlve.models.policy import NANO, Policy

    model = training.policy.model
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(NANO) if model == "nano" else model)
    except (OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0]
        raise UserError(f"cannot load the tokenizer of {model!r}: {first}") from error
    return Policy(None, tokenizer, prompt_format(training.policy.format), ())


def examination(plan: Plan, cell: Cell, pool: Pool) -> list[list[Problem]]:
    """The problems that accuracy is measured on, by level.

    Their seeds are negative, which those of training never are.
    """
    per_level = plan.test.problems // plan.test.levels
    kind = environment(cell.environment)
    found = pool.generate(
        Request(kind, difficulty, -1 - i)
        for difficulty in range(plan.test.levels)
        for i in range(per_level)
    )
    problems: list[Problem] = []
    for index, each in enumerate(found):
        if isinstance(each, Failure):
            raise UserError(
                f"{cell.environment} gave no problem to measure accuracy on at difficulty "
                f"{index // per_level}: {each.message}"
            )
        problems.append(each)
    return [problems[i : i + per_level] for i in range(0, len(problems), per_level)]


def evaluate(
    run: "Run", problems: Sequence[Sequence[Problem]], test: TestConfig, pool: Pool
) -> Evaluation:
    """One output for each problem, judged. It leaves the run as it is, random numbers included."""
    import torch

    from rlve.models.engines.in_process import InProcessEngine
    from rlve.models.policy import computing_in
    from rlve.models.rollouts import Rollout

    begin = time.perf_counter()
    config, policy = run.config, run.policy
    engine = InProcessEngine(
        policy.model,
        stop_tokens=policy.stop_tokens,
        max_tokens=config.rollout.max_tokens,
        slots=test.slots,
        temperature=test.temperature,
        top_p=test.top_p,
        seed=0,
        computing=computing_in(config.policy, run.device),
    )
    asked: list[tuple[int, Problem, Rollout]] = []
    too_long = 0
    for level, listed in enumerate(problems):
        for problem in listed:
            prompt = policy.encode(problem)
            if len(prompt) > config.data.max_prompt_tokens:
                too_long += 1
            else:
                asked.append((level, problem, Rollout(prompt)))
    try:
        # The hardest first: their outputs are the longest, and nothing waits for them at the end.
        engine.submit([rollout for _, _, rollout in reversed(asked)])
        while engine.collect():
            pass
    except torch.OutOfMemoryError as error:
        raise UserError("out of memory while accuracy was measured; lower test.slots") from error
    finally:
        engine.close()
    rollouts = [rollout for _, _, rollout in asked]
    verdicts = pool.verify(
        [(problem, policy.decode(rollout.tokens)) for _, problem, rollout in asked],
        marker=policy.form.marker,
    )
    right = [0] * len(problems)
    for (level, _, _), verdict in zip(asked, verdicts, strict=True):
        right[level] += verdict.correct
    return Evaluation(
        step=run.step,
        accuracy=sum(right) / sum(map(len, problems)),
        by_level=[count / len(listed) for count, listed in zip(right, problems, strict=True)],
        ill_formed=sum(not verdict.well_formed for verdict in verdicts) / max(1, len(verdicts)),
        truncated=sum(r.ending == "length" for r in rollouts) / max(1, len(rollouts)),
        too_long=too_long,
        tokens=sum(len(rollout.tokens) for rollout in rollouts),
        seconds=time.perf_counter() - begin,
    )


def _line(plan: Plan, cell: Cell, run: "Run", evaluation: Evaluation) -> str:
    high = run.curriculum.bounds(cell.environment)[1]
    return (
        f"{cell.name}: step {run.step:,} of {plan.steps:,}, accuracy {evaluation.accuracy:.1%}, "
        f"h {high}, {run.seconds:,.0f} s of training"
    )


def _device_name(device: Any) -> str:
    import torch

    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)


def _portable(plan: Plan) -> Plan:
    """The plan without what the numbers do not depend on: it may go on somewhere else."""
    training = plan.training
    run = replace(training.run, folder=None, workers=None, seed=0)
    return replace(plan, training=replace(training, run=run))
