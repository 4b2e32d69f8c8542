"""Why outputs fail: counts by verdict, environment and level over the steps, and the reasons."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rlve.contract import Explanation
from rlve.errors import UserError
from rlve.pool import Pool, Request
from rlve.registry import dialogues, environment, environments
from rlve.server.studio.charts import Axis, Chart, Drawings, Series, histogram, round_off
from rlve.server.studio.group_rows import GroupRow
from rlve.server.studio.rollouts import choose_groups, marker_of, sample_of, trained_rewards
from rlve.server.studio.runs import RunFolder

PARTS = 60  # of the steps, at most: a point of the chart is the mean of one
READ = 40  # groups whose kept outputs are judged again for their reasons
REASONS = 12  # that are shown
LETTERS = {"c": "correct", "w": "wrong", "i": "ill-formed", "f": "not judged"}


class Place(NamedTuple):
    """The outputs of one environment and level."""

    environment: str
    difficulty: int
    outputs: int
    counts: Counter[str]  # by letter
    truncated: int

    def share(self, letter: str) -> float:
        return self.counts[letter] / self.outputs if self.outputs else 0.0


class Reason(NamedTuple):
    """A reason that several outputs share, and where the latest of them is."""

    text: str
    outputs: int
    environment: str
    group: int


def places(rows: Iterable[GroupRow]) -> list[Place]:
    """All outputs by environment and level, those with the most failures first."""
    counts: dict[tuple[str, int], Counter[str]] = {}
    truncated = Counter[tuple[str, int]]()
    for row in rows:
        key = row.environment, row.difficulty
        counts.setdefault(key, Counter()).update(row.verdicts)
        truncated[key] += row.truncated
    found = [Place(*key, n.total(), n, truncated[key]) for key, n in counts.items()]
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
        for (letter, name), colour in zip(LETTERS.items(), (2, 3, 1, 6), strict=True)
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
                title="How outputs end",
                series=series,
                scale="share",
                stacked=True,
                note=note,
            ),
            "rewards": histogram("Rewards trained on", rewards, (low, 1.0), along="reward"),
        },
        {"0": run.found.id},
    )


def reasons(pool: Pool, run: RunFolder) -> tuple[int, list[Reason]]:
    """Why the latest outputs whose texts were kept are wrong: how many, and the commonest reasons.

    Numbers and quoted texts in a reason are left out, so that alike ones are counted together.
    """
    known = {*environments(), *dialogues()}
    counted = Counter[tuple[str, str]]()
    latest: dict[tuple[str, str], int] = {}
    for row in choose_groups(run, READ):
        sample = sample_of(run, row)
        if sample is None or row.environment not in known:
            continue
        wanted = Request(environment(row.environment), row.difficulty, row.seed)
        (problem,) = pool.generate([wanted])
        wrong = [output.text for output in sample.outputs if not output.verdict.correct]
        if not isinstance(problem, wanted.environment):
            continue
        told = pool.explain([(problem, text) for text in wrong], marker=marker_of(run))
        for found in told:
            if isinstance(found, Explanation):
                key = row.environment, _alike(found.reason)
                counted[key] += 1
                latest.setdefault(key, row.number)
    return counted.total(), [
        Reason(text, number, name, latest[name, text])
        for (name, text), number in counted.most_common(REASONS)
    ]


def _alike(reason: str) -> str:
    shorter = re.sub(r"'[^']*'|\"[^\"]*\"", "…", reason)
    return re.sub(r"-?\d[\d,.]*\d|-?\d", "#", shorter)


class Repeated(NamedTuple):
    """A short answer that nearly all outputs for many problems gave."""

    environment: str
    answer: str
    problems: int
    reward: float


def repeated(run: RunFolder) -> list[Repeated]:
    """Answers that are given whatever the problem, over the whole run."""
    problems = Counter[tuple[str, str]]()
    earned = Counter[tuple[str, str]]()
    for step in run.steps.read():
        for name, answers in step.same_answers.items():
            for answer, (number, reward) in answers.items():
                problems[name, answer] += number
                earned[name, answer] += number * reward
    return [
        Repeated(*key, number, earned[key] / number)
        for key, number in problems.most_common(REASONS)
    ]


def check(run: RunFolder) -> None:
    """A UserError for a run that has no outputs of its own."""
    if run.teaches:
        raise UserError("a run of teaching has no outputs that could fail")
