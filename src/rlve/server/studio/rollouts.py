"""The rollouts of a run: a table of all recorded groups, and the texts of one group."""

from collections.abc import Sequence
from contextlib import suppress
from statistics import fmean
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from rlve.errors import UserError
from rlve.formats import FORMATS
from rlve.foundation.run_folders import ROLLOUTS
from rlve.server.studio.group_rows import GroupRow, Key, Outcome, has
from rlve.server.studio.runs import RunFolder
from rlve.train.history import GroupRecord, GroupSample, SampledOutput

Signal: TypeAlias = Literal["", "yes", "no"]
SIGNALS: dict[Signal, str] = {"": "either", "yes": "with signal", "no": "without"}
Order: TypeAlias = Literal["", "latest", "lowest", "highest", "longest"]
ORDERS: dict[Order, str] = {
    "": "with texts first",
    "latest": "latest first",
    "lowest": "lowest reward first",
    "highest": "highest reward first",
    "longest": "longest first",
}
PAGE = 50  # rows at a time
HISTOGRAM = 2_000  # groups whose rewards are drawn, at most about
SAMPLED = 6  # problems whose best and worst outputs the page of a run shows


class RolloutFilter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which groups to show, and in which order; an empty field matches all."""

    first: int | None = None  # step
    last: int | None = None
    environment: str = ""
    difficulty: int | None = None
    outcome: Outcome = ""
    least: float | None = None  # mean reward
    most: float | None = None
    signal: Signal = ""
    text: str = ""
    groups: str = ""  # their numbers, between commas
    reason: str = ""  # that they share, in words
    order: Order = ""

    def query(self) -> dict[str, Any]:
        """The filter as a URL query."""
        return msgspec.to_builtins(self)

    def fits(self, row: GroupRow) -> bool:
        """Whether a group matches, ignoring its texts."""
        return (
            (self.first is None or row.step >= self.first)
            and (self.last is None or row.step <= self.last)
            and (not self.environment or row.environment == self.environment)
            and (self.difficulty is None or row.difficulty == self.difficulty)
            and (self.least is None or row.reward >= self.least)
            and (self.most is None or row.reward <= self.most)
            and (not self.signal or row.signal == (self.signal == "yes"))
            and has(row.verdicts, self.outcome)
            and (not self.groups or f",{row.number}," in f",{self.groups},")
        )


def _read(run: RunFolder) -> tuple[list[GroupRow], dict[Key, int]]:
    """All groups, the earliest first, and where the texts of those are that were kept."""
    texts = {
        (head.step, head.environment, head.difficulty, head.seed): number
        for number, head in enumerate(run.samples.read())
    }
    return run.groups.read(), texts


def names(run: RunFolder) -> list[str]:
    """The environments of all groups."""
    return sorted({row.environment for row in _read(run)[0]})


def find_groups(run: RunFolder, wanted: RolloutFilter) -> list[GroupRow]:
    """The groups that match, in the order asked for; otherwise the latest come first."""
    rows, texts = _read(run)
    words = wanted.text.lower()
    found = [row for row in reversed(rows) if wanted.fits(row)]
    if words:
        kept = [row for row in found if row.key in texts]
        found = [row for row in kept if words in _texts(run, texts[row.key])]
    match wanted.order:
        case "":
            found.sort(key=lambda row: row.key not in texts)
        case "lowest":
            found.sort(key=lambda row: row.reward)
        case "highest":
            found.sort(key=lambda row: -row.reward)
        case "longest":
            found.sort(key=lambda row: -row.tokens)
        case "latest":
            pass
    return found


def with_texts(run: RunFolder, rows: Sequence[GroupRow]) -> list[GroupRow]:
    """The rows with the places of their texts."""
    texts = _read(run)[1]
    return [row._replace(sample=texts.get(row.key)) for row in rows]


def _texts(run: RunFolder, index: int) -> str:
    sample = _sample(run, index)
    return "\n".join(output.text for output in sample.outputs).lower()


def sample_of(run: RunFolder, row: GroupRow) -> GroupSample | None:
    """The texts of a group, if they were kept."""
    return None if row.sample is None else _sample(run, row.sample)


def _sample(run: RunFolder, index: int) -> GroupSample:
    try:
        return msgspec.json.decode(run.samples.line(index), type=GroupSample)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{ROLLOUTS}, line {index + 1}, is damaged: {error}") from error


class ShownRollout(NamedTuple):
    """A rollout of a group on the page."""

    number: int
    letter: str
    trained: float  # the reward that was trained on
    reward: float | None  # the environment's own, if the text was kept
    advantage: float | None
    tokens: int
    truncated: bool
    text: str | None


def rollouts(run: RunFolder, row: GroupRow) -> list[ShownRollout]:
    """The outputs of a group, with their texts where these were kept."""
    sample = sample_of(run, row)
    kept: list[SampledOutput] = sample.outputs if sample else []
    group = msgspec.json.decode(run.groups.line(row.number), type=GroupRecord)
    texts = {output.place: output for output in kept}
    shaped = {place: output.verdict.reward for place, output in texts.items()}
    return [
        ShownRollout(
            number=number,
            letter=letter,
            trained=group.rewards[number],
            reward=shaped.get(number),
            advantage=group.advantages[number] if group.advantages else None,
            tokens=group.tokens[number],
            truncated=number in group.truncated,
            text=texts[number].text if number in texts else None,
        )
        for number, letter in enumerate(row.verdicts)
    ]


def trained_rewards(run: RunFolder, rows: Sequence[GroupRow]) -> list[float]:
    """The rewards that outputs of these groups were trained on; of many groups, some."""
    some = rows[:: max(1, len(rows) // HISTOGRAM)]
    found: list[float] = []
    for row in some:
        group = msgspec.json.decode(run.groups.line(row.number), type=GroupRecord)
        found += group.rewards
    return found


def kept_groups(run: RunFolder, rows: Sequence[GroupRow]) -> list[GroupRow]:
    """Those of the rows whose texts were kept, the latest first."""
    texts = _read(run)[1]
    return [row._replace(sample=texts[row.key]) for row in reversed(rows) if row.key in texts]


def shaped_rewards(run: RunFolder, rows: Sequence[GroupRow]) -> dict[int, float]:
    """The mean shaped reward of the outputs whose texts were kept, by the numbers of the groups."""
    found: dict[int, float] = {}
    for row in rows:
        with suppress(UserError):  # a damaged line, which the page of the group reports
            if sample := sample_of(run, row):
                found[row.number] = fmean(output.verdict.reward for output in sample.outputs)
    return found


def find_row(run: RunFolder, index: int) -> GroupRow:
    """The group at that index of its file."""
    rows, texts = _read(run)
    if not 0 <= index < len(rows):
        raise UserError(f"the run has no group {index:,}")
    return rows[index]._replace(sample=texts.get(rows[index].key))


def choose_samples(run: RunFolder) -> list[GroupSample]:
    """A few problems to show: the last of each environment, and the first if there is room."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, head in enumerate(run.samples.read()):
        first.setdefault(head.environment, number)
        last[head.environment] = number
    steps = run.steps.read()
    bounds: dict[str, tuple[int, int]] = steps[-1].bounds if steps else {}
    names = sorted(last, key=lambda name: -bounds.get(name, (0, 0))[1])[:SAMPLED]
    chosen: list[int] = []
    for name in names:
        if len(names) * 2 <= SAMPLED and first[name] != last[name]:
            chosen.append(first[name])
        chosen.append(last[name])
    samples: list[GroupSample] = []
    for number in chosen:
        with suppress(UserError):  # a damaged line, which the page of rollouts reports
            samples.append(_sample(run, number))
    return samples


def marker_of(run: RunFolder) -> Any:
    """What marks an answer in the outputs of a run."""
    format = FORMATS.get(run.config().get("policy", {}).get("format", ""))
    return format.marker if format else "any"
