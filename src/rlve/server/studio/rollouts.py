"""The rollouts of a run: a table of all recorded groups, and the texts of one group."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from rlve.errors import UserError
from rlve.run_folders import ROLLOUTS
from rlve.server.studio.runs import RunFolder
from rlve.train.history import GroupSample, SampledOutput

Outcome: TypeAlias = Literal["", "correct", "mixed", "wrong", "ill-formed", "failed"]
OUTCOMES: dict[Outcome, str] = {
    "": "any verdicts",
    "correct": "all correct",
    "mixed": "some correct",
    "wrong": "none correct",
    "ill-formed": "some unreadable",
    "failed": "some not judged",
}
PAGE = 50  # rows at a time


class GroupRow(NamedTuple):
    """A group in the table."""

    number: int  # in groups.jsonl, or in rollouts.jsonl of an early run
    step: int
    environment: str
    difficulty: int
    seed: int
    verdicts: str
    reward: float
    tokens: float | None
    signal: bool
    sample: int | None  # its index in rollouts.jsonl, if its texts were kept


class RolloutFilter(msgspec.Struct, frozen=True):
    """Which groups to show; an empty field matches all."""

    first: int | None = None  # step
    last: int | None = None
    environment: str = ""
    difficulty: int | None = None
    outcome: Outcome = ""
    text: str = ""
    texts_only: bool = False

    def query(self) -> dict[str, Any]:
        """The filter as a URL query."""
        values = msgspec.to_builtins(self)
        return {key: value for key, value in values.items() if value not in (None, "", False)}

    def fits(self, row: GroupRow) -> bool:
        """Whether a group matches, ignoring its texts."""
        return (
            (self.first is None or row.step >= self.first)
            and (self.last is None or row.step <= self.last)
            and (not self.environment or row.environment == self.environment)
            and (self.difficulty is None or row.difficulty == self.difficulty)
            and (not (self.texts_only or self.text) or row.sample is not None)
            and _has(row.verdicts, self.outcome)
        )


def _has(verdicts: str, outcome: Outcome) -> bool:
    match outcome:
        case "":
            return True
        case "correct":
            return set(verdicts) == {"c"}
        case "mixed":
            return "c" in verdicts and set(verdicts) != {"c"}
        case "wrong":
            return "c" not in verdicts
        case "ill-formed":
            return "i" in verdicts
        case "failed":
            return "f" in verdicts


def rows(run: RunFolder) -> list[GroupRow]:
    """All recorded groups, the latest first."""
    heads = run.samples.read()
    texts = {(s.step, s.environment, s.difficulty, s.seed): i for i, s in enumerate(heads)}
    groups = run.groups.read()
    if not groups:  # an early run kept only texts
        table = [
            GroupRow(
                number=number,
                step=head.step,
                environment=head.environment,
                difficulty=head.difficulty,
                seed=head.seed,
                verdicts="".join("c" if r >= 1 else "i" if r <= -1 else "w" for r in head.rewards),
                reward=_mean(head.rewards),
                tokens=None,
                signal=len(set(head.rewards)) > 1,
                sample=number,
            )
            for number, head in enumerate(heads)
        ]
        return table[::-1]
    table = [
        GroupRow(
            number=number,
            step=group.step,
            environment=group.environment,
            difficulty=group.difficulty,
            seed=group.seed,
            verdicts=group.verdicts,
            reward=_mean(group.rewards),
            tokens=_mean(group.tokens),
            signal=bool(group.advantages),
            sample=texts.get((group.step, group.environment, group.difficulty, group.seed)),
        )
        for number, group in enumerate(groups)
    ]
    return table[::-1]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def matching(run: RunFolder, wanted: RolloutFilter) -> Iterator[GroupRow]:
    """The groups that match."""
    words = wanted.text.lower()
    for row in rows(run):
        if wanted.fits(row) and (not words or words in _texts(run, row)):
            yield row


def _texts(run: RunFolder, row: GroupRow) -> str:
    sample = sample_of(run, row)
    if sample is None:
        return ""
    return "\n".join((sample.prompt, *(output.text for output in sample.outputs))).lower()


def sample_of(run: RunFolder, row: GroupRow) -> GroupSample | None:
    """The texts of a group, if they were kept."""
    if row.sample is None:
        return None
    try:
        return msgspec.json.decode(run.samples.line(row.sample), type=GroupSample)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{ROLLOUTS}, line {row.sample + 1}, is damaged: {error}") from error


class ShownRollout(NamedTuple):
    """A rollout of a group on the page."""

    number: int
    letter: str
    reward: float
    advantage: float | None
    tokens: int | None
    truncated: bool
    text: str | None


def rollouts(run: RunFolder, row: GroupRow) -> list[ShownRollout]:
    """The outputs of a group, with their texts where these were kept."""
    sample = sample_of(run, row)
    kept: list[SampledOutput] = sample.outputs if sample else []
    groups = run.groups.read()
    if not groups:
        return [
            ShownRollout(i, _letter(o), o.verdict.reward, None, None, False, o.text)
            for i, o in enumerate(kept)
        ]
    group = groups[row.number]
    texts = {output.place: output.text for output in kept}
    return [
        ShownRollout(
            number=number,
            letter=letter,
            reward=group.rewards[number],
            advantage=group.advantages[number] if group.advantages else None,
            tokens=group.tokens[number],
            truncated=number in group.truncated,
            text=texts.get(number),
        )
        for number, letter in enumerate(group.verdicts)
    ]


def _letter(output: SampledOutput) -> str:
    if output.verdict.correct:
        return "c"
    return "w" if output.verdict.well_formed else "i"


def find_row(run: RunFolder, index: int) -> GroupRow:
    """The group at that index of its file."""
    table = rows(run)
    if not 0 <= index < len(table):
        raise UserError(f"the run has no group {index:,}")
    return table[-1 - index]
