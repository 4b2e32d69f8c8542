"""Watching the cells of an experiment: a table on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rlve.reports.pages import count, duration
from rlve.studies.experiments import Cell, Plan
from rlve.studies.running import CellState

if TYPE_CHECKING:
    from rich.table import Table

SECONDS_BETWEEN_LINES = 30.0
STOPPING = (
    "Stopping: every run finishes its step and saves where it stands. Ctrl-C again stops at once, "
    "and loses what came after the latest checkpoint."
)


def announcement(
    plan: Plan, cells: Sequence[Cell], left: Sequence[Cell], folder: Path, jobs: int
) -> str:
    """What will be done, and what it takes, before anything is loaded."""
    rollout = plan.training.rollout
    problems = rollout.oversample * rollout.rounds
    once = plan.test.problems + (plan.test.held_out_problems if plan.test.held_out else 0)
    times = len({*range(0, plan.steps, plan.test.every), plan.steps})
    done = len(cells) - len(left)
    names = ", ".join(cell.name for cell in left[:8])
    more = f" and {len(left) - 8} more" if len(left) > 8 else ""
    lines = [
        f"{plan.study} in {folder}: {count(len(cells), 'cell')} of {plan.steps:,} steps, "
        f"{done} finished, {min(jobs, max(1, len(left)))} at once."
    ]
    if left:
        lines += [
            f"To do: {names}{more}.",
            f"Each samples up to {plan.steps * problems * rollout.group:,} outputs for training "
            f"({problems} problems x {rollout.group} a step) and {times * once:,} to measure "
            f"accuracy ({once:,}, {times} times), of up to {rollout.max_tokens:,} tokens.",
        ]
    return "\n".join(lines)


class View(Protocol):
    """What shows how the cells come on."""

    def say(self, text: str) -> None:
        """A line from a cell; called in its process."""
        ...

    def watch(self, states: Sequence[CellState]) -> None:
        """Where they stand; called every few seconds."""
        ...

    def stopping(self) -> None:
        """Ctrl-C was pressed."""
        ...


@contextmanager
def view(plan: Plan, cells: Sequence[Cell]) -> Generator[View]:
    """The view that suits where the output goes."""
    if not sys.stderr.isatty() or not cells:
        yield Lines(plan)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False) as live:
        yield Board(plan, lambda table: live.update(table, refresh=True))


class Pace:
    """How many steps are done, and how long the rest will take."""

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic) -> None:
        self.plan = plan
        self._clock = clock
        self._first: tuple[float, int] | None = None  # when, and the steps done then

    def told(self, states: Sequence[CellState]) -> str:
        """Such as: 640 of 2,400 steps, about 9 min 10 s to go."""
        done, total = sum(state.step for state in states), len(states) * self.plan.steps
        now = self._clock()
        if self._first is None:
            self._first = now, done
        began, before = self._first
        text = f"{done:,} of {total:,} steps"
        if done > before:
            text += f", about {duration((total - done) * (now - began) / (done - before))} to go"
        return text


class Lines:
    """A line for every measurement, and one for all cells every half a minute."""

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace = Pace(plan, clock)
        self._clock = clock
        self._last = clock()

    def say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def watch(self, states: Sequence[CellState]) -> None:
        told = self._pace.told(states)
        if self._clock() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = self._clock()
            self.say(told)

    def stopping(self) -> None:
        self.say(STOPPING)


class Board:
    """A table of all cells, and the time that is left below it."""

    def __init__(self, plan: Plan, show: "Callable[[Table], None]") -> None:
        self.plan = plan
        self._show = show
        self._pace = Pace(plan)
        self._stopping = False
        self._states: Sequence[CellState] = ()

    def say(self, text: str) -> None:
        if text.startswith("rlve: "):  # what went wrong; the rest is in the table
            print(text, file=sys.stderr, flush=True)

    def watch(self, states: Sequence[CellState]) -> None:
        self._states = states
        self._show(self.table())

    def stopping(self) -> None:
        self._stopping = True
        self._show(self.table())

    def table(self) -> "Table":
        from rich.table import Table
        from rich.text import Text

        below = self._pace.told(self._states)
        if self._stopping:
            below = f"{below}\n{STOPPING}"
        table = Table(box=None, caption=Text(below), caption_justify="left")
        for heading in ("cell", "step", "trained", "held out", "time"):
            table.add_column(heading, justify="left" if heading == "cell" else "right")
        for state in self._states:
            table.add_row(
                Text(state.cell.name),
                f"{state.step:,} of {self.plan.steps:,}",
                _from_to(state.trained),
                _from_to(state.held_out),
                duration(state.seconds),
            )
        return table


def _from_to(accuracy: tuple[float, float] | None) -> str:
    if accuracy is None:
        return ""
    start, now = accuracy
    return f"{100 * start:.1f} -> {now:.1%}"
