"""The last result of `rlve check` for each environment, with its date.

It is kept in the user's cache folder with a hash of the environment's file, because a result for
another version of the file means nothing.
"""

import hashlib
import inspect
import os
import time
from pathlib import Path

import msgspec

from rlve.contract import AnyEnvironment
from rlve.errors import UserError
from rlve.files import pretty, write_whole
from rlve.rules.isolation import CheckReport, check_all
from rlve.targets import load, target_of


class KeptCheck(msgspec.Struct, frozen=True):
    """What a check of one environment by all rules found."""

    sha: str  # of the environment's file
    when: float
    complaints: list[str]
    excused: list[str]


def folder() -> Path:
    """Where results are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base, "rlve", "checks")


def last_check(cls: AnyEnvironment) -> KeptCheck | None:
    """The result for the file as it is now, if there is one."""
    try:
        kept = msgspec.json.decode(_path(cls).read_bytes(), type=KeptCheck)
    except (OSError, msgspec.DecodeError):
        return None
    return kept if kept.sha == _sha(cls) else None


def check_now(cls: AnyEnvironment) -> KeptCheck:
    """Check an environment in separate processes, and keep the result."""
    (report,) = check_all([target_of(cls)])
    return keep(report, cls)


def keep(report: CheckReport, cls: AnyEnvironment | None = None) -> KeptCheck:
    """Store what all rules found at all levels."""
    environment = load(report.target) if cls is None else cls
    complaints = {
        excused: list(
            dict.fromkeys(
                f"{rule}: {complaint.message}"
                for rule, outcome in report.outcomes.items()
                for complaint in outcome.complaints
                if complaint.excused is excused
            )
        )
        for excused in (False, True)
    }
    kept = KeptCheck(_sha(environment), time.time(), complaints[False], complaints[True])
    path = _path(environment)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, pretty(kept))
    except OSError as error:
        raise UserError(f"the result could not be stored in {path.parent}: {error}") from error
    return kept


def _path(cls: AnyEnvironment) -> Path:
    return folder() / f"{cls.__name__}.json"


def _sha(cls: AnyEnvironment) -> str:
    return hashlib.sha256(Path(inspect.getfile(cls)).read_bytes()).hexdigest()
