"""Admission: a draft, its solver, all gates, and a certificate that says what was measured."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

import msgspec

from rlve import __version__
from rlve.drafts.evidence import Evidence
from rlve.drafts.gates import GATES, Finding, Model, difficulty
from rlve.errors import UserError
from rlve.foundation.files import read_whole

MAX_FILE = 256 * 2**10  # bytes


class Certificate(msgspec.Struct, kw_only=True):
    """What was measured about a draft."""

    environment: str
    admitted: bool
    draft: str  # SHA-256 of the file
    solver: str
    rlve: str  # its version
    levels: list[int]
    problems: int
    seeds: int  # problems of a level
    findings: list[Finding]


def admit(
    draft: Path,
    name: str,
    solver: Path | None,
    *,
    gates: Sequence[str] = tuple(GATES),
    model: Model | None = None,
    progress: Callable[[str], None] = lambda gate: None,
) -> Certificate:
    """Put a draft through the gates; only one that passes all of them is admitted.

    A draft without a solver can only be put through some. If a model is given, how difficult the
    problems are for it is a gate as well.
    """
    asked = {name: gate for name, gate in GATES.items() if name in gates}
    if model is not None:
        asked["difficulty"] = partial(difficulty, model=model)
    texts = [_read(draft), "" if solver is None else _read(solver)]
    findings: list[Finding] = []
    evidence = Evidence(texts[0], name, texts[1])
    for key, gate in asked.items():
        progress(key)
        faults, figures = gate(evidence)
        findings.append(Finding(key, not faults, faults, figures))
        if key == "runs" and faults:
            break
    return Certificate(
        environment=name,
        admitted=set(GATES) <= asked.keys() and all(finding.held for finding in findings),
        draft=sha256(texts[0].encode()).hexdigest(),
        solver=sha256(texts[1].encode()).hexdigest(),
        rlve=__version__,
        levels=evidence.about.levels,
        problems=len(evidence.records),
        seeds=len({record.seed for record in evidence.records}),
        findings=findings,
    )


def _read(path: Path) -> str:
    if not path.is_file():
        raise UserError(f"there is no Python file {path}")
    try:
        return read_whole(path, MAX_FILE).decode()
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text") from None
