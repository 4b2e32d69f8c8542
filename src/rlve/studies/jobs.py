"""The cells of an experiment, several at a time.

Every process takes cells that are neither finished nor under way, one after another, so several
commands may also share a folder.

The processes receive Ctrl-C from this process, not from the terminal: the first lets each finish
its step and save a checkpoint, the second stops them at once. If this process dies, they stop as
after the first.
"""

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
from typing import Any, TypeAlias

from rlve.errors import UserError
from rlve.pool import usable_cores
from rlve.studies.cells import CellState, Say, make_fixed_sets, run_cell, state_of
from rlve.studies.experiments import Cell, Plan
from rlve.studies.folder import is_finished
from rlve.studies.settings import adapts, range_of

Watch: TypeAlias = Callable[[Sequence[CellState]], None]

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
    cells = [cell for cell in cells if not is_finished(plan, folder, cell)]
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
    with _start_all(processes, on_interrupt) as interrupted:
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
def _start_all(
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
