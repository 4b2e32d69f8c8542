"""The records of outputs and verdicts in files.

outputs.jsonl and verdicts.jsonl of an evaluation have one line per sample; `rlve score` adds
verdicts to the lines it is given.
"""

from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.foundation.files import read_lines
from rlve.pool import Failure
from rlve.rewards import UNPARSEABLE

Finish: TypeAlias = Literal["stop", "length", "none"]
"""Why an output ended: the model stopped, it was truncated at the length limit, or there is no
output because the server gave no readable answer."""


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
    failed: bool = False  # there is no verdict (a deadline, a crash), so it counts as wrong
    other_form: bool = False  # the answer is right, but written in another form


class SampleVerdict(StoredVerdict, frozen=True, kw_only=True, omit_defaults=True):
    """A line of verdicts.jsonl."""

    id: str
    sample: int

    @property
    def key(self) -> SampleKey:
        return SampleKey(self.id, self.sample)


def stored_verdict(result: Verdict | Failure) -> StoredVerdict:
    """The record of a pool's result."""
    return StoredVerdict(**_columns(result))


def sample_verdict(
    key: SampleKey, result: Verdict | Failure, *, other_form: bool = False
) -> SampleVerdict:
    """The record of a pool's result for a sample of an evaluation."""
    return SampleVerdict(id=key.id, sample=key.sample, other_form=other_form, **_columns(result))


def _columns(result: Verdict | Failure) -> dict[str, Any]:
    if isinstance(result, Failure):
        return {"reward": UNPARSEABLE, "correct": False, "well_formed": False, "failed": True}
    return msgspec.structs.asdict(result)


Sample = TypeVar("Sample", StoredOutput, SampleVerdict)


def read_samples(path: Path, kind: type[Sample]) -> dict[SampleKey, Sample]:
    """The lines of outputs.jsonl or verdicts.jsonl so far, by sample."""
    samples: dict[SampleKey, Sample] = {}
    for number, sample in enumerate(read_lines(path, kind), 1):
        if sample.key in samples:
            raise UserError(f"{path}:{number} repeats sample {sample.sample} of {sample.id!r}")
        samples[sample.key] = sample
    return samples
