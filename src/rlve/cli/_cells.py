"""The progress of an experiment's cells: a table on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rlve.reports.pages import duration
from rlve.studies.cells import CellState
from rlve.studies.experiments import Cell, Plan
from rlve.text import quantity

if TYPE_CHECKING:
    from rich.table import Table

SECONDS_BETWEEN_LINES = 30.0
STOPPING = (
    "Stopping: every run finishes its step and saves a checkpoint. Ctrl-C again stops at once, and "
    "loses everything since the latest checkpoint."
)


def announcement(
    plan: Plan, cells: Sequence[Cell], left: Sequence[Cell], folder: Path, jobs: int
) -> str:
    """What is about to be done and how much work it is, before anything is loaded."""
    rollout = plan.training.rollout
    problems = rollout.oversample * rollout.rounds
    once = plan.test.problems + (plan.test.held_out_problems if plan.test.held_out else 0)
    times = len({*range(0, plan.steps, plan.test.every), plan.steps})
    done = len(cells) - len(left)
    names = ", ".join(cell.name for cell in left[:8])
    more = f" and {len(left) - 8} more" if len(left) > 8 else ""
    lines = [
        f"{plan.study} in {folder}: {quantity(len(cells), 'cell')} of {plan.steps:,} steps, "
        f"{done} finished, {min(jobs, max(1, len(left)))} at a time."
    ]
    if left:
        lines += [
            f"To do: {names}{more}.",
            f"Each samples up to {plan.steps * problems * rollout.group:,} outputs for training "
            f"({problems} problems x {rollout.group} per step) and {times * once:,} to measure "
            f"accuracy ({once:,}, {times} times), each of up to {rollout.max_tokens:,} tokens.",
        ]
    return "\n".join(lines)


@contextmanager
def view(plan: Plan, cells: Sequence[Cell]) -> Generator["Lines"]:
    """A table if the output goes to a terminal, otherwise lines."""
    if not sys.stderr.isatty() or not cells:
        yield Lines(plan)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False) as live:
        yield Board(plan, lambda table: live.update(table, refresh=True))


class Lines:
    """A line for every measurement, and one for all cells every half minute."""

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic) -> None:
        self.plan = plan
        self._clock = clock
        self._last = clock()
        self._first: tuple[float, int] | None = None  # the time, and the steps done by then

    def say(self, text: str) -> None:
        """A line from a cell; called in its process."""
        print(text, file=sys.stderr, flush=True)

    def watch(self, states: Sequence[CellState]) -> None:
        """The present state of all cells; called every few seconds."""
        summary = self.summary(states)
        if self._clock() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = self._clock()
            self.say(summary)

    def stopping(self) -> None:
        """Ctrl-C was pressed."""
        self.say(STOPPING)

    def summary(self, states: Sequence[CellState]) -> str:
        """For example: 640 of 2,400 steps, about 9 min 10 s to go."""
        done, total = sum(state.step for state in states), len(states) * self.plan.steps
        now = self._clock()
        if self._first is None:
            self._first = now, done
        began, before = self._first
        text = f"{done:,} of {total:,} steps"
        if done > before:
            text += f", about {duration((total - done) * (now - began) / (done - before))} to go"
        return text


class Board(Lines):
    """A table of all cells, with the time left below it."""

    def __init__(self, plan: Plan, show: "Callable[[Table], None]") -> None:
        super().__init__(plan)
        self._show = show
        self._stopping = False
        self._states: Sequence[CellState] = ()

    def say(self, text: str) -> None:
        if text.startswith("rlve: "):  # what went wrong; the rest is in the table
            super().say(text)

    def watch(self, states: Sequence[CellState]) -> None:
        self._states = states
        self._show(self.table())

    def stopping(self) -> None:
        self._stopping = True
        self._show(self.table())

    def table(self) -> "Table":
        from rich.table import Table
        from rich.text import Text

        caption = self.summary(self._states)
        if self._stopping:
            caption = f"{caption}\n{STOPPING}"
        table = Table(box=None, caption=Text(caption), caption_justify="left")
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
