"""The progress of a run: a live view on a terminal, or a line every few seconds elsewhere."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

from rlve.foundation.metrics import TEACHING, Metric, read_metrics, step_table, write_mean
from rlve.reports.concerns import alarms
from rlve.reports.terminal import echo, escape
from rlve.train.config import Config
from rlve.train.history import (
    PHASES,
    StepMetrics,
    TimedStep,
    ValidationRecord,
    phases,
    read_steps,
    read_validations,
    step_seconds,
)
from rlve.train.teaching.config import AnyConfig
from rlve.train.teaching.history import PHASES as TEACHING_PHASES
from rlve.train.teaching.history import TeachingMetrics, read_teaching_steps
from rlve.train.watchers import Watcher

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from rlve.train.runs import BaseRun
    from rlve.train.validation import ValidationPlan  # which imports torch

RECENT = 10  # numbers are averaged over this many steps
LISTED_AT_MOST = 12  # environments; if there are more, h is summed up
SECONDS_BETWEEN_LINES = 5.0
BAR = 24

WARNING = "Worth a look"
STOPPING = (
    "Stopping after this step, or at the next output of a measurement. Ctrl-C again stops at once, "
    "and loses everything since the latest checkpoint."
)


class RunProgress(Watcher[Any]):
    """The progress of any run, as both views show it."""

    COMMAND: ClassVar[str]
    PHASES: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        config: AnyConfig,
        before: Sequence[Any] = (),
        validations: Sequence[ValidationRecord] = (),
        clock: Callable[[], float] = time.time,
        plan: "ValidationPlan | None" = None,
        measuring: float | None = None,
    ) -> None:
        self.steps = list(before)
        self.validations = list(validations)
        self.plan = plan
        self.alarms: dict[str, str] = {}  # signs that the run is not learning, by kind
        self.config = config
        self.model = config.policy.model
        self.total = config.run.steps
        self.clock = clock
        self.groups: tuple[int, int] | None = None  # kept and finished in this step
        self.outputs: tuple[int, int] | None = None  # of a measurement: done, and their number
        self._measuring = measuring  # the seconds of a measurement, at most, if they are known
        self._measured_from = 0.0  # when the present measurement began
        self.is_stopping = False
        self._began = clock()
        self._done_before = len(self.steps)

    # What it hears of a run:

    def stopping(self) -> None:
        self.is_stopping = True

    def collecting(self, step: int, kept: int, finished: int) -> None:
        self.groups = kept, finished

    def validating(self, step: int, done: int, total: int) -> None:
        if not done:
            self._measured_from = self.clock()
        self.outputs = done, total

    def validated(self, record: ValidationRecord) -> None:
        self.validations.append(record)
        self.outputs = None
        self.look()

    def stepped(self, metrics: Any) -> None:
        self.steps.append(metrics)
        self.groups = None
        self.look()

    # Each kind of run has its own:

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What its steps record."""
        return TEACHING

    def look(self) -> None:
        """Look for signs that the run is not learning."""

    def levels(self) -> str:
        """The difficulty of the problems, in one line."""
        return ""

    def curriculum(self) -> str:
        """The curriculum, in a few words."""
        return ""

    @property
    def doing(self) -> str:
        """What the run is doing right now."""
        if self.outputs is None:
            return ""
        done, total = self.outputs
        spent, left = self.clock() - self._measured_from, ""
        if done:
            left = f", {clock_time(spent * (total - done) / done)} left"
        elif self._measuring is not None:
            left = f", up to {clock_time(self._measuring - spent)} left"
        return f"measuring accuracy, {done:,} of {total:,} outputs{left}"

    # All runs share:

    def numbers(self) -> dict[str, str]:
        """The means over the latest steps, formatted."""
        recent = self.steps[-RECENT:]
        seconds = sum(step_seconds(self.steps)[-RECENT:])
        tokens = sum(step.tokens for step in recent)
        shown = {
            row.live: write_mean(read_metrics(self.metrics, name, recent), row.format)
            for name, row in self.metrics.items()
            if row.live
        }
        return shown | {"tokens/s": f"{tokens / seconds:,.0f}" if seconds else "-"}

    @property
    def averaged(self) -> str:
        """Over what the numbers are means; nothing if they are those of the step itself."""
        recent = len(self.steps[-RECENT:])
        return f"means of {recent} steps" if recent > 1 else ""

    def validation(self) -> str:
        """Accuracy on the test problems at the start and now, in one line; "" if not measured."""
        if not self.validations:
            return ""
        first, last = self.validations[0], self.validations[-1]
        parts: list[str] = []
        for begin, now in zip(first.measured, last.measured, strict=True):
            change = f"{begin.mean(first.trained):.1%}"
            if last.step > first.step:
                change += f" -> {now.mean(last.trained):.1%}"
            parts.append(f"T {now.temperature:g}: {change}")
        return f"test problems (step {last.step:,})  {'   '.join(parts)}"

    @property
    def done(self) -> int:
        return self.steps[-1].step if self.steps else 0

    @property
    def elapsed(self) -> float:
        """Seconds that this run has taken, including earlier sessions."""
        earlier = self.steps[self._done_before - 1].seconds["in all"] if self._done_before else 0.0
        return earlier + self.clock() - self._began

    @property
    def left(self) -> float | None:
        """Seconds until the end."""
        measured = [] if self.plan is None else self.validations
        return time_left(self.steps, measured, self.total, self.plan and self.plan.every)

    def seconds_by_phase(self) -> dict[str, float]:
        """Seconds per phase, averaged over the latest steps; negligible phases are left out."""
        spent = phases(self.steps, self.PHASES)
        means = {phase: fmean(v[-RECENT:]) for phase, v in spent.items() if v}
        return {phase: mean for phase, mean in means.items() if mean > 0.005 * sum(means.values())}


def time_left(
    steps: Sequence[TimedStep],
    measured: Sequence[ValidationRecord],
    total: int,
    every: int | None,
) -> float | None:
    """Seconds until the last of all steps, judging by the latest steps and by all measurements.

    If anything was measured, it is measured again after every so many steps, and after the last.
    """
    spent = step_seconds(steps)[-2 * RECENT :]
    if not spent:
        return None
    measuring = sum(step.seconds.get("validation", 0.0) for step in steps[-2 * RECENT :])
    to_come = range(steps[-1].step + 1, total + 1)
    left = (sum(spent) - measuring) / len(spent) * len(to_come)
    due = sum(step == total or step % (every or total) == 0 for step in to_come)
    return left + due * (fmean(record.seconds for record in measured) if measured else 0.0)


class TrainingProgress(RunProgress):
    """The progress of a training run."""

    COMMAND = "rlve train"
    PHASES = PHASES

    config: Config
    steps: list[StepMetrics]

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return step_table()

    def look(self) -> None:
        self.alarms = alarms(self.steps, self.validations)

    @property
    def doing(self) -> str:
        if self.outputs is not None or self.groups is None:
            return super().doing
        kept, finished = self.groups
        wanted = self.config.rollout.problems
        return f"groups {min(kept, wanted)}/{wanted} kept of {finished}"

    @property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """The range of each environment; the questions of a dataset have no levels."""
        on_dataset = self.config.data.dataset is not None
        return {} if on_dataset or not self.steps else self.steps[-1].bounds

    def levels(self) -> str:
        highs = {name: high for name, (_, high) in self.bounds.items()}
        if not highs:
            return ""
        if len(highs) <= LISTED_AT_MOST:
            return "h: " + ", ".join(f"{name} {high}" for name, high in highs.items())
        return (
            f"h: mean {fmean(highs.values()):.2f}, {min(highs.values())} to "
            f"{max(highs.values())} in {len(highs)} environments"
        )

    def curriculum(self) -> str:
        """The curriculum, unless it is the paper's alone."""
        label = self.config.data.label()
        return label if self.bounds and label != "adaptive" else ""


class TeachingProgress(RunProgress):
    """The progress of a run of teaching."""

    COMMAND = "rlve teach"
    PHASES = TEACHING_PHASES

    steps: list[TeachingMetrics]

    def numbers(self) -> dict[str, str]:
        """Those of all runs, and the share of the problems so far that could not be taught."""
        left_out = self.steps[-1].left_out.values() if self.steps else ()
        omitted = sum(sum(reasons.values()) for reasons in left_out)
        share = omitted / (omitted + sum(step.examples for step in self.steps) or 1)
        return super().numbers() | {"left out": f"{share:.1%}"}


class Lines(Watcher[Any]):
    """Prints a line every few seconds, and after the first and the last step."""

    def __init__(self, progress: RunProgress, write: Callable[[str], None]) -> None:
        self.progress = progress
        self.write = write
        self._last: float | None = None
        self._told: set[str] = set()  # the kinds of signs that have been written
        self._measured = progress.clock()  # when it was last written how far a measurement is

    def stopping(self) -> None:
        self.write(STOPPING)

    def validating(self, step: int, done: int, total: int) -> None:
        self.progress.validating(step, done, total)
        now = self.progress.clock()
        if not done or now - self._measured >= SECONDS_BETWEEN_LINES:
            self._measured = now
            self.write(self.progress.doing)

    def validated(self, record: ValidationRecord) -> None:
        self.progress.validated(record)
        self.write(f"{self.progress.validation()}  ({record.seconds:.0f} s)")
        self._warn()

    def stepped(self, metrics: Any) -> None:
        progress = self.progress
        progress.stepped(metrics)
        now = progress.clock()
        last_step = progress.done == progress.total
        if self._last is None or last_step or now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            self.write(line(progress))
        self._measured = now
        self._warn()

    def _warn(self) -> None:
        """Write signs that the run is not learning: each once, and again if it comes back."""
        for kind, text in self.progress.alarms.items():
            if kind not in self._told:
                self.write(f"{WARNING}: {text}")
        self._told = set(self.progress.alarms)


def render(progress: RunProgress, folder: Path) -> "RenderableType":
    """The view of a run as it is now, for a terminal."""
    from rich.console import Group
    from rich.text import Text

    title = Text.assemble(
        (progress.COMMAND, "bold"),
        f"  {escape(progress.model)}  ",
        (escape(str(folder)), "dim"),
    )
    parts: list[RenderableType] = [title, _bar(progress)]
    if progress.validations:
        parts += ["", Text(progress.validation())]
    if progress.steps:
        if progress.averaged:
            parts += ["", Text(progress.averaged, style="dim")]
        parts += ["", _side_by_side(progress.numbers()), "", _phases(progress)]
        if levels := progress.levels():
            parts += ["", Text(escape(levels))]
        if curriculum := progress.curriculum():
            parts.append(Text.assemble(("curriculum  ", "dim"), curriculum))
    else:
        parts.append(Text("The first numbers appear after the first step.", style="dim"))
    for text in progress.alarms.values():
        parts += ["", Text(f"{WARNING}: {text}", style="bold yellow")]
    if progress.is_stopping:
        parts += ["", Text(STOPPING, style="bold yellow")]
    return Group(*parts)


def _bar(progress: RunProgress) -> "Table":
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    left = "-" if progress.left is None else clock_time(progress.left)
    grid = Table.grid(padding=(0, 2))
    grid.add_row(
        f"step {progress.done:,}/{progress.total:,}",
        ProgressBar(total=progress.total, completed=progress.done, width=BAR),
        f"elapsed {clock_time(progress.elapsed)}",
        f"ETA {left}",
        f"[dim]{progress.doing}[/dim]",
    )
    return grid


@contextmanager
def view(
    progress: RunProgress, folder: Path, console: "Console | None" = None
) -> Generator[Watcher[Any]]:
    """A live view if the console (by default stdout) is a terminal, otherwise lines."""
    from rich.console import Console
    from rich.live import Live

    console = console or Console()
    if not console.is_terminal:
        yield Lines(progress, partial(echo, file=console.file))
        return
    with Live(
        console=console, get_renderable=partial(render, progress, folder), refresh_per_second=4
    ):
        yield progress


def show(run: "BaseRun[Any, Any]") -> AbstractContextManager[Watcher[Any]]:
    """The view of a run that has begun; a resumed run has loaded its checkpoint."""
    config, folder, measured = run.config, run.folder, read_validations(run.folder)
    plan = run.validation and run.validation.plan
    expected: dict[str, Any] = {"plan": plan, "measuring": run.cost and run.cost.measuring}
    if isinstance(config, Config):
        return view(TrainingProgress(config, read_steps(folder), measured, **expected), folder)
    steps = read_teaching_steps(folder)
    return view(TeachingProgress(config, steps, measured, **expected), folder)


def line(progress: RunProgress) -> str:
    """The progress of a run, in one line."""
    width = len(f"{progress.total:,}")
    numbers = "  ".join(f"{name} {value}" for name, value in progress.numbers().items())
    spent = "  ".join(
        f"{name} {value:.2f} s" for name, value in progress.seconds_by_phase().items()
    )
    left = "-" if progress.left is None else clock_time(progress.left)
    averaged = f"({progress.averaged})  " if progress.averaged else ""
    return (
        f"step {progress.done:{width},}/{progress.total:,}  {numbers}  {spent}  {averaged}"
        f"ETA {left}  {progress.levels()}  {progress.curriculum()}".rstrip()
    )


def clock_time(seconds: float) -> str:
    """For example 4:07, or 13:04:07."""
    rounded = max(0, round(seconds))
    hours, minutes = divmod(rounded // 60, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rounded % 60:02}"
    return f"{minutes}:{rounded % 60:02}"


def _side_by_side(numbers: dict[str, str]) -> "Table":
    from rich.table import Table

    grid = Table.grid(padding=(0, 4))
    grid.add_row(*(f"[dim]{name}[/dim]" for name in numbers))
    grid.add_row(*(f"[bold]{value}[/bold]" for value in numbers.values()))
    return grid


def _phases(progress: RunProgress) -> "RenderableType":
    from rich.text import Text

    spent = progress.seconds_by_phase()
    total = sum(spent.values())
    parts = [f"{name} {value:.2f} s ({value / total:.0%})" for name, value in spent.items()]
    return Text.assemble(("time per step  ", "dim"), "   ".join(parts))
