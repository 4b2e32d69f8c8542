"""Running the cells of an experiment, several at a time, and reporting their progress.

Every process takes cells that are neither finished nor under way, one after another, so several
commands may also share a folder. A cell that was interrupted resumes from its latest checkpoint
when it is run again.

The processes receive Ctrl-C from this process, not from the terminal: the first lets each finish
its step and save a checkpoint, the second stops them at once. If this process dies, they stop as
after the first.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess, parent_process
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import msgspec

from rlve.datasets.export import export
from rlve.datasets.rows import row_writer
from rlve.errors import FolderBusy, UserError
from rlve.files import alone_in, last_line, pretty, write_whole
from rlve.pool import Pool, usable_cores
from rlve.registry import environment
from rlve.studies.experiments import (
    Cell,
    Plan,
    adapts,
    cell_config,
    cell_folder,
    environments_of,
    finished,
    fixed_file,
    kind_of,
    range_of,
)
from rlve.train.config import Config
from rlve.train.history import CONFIG, METRICS, StepMetrics, ValidationRecord, read_validations
from rlve.train.watchers import Watcher

Say: TypeAlias = Callable[[str], None]

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a cell's run."""

    drawn_from: tuple[int, int] | None
    """The part of a static range that can fit the prompt limit; None for other settings."""
    device: str
    torch: str
    at_once: int = 1
    """The number of cells that its command ran at the same time; there may be other commands."""


class CellState(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a cell, according to its folder."""

    cell: Cell
    step: int
    seconds: float
    trained: tuple[float, float] | None
    """Accuracy on its training environments, at the start and at the latest measurement."""
    held_out: tuple[float, float] | None
    """The same on environments it is not trained on."""
    finished: bool


Watch: TypeAlias = Callable[[Sequence[CellState]], None]


def run_cells(
    plan: Plan,
    cells: Sequence[Cell],
    folder: Path,
    *,
    jobs: int = 1,
    workers: int | None = None,
    say: Say,
    watch: Watch = lambda states: None,
    every: float = 2.0,
    on_interrupt: Callable[[], None] = lambda: None,
) -> None:
    """Run the cells that are neither finished nor under way elsewhere, `jobs` at a time.

    They begin in the order of longest_first(). `watch` is called with their states every `every`
    seconds, `on_interrupt` on Ctrl-C.
    """
    cells = [cell for cell in cells if not finished(plan, folder, cell)]
    if not cells:
        return
    make_fixed_sets(plan, cells, folder, workers)
    # Imported once, and shared by the processes forked from here. A GPU must not be used before.
    import transformers.models.auto.modeling_auto  # noqa: F401  # pyright: ignore[reportUnusedImport]

    import rlve.train.trainer  # noqa: F401  # pyright: ignore[reportUnusedImport]

    jobs = min(jobs, len(cells))
    threads = max(1, usable_cores() // jobs)
    forking = multiprocessing.get_context("fork")
    order = longest_first(cells)
    processes: list[BaseProcess] = [
        forking.Process(
            target=_work_through, args=(plan, order, folder, workers or threads, threads, jobs, say)
        )
        for _ in range(jobs)
    ]
    with _started(processes, on_interrupt) as interrupted:
        while alive := [process.sentinel for process in processes if process.is_alive()]:
            wait(alive, timeout=every)
            watch([state_of(plan, folder, cell) for cell in cells])
        watch([state_of(plan, folder, cell) for cell in cells])  # they may have ended after that
    if interrupted():
        raise KeyboardInterrupt
    if any(process.exitcode for process in processes):
        raise UserError("some runs failed; the same command resumes them")


def longest_first(cells: Sequence[Cell]) -> list[Cell]:
    """Seed by seed, so that ways of training can be compared early, and the hardest ranges first.

    Hard problems take longest, and no long run should be left alone at the end.
    """

    def hardest(cell: Cell) -> int:
        return 0 if adapts(cell.setting) else range_of(cell.setting)[1]

    return sorted(cells, key=lambda cell: (cell.seed, -hardest(cell)))


@contextmanager
def _started(
    processes: Sequence[BaseProcess], on_interrupt: Callable[[], None]
) -> Generator[Callable[[], bool]]:
    """Start the processes, and pass Ctrl-C on to them, and SIGTERM as if it were Ctrl-C.

    If it comes while they are being started, they hear of it once all have been.
    """
    pressed = held_back = 0
    all_started = False

    def press(number: int, frame: Any) -> None:
        nonlocal pressed, held_back
        pressed += 1
        if all_started:
            pass_on()
        else:
            held_back += 1
        if pressed == 1:
            on_interrupt()

    def pass_on() -> None:
        for process in processes:
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGINT)

    if threading.current_thread() is not threading.main_thread():
        _start(processes)
        yield lambda: False
        return
    before = {number: signal.signal(number, press) for number in SIGNALS}
    try:
        _start(processes)
        all_started = True
        for _ in range(held_back):
            pass_on()
        yield lambda: pressed > 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(processes: Sequence[BaseProcess]) -> None:
    """Start the processes with signals blocked, until they have handlers of their own."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        for process in processes:
            process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work_through(
    plan: Plan, cells: Sequence[Cell], folder: Path, workers: int, threads: int, jobs: int, say: Say
) -> None:
    """The work of one process."""
    import torch

    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()  # the terminal's Ctrl-C arrives through the parent
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    torch.set_num_threads(threads)
    code = 0
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        for cell in cells:
            try:
                run_cell(plan, cell, folder, workers=workers, at_once=jobs, say=say)
            except UserError as error:
                say(f"rlve: {cell.name}: {error}")
                code = 2
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(code)


def _stop_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGINT)


def run_cell(
    plan: Plan,
    cell: Cell,
    folder: Path,
    *,
    workers: int | None = None,
    at_once: int = 1,
    say: Say,
) -> None:
    """Train and measure one cell, unless it is finished or another process is running it."""
    from rlve.train.trainer import Run

    place = cell_folder(folder, cell)
    if finished(plan, folder, cell):
        return
    place.mkdir(parents=True, exist_ok=True)
    with alone_in(place) as alone:
        if not alone:
            return
    make_fixed_sets(plan, [cell], folder, workers)
    config = cell_config(plan, cell, folder, workers)
    begun = (place / CONFIG).exists()
    try:
        with Run(config, [_Reporter(plan, cell, say)], resume=begun) as run:
            write_whole(place / "cell.json", pretty(_facts(config, run.device, at_once)))
            run.finish()
    except FolderBusy:
        return
    if not finished(plan, folder, cell):
        raise KeyboardInterrupt


def make_fixed_sets(
    plan: Plan, cells: Sequence[Cell], folder: Path, workers: int | None = None
) -> None:
    """Write the missing files of fixed settings; a UserError if there are too few problems."""
    for cell in cells:
        path = fixed_file(folder, cell)
        if kind_of(cell.setting) != "fixed" or path.exists():
            continue
        low, high = range_of(cell.setting)
        with Pool(workers) as pool, row_writer(path) as write:
            exported = export(
                [environment(name) for name in environments_of(cell.trained_on)],
                pool,
                write,
                count=plan.fixed_problems,
                difficulties=range(low, high + 1),
            )
            if exported.missing:  # raised here, so that there is no file
                raise UserError(
                    f"{cell.trained_on} has only {exported.written:,} of the "
                    f"{plan.fixed_problems:,} problems for {cell.setting}, because "
                    f"{exported.why_missing()}; begin again in another folder, with fewer "
                    "--fixed-problems, other environments or other difficulties"
                )


def state_of(plan: Plan, folder: Path, cell: Cell) -> CellState:
    """The progress of a cell."""
    place = cell_folder(folder, cell)
    last = last_line(place / METRICS, _Position)
    measured = read_validations(place)
    return CellState(
        cell=cell,
        step=0 if last is None else last.step,
        seconds=0.0 if last is None else last.seconds.get("in all", 0.0),
        trained=(_trained(measured[0]), _trained(measured[-1])) if measured else None,
        held_out=(_held_out(measured[0]), _held_out(measured[-1]))
        if measured and measured[0].held_out
        else None,
        finished=bool(measured) and measured[-1].step == plan.steps,
    )


class _Position(msgspec.Struct):
    step: int
    seconds: dict[str, float] = {}


def _trained(record: ValidationRecord) -> float:
    return record.measured[0].mean(record.trained)


def _held_out(record: ValidationRecord) -> float:
    return record.measured[0].mean(record.held_out)


class _Reporter(Watcher[StepMetrics]):
    """Prints a line for every measurement of accuracy."""

    def __init__(self, plan: Plan, cell: Cell, say: Say) -> None:
        self.plan = plan
        self.cell = cell
        self.say = say
        self.high = 0.0
        self.seconds = 0.0

    def stepped(self, metrics: StepMetrics) -> None:
        self.high = fmean(high for _, high in metrics.bounds.values())
        self.seconds = metrics.seconds["in all"]

    def validated(self, record: ValidationRecord) -> None:
        held_out = f", held out {_held_out(record):.1%}" if record.held_out else ""
        self.say(
            f"{self.cell.name}: step {record.step:,} of {self.plan.steps:,}, accuracy "
            f"{_trained(record):.1%}{held_out}, h {self.high:.1f}, {self.seconds:,.0f} s"
        )


def _facts(config: Config, device: Any, at_once: int) -> Facts:
    import torch

    name = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    return Facts(
        drawn_from=config.data.static, device=name, torch=torch.__version__, at_once=at_once
    )
