"""Outputs of a model and their verdicts, as files have them: each a record defined once, here.

outputs.jsonl and verdicts.jsonl of an evaluation have one line per sample; `rlve score` writes
verdicts into the lines that it was given.
"""

from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.files import read_lines
from rlve.pool import Failure
from rlve.rewards import UNPARSEABLE

Finish: TypeAlias = Literal["stop", "length", "none"]
"""Why an output ended: the model ended it, or it reached a limit and was truncated; or there is
none, because a server gave no answer that can be read."""


class SampleKey(NamedTuple):
    """One sample of one question."""

    id: str
    sample: int


class StoredOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of outputs.jsonl."""

    id: str
    sample: int
    output: str
    finish: Finish
    tokens: int | None = None
    seconds: float | None = None

    @property
    def key(self) -> SampleKey:
        return SampleKey(self.id, self.sample)


class StoredVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict on one output."""

    reward: float
    correct: bool
    well_formed: bool
    failed: bool = False  # there is no verdict (a deadline, a crash), and it counts as wrong
    other_form: bool = False  # the answer is right, but written in another form


class SampleVerdict(StoredVerdict, frozen=True, kw_only=True, omit_defaults=True):
    """A line of verdicts.jsonl."""

    id: str
    sample: int

    @property
    def key(self) -> SampleKey:
        return SampleKey(self.id, self.sample)


def stored_verdict(found: Verdict | Failure) -> StoredVerdict:
    """What is written for what a pool has found."""
    return StoredVerdict(**_columns(found))


def sample_verdict(
    key: SampleKey, found: Verdict | Failure, *, other_form: bool = False
) -> SampleVerdict:
    """The same, for a sample of an evaluation."""
    return SampleVerdict(id=key.id, sample=key.sample, other_form=other_form, **_columns(found))


def _columns(found: Verdict | Failure) -> dict[str, Any]:
    if isinstance(found, Failure):
        return {"reward": UNPARSEABLE, "correct": False, "well_formed": False, "failed": True}
    return msgspec.structs.asdict(found)


Sample = TypeVar("Sample", StoredOutput, SampleVerdict)


def read_samples(path: Path, kind: type[Sample]) -> dict[SampleKey, Sample]:
    """The lines of outputs.jsonl or verdicts.jsonl, by sample, as far as they are there."""
    found: dict[SampleKey, Sample] = {}
    for number, sample in enumerate(read_lines(path, kind), 1):
        if sample.key in found:
            raise UserError(f"{path}:{number}: sample {sample.sample} of {sample.id!r} again")
        found[sample.key] = sample
    return found
