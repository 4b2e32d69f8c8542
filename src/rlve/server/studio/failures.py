"""Why outputs fail: counts by verdict, environment and level over the steps, and the reasons."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from statistics import fmean
from typing import NamedTuple

from rlve.answers import Marker, extract
from rlve.contract import Explanation
from rlve.errors import Unparseable, UserError
from rlve.pool import Pool, Request
from rlve.registry import dialogues, environment, environments
from rlve.server.studio.charts import Axis, Chart, Drawings, Series, histogram, round_off
from rlve.server.studio.evaluations import EvaluationFolder, QuestionLine, answers, letter_of
from rlve.server.studio.group_rows import LETTERS, GroupRow
from rlve.server.studio.rollouts import choose_groups, rollouts, trained_rewards
from rlve.server.studio.runs import RunFolder

PARTS = 60  # of the steps, at most: a point of the chart is the mean of one
READ = 40  # groups or questions whose outputs are judged again for their reasons
REASONS = 12  # that are shown
LONGEST_ANSWER = 40  # characters of an answer that is counted as repeated
CUT_OFF = "It was cut off at the limit of its length, and is not correct."


class Place(NamedTuple):
    """The outputs of one environment and level."""

    environment: str
    difficulty: int | None
    outputs: int
    counts: Counter[str]  # by letter

    def share(self, letter: str) -> float:
        return self.counts[letter] / self.outputs if self.outputs else 0.0


class Reason(NamedTuple):
    """A reason that several outputs share, and the numbers of the groups or questions with it."""

    text: str
    outputs: int
    environment: str
    numbers: str  # between commas, as filters take them


class Failed(NamedTuple):
    """An output that is not correct."""

    number: int  # of its group or question
    request: Request
    text: str
    letter: str


def places(rows: Iterable[GroupRow | QuestionLine]) -> list[Place]:
    """All outputs by environment and level, those with the most failures first."""
    counts: dict[tuple[str, int | None], Counter[str]] = {}
    for row in rows:
        asked = row.question if isinstance(row, QuestionLine) else row
        counts.setdefault((asked.environment, asked.difficulty), Counter()).update(row.verdicts)
    found = [Place(*key, n.total(), n) for key, n in counts.items() if n]
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
        for (letter, name), colour in zip(LETTERS.items(), (2, 3, 1, 4, 6), strict=True)
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


def failed_in_run(run: RunFolder) -> list[Failed]:
    """The latest outputs of a run that are not correct and whose texts were kept."""
    known = {*environments(), *dialogues()}
    return [
        Failed(row.number, wanted, output.text, output.letter)
        for row in choose_groups(run, READ)
        if row.environment in known
        for wanted in [Request(environment(row.environment), row.difficulty, row.seed)]
        for output in rollouts(run, row)
        if output.text is not None and output.letter != "c"
    ]


def failed_in_evaluation(evaluation: EvaluationFolder) -> list[Failed]:
    """The outputs of an evaluation that are not correct, to some questions from all over it."""
    lines = [line for line in evaluation.lines if line.correct < line.judged]
    found: list[Failed] = []
    for line in lines[:: max(1, len(lines) // READ)]:
        with suppress(ValueError):  # nothing here can make the problem
            wanted = line.question.request()
            for _, output, verdict in answers(evaluation, line.question):
                if output and verdict and not verdict.correct:
                    letter = letter_of(output, verdict)
                    found.append(Failed(line.number, wanted, output.output, letter))
    return found


def reasons(pool: Pool, outputs: Sequence[Failed], marker: Marker) -> tuple[int, list[Reason]]:
    """Why outputs are wrong: how many, and the commonest reasons.

    Numbers and quoted texts in a reason are left out, and so is whether a noun after a number is in
    the plural: alike reasons are counted together, and written as most of them are.
    """
    judged = [each for each in outputs if each.letter != "t"]
    items = [(each.request, each.text) for each in judged]
    told = [
        (each, found.reason)
        for each, found in zip(judged, pool.explain(items, marker=marker), strict=True)
        if isinstance(found, Explanation)
    ]
    told += [(each, CUT_OFF) for each in outputs if each.letter == "t"]
    texts: dict[tuple[str, str], Counter[str]] = {}
    numbers: dict[tuple[str, str], dict[int, None]] = {}
    for each, reason in told:
        text = _alike(reason)
        key = each.request.environment.__name__, re.sub(r"(?<=# )\w+", _singular, text)
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
    """A short answer that nearly all outputs for many problems gave."""

    environment: str
    answer: str
    problems: int
    reward: float
    numbers: str = ""  # of the questions, between commas


def repeated(run: RunFolder) -> list[Repeated]:
    """Answers that are given whatever the problem, over the whole run."""
    problems = Counter[tuple[str, str]]()
    earned = Counter[tuple[str, str]]()
    for step in run.steps.read():
        for name, given in step.same_answers.items():
            for answer, (number, reward) in given.items():
                problems[name, answer] += number
                earned[name, answer] += number * reward
    return [
        Repeated(*key, number, earned[key] / number)
        for key, number in problems.most_common(REASONS)
    ]


def repeated_in(evaluation: EvaluationFolder, marker: Marker) -> list[Repeated]:
    """Short answers that three in four outputs gave to a question, and to others as well."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for line in evaluation.lines:
        given: dict[str, list[float]] = {}
        for _, output, verdict in answers(evaluation, line.question):
            with suppress(Unparseable):
                if output and verdict:
                    answer = extract(output.output, marker).strip()
                    given.setdefault(answer, []).append(verdict.reward)
        for answer, rewards in given.items():
            if len(rewards) >= 0.75 * line.judged and len(answer) <= LONGEST_ANSWER:
                key = line.question.environment, answer
                found.setdefault(key, {})[line.number] = fmean(rewards)
    rows = [
        Repeated(*key, len(each), fmean(each.values()), ",".join(map(str, each)))
        for key, each in found.items()
        if len(each) > 1
    ]
    return sorted(rows, key=lambda each: -each.problems)[:REASONS]


def check(run: RunFolder) -> None:
    """A UserError for a run that has no outputs of its own."""
    if run.teaches:
        raise UserError("a run of teaching has no outputs that could fail")
