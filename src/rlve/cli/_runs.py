"""What commands that carry out a run share: its loop, its report, and how to resume it."""

import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlve import reports
from rlve.cli import INTERRUPTED
from rlve.cli._next_steps import typed
from rlve.cli._reports import write_report
from rlve.errors import UserError
from rlve.foundation.run_folders import CONFIG
from rlve.registry import environments
from rlve.reports.terminal import echo, print_text
from rlve.targets import load_code
from rlve.train.config_files import SettingsFile

if TYPE_CHECKING:
    from rlve.train.runs import BaseRun


def carry_out(command: str, run: "BaseRun[Any, Any]", *, code: Iterable[str] = ()) -> int:
    """Start or resume a run, show its progress, and return the exit code.

    `code` names the user's own code in its settings, which is needed to resume it.
    """
    from rlve.reports.live import show
    from rlve.train.history import read_validations
    from rlve.train.runs import watch

    def progress() -> tuple[int, int]:
        """The steps taken, and the measurements made."""
        return run.step, len(read_validations(run.folder))

    begun = done = 0, 0
    try:
        with run:
            begun = progress()
            if begun[0]:
                echo(f"Resuming after step {begun[0]:,} of {run.config.run.steps:,}")
            try:
                with watch(run, show=show):
                    run.finish()
            except BaseException:  # the report shows what led to it; if it cannot, nothing is said
                with contextlib.suppress(OSError, UserError):
                    if progress() > begun:
                        _report(run.folder)
                raise
            if (done := progress()) > begun:
                try:
                    _report(run.folder)
                except OSError as error:
                    echo(f"rlve: could not write the report: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt:
        _tell_stopped(command, run.folder, "at once", code)
        return INTERRUPTED
    steps = run.config.run.steps
    if done[0] < steps:
        _tell_stopped(command, run.folder, f"after step {done[0]:,} of {steps:,}", code)
        return INTERRUPTED
    if done == begun:
        echo(f"All {steps:,} steps are done; for more, raise --run.steps.")
    return 0


def load_named_in(found: SettingsFile, file: object) -> None:
    """Load the code that a file of settings names, and say so: it may be somebody else's file.

    The settings then name the environments with their code, without which no run can be resumed.
    """
    targets: dict[str, str] = {}
    for code in found.load:
        echo(f"rlve: {file} loads {code}", file=sys.stderr)
        known = {*environments()}
        load_code(code)
        targets |= {name: f"{code}:{name}" for name in {*environments()} - known}
    data = found.settings.get("data", {})
    if targets and isinstance(data.get("environments"), list):
        data["environments"] = [targets.get(name, name) for name in data["environments"]]


def _report(folder: Path) -> None:
    report = write_report(folder, ended=True)
    print_text(f"\n{reports.tell(folder)}\n\nThe report is {report}")


def _tell_stopped(command: str, folder: Path, when: str, code: Iterable[str]) -> None:
    if (folder / CONFIG).exists():
        modules = dict.fromkeys(target.rpartition(":")[0] for target in code)
        load = "".join(f" --load {module}" for module in modules)
        next_step = f"; resume with: {typed(command, '--resume', folder)}{load}"
    else:
        next_step = ", before the run began"
    echo(f"rlve: stopped {when}{next_step}", file=sys.stderr)
