"""Runs of this machine that are started, stopped and resumed from a page.

Only `rlve studio --control` has them, and only for whoever knows the token that it printed. A
process of its own carries out the run, so it goes on when the studio is stopped.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import compare_digest
from typing import Final, NamedTuple

from rlve.errors import UserError
from rlve.run_folders import LOCK, worked_in
from rlve.server.studio.folders import Found
from rlve.train.presets import PRESETS

SECTIONS: Final = ("policy", "data", "rollout", "update", "validation", "run")
FLAG: Final = re.compile(rf"--(?:{'|'.join(SECTIONS)})\.[a-z0-9-]+(?:=.*)?", re.DOTALL)
NUMBER: Final = re.compile(r"-[\d.e-]+")
NAME: Final = re.compile(r"[\w][\w.-]{0,80}", re.ASCII)
TOLD: Final = 4_000  # last characters of what a process wrote that are shown
LOCKS: Final = Path("/proc/locks")


class Refused(UserError):
    """The request did not have the token."""


class Job(NamedTuple):
    """A process that the studio started."""

    name: str
    folder: Path
    command: str
    log: Path
    process: "subprocess.Popen[bytes]"

    @property
    def going(self) -> bool:
        return self.process.poll() is None

    @property
    def state(self) -> str:
        code = self.process.poll()
        return "running" if code is None else "finished" if code == 0 else f"ended with {code}"

    @property
    def told(self) -> str:
        """The end of what it wrote."""
        try:
            return self.log.read_text(encoding="utf-8", errors="replace")[-TOLD:]
        except OSError as error:
            return f"({self.log} cannot be read: {error.strerror})"


class Jobs:
    """The processes started since the studio was."""

    def __init__(self, root: Path, token: str, load: Sequence[str] = ()) -> None:
        self.root = root  # where new runs go
        self._load = [word for code in load for word in ("--load", code)]  # code that is trusted
        self._token = token
        self._lock = threading.Lock()
        self._jobs: list[Job] = []

    def check(self, given: str) -> None:
        """Refuse whoever does not know the token."""
        if not compare_digest(given.encode(), self._token.encode()):
            raise Refused("this needs the token that `rlve studio --control` printed")

    def all(self) -> list[Job]:
        """The jobs, the latest first."""
        return self._jobs[::-1]

    def start(self, form: Mapping[str, str]) -> Job:
        """Start a run of training."""
        name = form.get("name", "").strip()
        if not NAME.fullmatch(name):
            raise UserError("a run needs a name of letters, digits, dots, dashes and underscores")
        folder = self.root / name
        if folder.exists():
            raise UserError(f"{folder} already exists; choose another name")
        preset = form.get("preset", "")
        if preset not in PRESETS:
            raise UserError(f"there is no preset {preset!r}")
        words = ["train", "--preset", preset, *_flags(form), "--run.folder", str(folder)]
        return self._launch(name, folder, words)

    def resume(self, found: Found) -> Job:
        """Resume a run that was stopped."""
        if worked_in(found.folder):
            raise UserError(f"{found.name} is running")
        return self._launch(found.name, found.folder, [found.kind, "--resume", str(found.folder)])

    def stop(self, found: Found) -> None:
        """Ask a run to finish its step, save a checkpoint and end, as Ctrl-C does."""
        own = (job.process.pid for job in self.all() if job.folder == found.folder and job.going)
        holder = lock_holder(found.folder / LOCK) or next(own, None)
        if holder is None:
            raise UserError(f"no process of this machine is working in {found.name}")
        try:
            os.kill(holder, signal.SIGTERM)
        except OSError as error:
            raise UserError(f"{found.name} cannot be stopped: {error.strerror}") from error

    def _launch(self, name: str, folder: Path, words: list[str]) -> Job:
        self.root.mkdir(parents=True, exist_ok=True)
        words = [*words, *self._load]
        with self._lock:
            log = self.root / f".{name.replace('/', '-')}.log"
            with log.open("wb") as file:
                process = subprocess.Popen(
                    [sys.executable, "-m", "rlve", *words],
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # it goes on when the studio is stopped
                )
            job = Job(name, folder, f"rlve {shlex.join(words)}", log, process)
            self._jobs.append(job)
        return job


def _flags(form: Mapping[str, str]) -> list[str]:
    """The settings of a form as flags; empty fields are left to the preset."""
    fields = {
        "model": "--policy.model",
        "learning_rate": "--update.learning-rate",
        "steps": "--run.steps",
        "seed": "--run.seed",
    }
    words: list[str] = []
    for field, flag in fields.items():
        if value := form.get(field, "").strip():
            words += [f"{flag}={value}"]
    if names := form.get("environments", "").replace(",", " ").split():
        words += ["--data.environments", *names]
    try:
        more = shlex.split(form.get("flags", ""))
    except ValueError as error:
        raise UserError(f"the flags cannot be read: {error}") from None
    for word in more:
        if word.startswith("-") and not FLAG.fullmatch(word) and not NUMBER.fullmatch(word):
            raise UserError(f"{word} is not a setting of a run, such as --rollout.group")
    if more and not more[0].startswith("--"):
        raise UserError("flags begin with --")
    return words + more


def lock_holder(path: Path) -> int | None:
    """The process that holds the lock on a file, if it is one of this machine."""
    try:
        status = path.stat()
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in lines:
        words = line.split()
        if len(words) >= 6 and words[1] == "FLOCK" and words[3] == "WRITE" and words[5] == place:
            return int(words[4]) if int(words[4]) > 0 else None
    return None
