"""Groups of outputs as rows of a table: what is kept of a record of verdicts."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from rlve.train.history import GroupRecord

Key: TypeAlias = tuple[int, str, int, int]


class GroupRow(NamedTuple):
    """A group in the table."""

    number: int  # in groups.jsonl
    step: int
    environment: str
    difficulty: int
    seed: int
    verdicts: str
    reward: float
    tokens: float
    signal: bool
    truncated: int
    sample: int | None  # its index in rollouts.jsonl, if its texts were kept

    @property
    def key(self) -> Key:
        return self.step, self.environment, self.difficulty, self.seed


class SampleHead(msgspec.Struct, frozen=True):
    """A GroupSample without its texts, which are read when somebody opens the group."""

    step: int
    environment: str
    difficulty: int
    seed: int = 0


def row_of_group(number: int, group: GroupRecord) -> GroupRow:
    return GroupRow(
        number=number,
        step=group.step,
        environment=group.environment,
        difficulty=group.difficulty,
        seed=group.seed,
        verdicts=group.verdicts,
        reward=_mean(group.rewards),
        tokens=_mean(group.tokens),
        signal=group.signal,
        truncated=len(group.truncated),
        sample=None,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
