"""Why outputs fail: counts by verdict, environment and level over the steps, and the reasons."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from rlve.answers import Marker, extract
from rlve.contract import Explanation
from rlve.datasets.rows import ProblemRow
from rlve.errors import Unparseable, UserError
from rlve.foundation.intervals import wilson
from rlve.pool import Pool, Request
from rlve.registry import dialogues, environment, environments
from rlve.server.studio.charts import Axis, Chart, Drawings, Series, Share, histogram, round_off
from rlve.server.studio.evaluations import EvaluationFolder, QuestionLine, answers, letter_of
from rlve.server.studio.group_rows import LETTERS, GroupRow
from rlve.server.studio.rollouts import kept_groups, rollouts, trained_rewards
from rlve.server.studio.runs import RunFolder

PARTS = 60  # of the steps, at most: a point of the chart is the mean of one
READ = 40  # groups or questions whose outputs are judged again for their reasons
KEPT = 400  # groups whose texts are looked at
REASONS = 12  # that are shown
LONGEST_ANSWER = 40  # characters of an answer that is counted as repeated
CUT_OFF = "It was cut off at the limit of its length, and is not correct."


class Place(NamedTuple):
    """The outputs of one environment and level."""

    environment: str
    difficulty: int | None
    problems: int
    counts: Counter[str]  # by letter

    @property
    def outputs(self) -> int:
        return self.counts.total()

    def share(self, letter: str) -> float:
        return self.counts[letter] / self.outputs

    @property
    def correct(self) -> Share:
        """With the interval of so many problems: outputs for one problem are alike."""
        return Share(*wilson(self.share("c"), self.problems), self.problems)


class Reason(NamedTuple):
    """A reason that several outputs share, and the numbers of the groups or questions with it."""

    text: str
    outputs: int
    environment: str
    numbers: str  # between commas, as filters take them


class Output(NamedTuple):
    """An output whose text is known."""

    number: int  # of its group or question
    asked: GroupRow | ProblemRow
    text: str
    letter: str
    reward: float  # the shaped one

    def request(self) -> Request | None:
        """Its problem; None if nothing here can make it."""
        name, asked = self.asked.environment, self.asked
        if isinstance(asked, GroupRow):
            known = name in {*environments(), *dialogues()}
            return Request(environment(name), asked.difficulty, asked.seed) if known else None
        with suppress(ValueError):
            return asked.request()
        return None


def places(rows: Iterable[GroupRow | QuestionLine]) -> list[Place]:
    """All outputs by environment and level, those with the most failures first."""
    verdicts: dict[tuple[str, int | None], list[str]] = {}
    for row in rows:
        asked = row.question if isinstance(row, QuestionLine) else row
        if row.verdicts:
            verdicts.setdefault((asked.environment, asked.difficulty), []).append(row.verdicts)
    found = [Place(*key, len(each), Counter("".join(each))) for key, each in verdicts.items()]
    return sorted(found, key=lambda each: each.counts["c"] - each.outputs)


def draw(run: RunFolder, rows: Sequence[GroupRow]) -> Drawings:
    """How outputs ended over the steps, and how their rewards are spread."""
    if not rows:
        return Drawings()
    steps = sorted({row.step for row in rows})
    each = max(1, -(-len(steps) // PARTS))
    parts = {step: place // each for place, step in enumerate(steps)}
    ends = [steps[min(i + each, len(steps)) - 1] for i in range(0, len(steps), each)]
    counts = [Counter[str]() for _ in ends]
    for row in rows:
        counts[parts[row.step]].update(row.verdicts)
    series = [
        Series(
            name,
            [round_off(count[letter] / count.total()) for count in counts],
            colour=colour,
            axis="0",
        )
        for (letter, name), colour in zip(LETTERS.items(), (2, 3, 9, 1, 4, 6), strict=True)
        if any(count[letter] for count in counts)
    ]
    note = f"The share of outputs; each point is {each} steps." if each > 1 else "By step."
    axis = Axis([float(step) for step in ends], [0.0] * len(ends), [0.0] * len(ends))
    rewards = trained_rewards(run, rows)
    low = min(-1.0, *rewards)
    return Drawings(
        {"0": axis},
        {
            "endings": Chart(
                title="How outputs end", series=series, scale="share", stacked=True, note=note
            ),
            "rewards": histogram("Rewards trained on", rewards, (low, 1.0), along="reward"),
        },
        {"0": run.found.id},
    )


def outputs_of_run(run: RunFolder, rows: Sequence[GroupRow]) -> Iterator[Output]:
    """Those of the latest groups whose texts were kept."""
    for row in kept_groups(run, rows)[:KEPT]:
        with suppress(UserError):  # a damaged line, which the page of the group reports
            for each in rollouts(run, row):
                if each.text is not None and each.reward is not None:
                    yield Output(row.number, row, each.text, each.letter, each.reward)


def outputs_of_evaluation(
    evaluation: EvaluationFolder, lines: Iterable[QuestionLine]
) -> Iterator[Output]:
    """Those to these questions."""
    for line in lines:
        for _, output, verdict in answers(evaluation, line.question):
            if output and verdict:
                letter = letter_of(output, verdict)
                yield Output(line.number, line.question, output.output, letter, verdict.reward)


def some_failed(outputs: Iterable[Output], *, latest: bool) -> list[Output]:
    """Those that are not correct, of the latest groups or of questions from all over."""
    failed = [output for output in outputs if output.letter != "c"]
    numbers = list(dict.fromkeys(output.number for output in failed))
    chosen = {*(numbers[:READ] if latest else numbers[:: max(1, len(numbers) // READ)])}
    return [output for output in failed if output.number in chosen]


def reasons(pool: Pool, outputs: Sequence[Output], marker: Marker) -> tuple[int, list[Reason]]:
    """Why outputs are wrong: how many, and the commonest reasons.

    Numbers and quoted texts in a reason are left out, and so is whether a noun after a number is in
    the plural: alike reasons are counted together, and written as most of them are.
    """
    asked = ((each, each.request()) for each in outputs if each.letter != "t")
    judged = [(each, request) for each, request in asked if request]
    items = [(request, each.text) for each, request in judged]
    told = [
        (each, found.reason)
        for (each, _), found in zip(judged, pool.explain(items, marker=marker), strict=True)
        if isinstance(found, Explanation)
    ]
    told += [(each, CUT_OFF) for each in outputs if each.letter == "t"]
    texts: dict[tuple[str, str], Counter[str]] = {}
    numbers: dict[tuple[str, str], dict[int, None]] = {}
    for each, reason in told:
        text = _alike(reason)
        key = each.asked.environment, re.sub(r"(?<=# )\w+", _singular, text)
        texts.setdefault(key, Counter())[text] += 1
        numbers.setdefault(key, {})[each.number] = None
    found = [
        Reason(count.most_common(1)[0][0], count.total(), key[0], ",".join(map(str, numbers[key])))
        for key, count in texts.items()
    ]
    return len(told), sorted(found, key=lambda each: -each.outputs)[:REASONS]


def _alike(reason: str) -> str:
    shorter = re.sub(r"'[^']*'|\"[^\"]*\"", "…", reason)
    return re.sub(r"-?\d[\d,.]*\d|-?\d", "#", shorter)


def _singular(noun: re.Match[str]) -> str:
    return {"vertices": "vertex", "indices": "index"}.get(noun[0], noun[0].removesuffix("s"))


class Repeated(NamedTuple):
    """A short answer that nearly all outputs for several problems gave."""

    environment: str
    answer: str
    problems: int
    reward: float
    numbers: str  # of the groups or questions, between commas

    @property
    def lost(self) -> float:
        """How much less reward it earned than correct answers would have."""
        return self.problems * (1.0 - self.reward)


def repeated(outputs: Iterable[Output], marker: Marker) -> list[Repeated]:
    """Wrong short answers that three in four outputs gave to a problem, and to others as well.

    Those that cost the most reward come first.
    """
    found: dict[tuple[str, str], dict[int, float]] = {}
    for number, group in groupby(outputs, key=lambda each: each.number):
        given: dict[tuple[str, str], list[float]] = {}
        own = list(group)
        for each in own:
            with suppress(Unparseable):
                key = each.asked.environment, extract(each.text, marker).strip()
                given.setdefault(key, []).append(each.reward)
        for key, rewards in given.items():
            if len(rewards) >= 0.75 * len(own) and len(key[1]) <= LONGEST_ANSWER:
                found.setdefault(key, {})[number] = fmean(rewards)
    rows = [
        Repeated(*key, len(each), fmean(each.values()), ",".join(map(str, each)))
        for key, each in found.items()
        if len(each) > 1
    ]
    return sorted((r for r in rows if r.lost > 0), key=lambda row: -row.lost)[:REASONS]
