"""What the commands share whose work is a run: its loop, its report, and how to go on."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlve.cli import INTERRUPTED
from rlve.reports import FolderReport

if TYPE_CHECKING:
    from rlve.train.runs import BaseRun


def carry_out(
    command: str, run: "BaseRun[Any, Any]", subject: FolderReport, *, code: Iterable[str] = ()
) -> int:
    """Do a run that was not begun, or go on with it, before the eyes of the user; its exit code.

    `code` is what of the user's own its settings name, which it takes to go on.
    """
    from rlve.train.live import watched

    begun = done = 0
    try:
        with run:
            begun = run.step
            try:
                with watched(run):
                    run.finish()
            finally:
                done = run.step
                if done > begun:  # also where the run broke off: to see what led there
                    _report(subject, run.folder)
    except KeyboardInterrupt:
        _stopped(command, run.folder, "at once", code)
        return INTERRUPTED
    steps = run.config.run.steps
    if done < steps:
        _stopped(command, run.folder, f"after step {done:,} of {steps:,}", code)
        return INTERRUPTED
    if done == begun:
        print(f"All {done:,} steps are done; --run.steps sets how many there are.")
    return 0


def _report(subject: FolderReport, folder: Path) -> None:
    try:
        place = subject.write_report(folder)
    except OSError as error:  # such as a full disk, which has stopped the run, too
        print(f"rlve: there is no report: {error.strerror}", file=sys.stderr)
        return
    print(f"\n{subject.tell(folder)}\nThe report is {place}", flush=True)


def _stopped(command: str, folder: Path, when: str, code: Iterable[str]) -> None:
    if (folder / "config.json").exists():
        places = dict.fromkeys(target.rpartition(":")[0] for target in code)
        load = "".join(f" --load {place}" for place in places)
        go_on = f"; go on with: rlve {command} --resume {folder}{load}"
    else:
        go_on = ", before the run began"
    print(f"rlve: stopped {when}{go_on}", file=sys.stderr)
