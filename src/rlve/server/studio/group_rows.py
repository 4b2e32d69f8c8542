"""Groups of outputs as rows of a table: what is kept of a record of verdicts."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from rlve.train.history import GroupRecord

Key: TypeAlias = tuple[int, str, int, int]
LETTERS = {
    "c": "correct",
    "w": "wrong",
    "r": "rule broken",
    "i": "ill-formed",
    "t": "cut off",
    "f": "not judged",
}
"""How an output can end, in words: what a record of verdicts says, and that it was cut off."""
Outcome: TypeAlias = Literal[
    "", "correct", "mixed", "wrong", "some-wrong", "rule-broken", "ill-formed", "cut-off", "failed"
]
SOME = {"some-wrong": "w", "rule-broken": "r", "ill-formed": "i", "cut-off": "t", "failed": "f"}
OUTCOMES: dict[str, str] = {
    "": "any verdicts",
    "correct": "all correct",
    "mixed": "some correct",
    "wrong": "none correct",
    **{name: f"some {LETTERS[letter]}" for name, letter in SOME.items()},
}


def has(verdicts: str, outcome: Outcome) -> bool:
    """Whether the outputs for a problem ended like that."""
    match outcome:
        case "":
            return True
        case "correct":
            return set(verdicts) == {"c"}
        case "mixed":
            return "c" in verdicts and set(verdicts) != {"c"}
        case "wrong":
            return bool(verdicts) and "c" not in verdicts
        case some:
            return SOME[some] in verdicts


def ending(verdict: str, *, truncated: bool) -> str:
    """The letter of an output: one that is not correct and reached its limit was cut off."""
    return "t" if truncated and verdict in "wri" else verdict


class GroupRow(NamedTuple):
    """A group in the table."""

    number: int  # in groups.jsonl
    step: int
    environment: str
    difficulty: int
    seed: int
    verdicts: str  # as LETTERS
    reward: float
    tokens: float
    signal: bool
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
    """The row of a record."""
    verdicts, cut = group.verdicts, frozenset(group.truncated)
    if cut:
        verdicts = "".join(ending(each, truncated=i in cut) for i, each in enumerate(verdicts))
    return GroupRow(
        number=number,
        step=group.step,
        environment=group.environment,
        difficulty=group.difficulty,
        seed=group.seed,
        verdicts=verdicts,
        reward=_mean(group.rewards),
        tokens=_mean(group.tokens),
        signal=group.signal,
        sample=None,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
