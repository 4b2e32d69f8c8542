"""Evaluations as their pages show them, alone or two side by side."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import median_low
from typing import Any, NamedTuple

import msgspec

from rlve.answers import Marker
from rlve.contract import Verdict
from rlve.datasets.outputs import SampleKey, SampleVerdict, StoredOutput
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.compare import Comparison, compare
from rlve.evaluate.frontier.profile import FrontierPlan
from rlve.evaluate.metrics import pass_values
from rlve.evaluate.questions import show_prompts
from rlve.evaluate.results import (
    EvaluationResults,
    StoredEvaluation,
    correct_by_question,
    read_evaluation,
    read_results,
)
from rlve.evaluate.sources import Source
from rlve.foundation.intervals import over_answers
from rlve.foundation.run_folders import OUTPUTS, PLAN, RESULTS, SUITE, VERDICTS, read_settings
from rlve.pool import Pool
from rlve.server.studio.charts import (
    Chart,
    Drawings,
    Share,
    Shares,
    accuracy_over_levels,
    histogram,
    share_of,
)
from rlve.server.studio.folders import Found
from rlve.server.studio.group_rows import LETTERS, Outcome, ending, has
from rlve.train.samples import letter

FILES = (PLAN, SUITE, OUTPUTS, VERDICTS, RESULTS)
PAGE = 50
SHOWN = 8  # outputs that a saved page shows
BAND = "95% interval, over environments if there are several"


class Answer(NamedTuple):
    """The number of a sample, what the model wrote, and the verdict on it, where there are any."""

    sample: int
    output: StoredOutput | None
    verdict: SampleVerdict | None

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        return LETTERS[letter_of(self.output, self.verdict)] if self.verdict else "not judged yet"


class QuestionLine(NamedTuple):
    """A question in the table."""

    number: int  # in the suite
    question: ProblemRow
    verdicts: str  # on its outputs so far, as LETTERS of group_rows.py

    @property
    def correct(self) -> int:
        return self.verdicts.count("c")

    @property
    def judged(self) -> int:
        return len(self.verdicts)

    @property
    def share(self) -> float:
        return self.correct / self.judged if self.judged else 0.0


@dataclass(frozen=True, eq=False)
class EvaluationFolder:
    """An evaluation, read once; it has results if it is finished."""

    found: Found
    stamp: object  # changes with its files
    stored: StoredEvaluation
    results: EvaluationResults | None
    lines: list[QuestionLine]
    by_level: dict[str, dict[int, Share]]  # accuracy, by environment
    asked: dict[str, str] = field(default_factory=dict[str, str])  # by question, as pages need them

    @property
    def progress(self) -> str:
        """How much of it is done."""
        wanted = len(self.stored.questions) * self.stored.plan.samples
        return f"{len(self.stored.verdicts):,} of {wanted:,} outputs judged"

    @cached_property
    def by_k(self) -> dict[str, Share]:
        """How accuracy changes with the number of outputs that count together."""
        judged = len(self.stored.verdicts) == len(self.stored.keys())
        if self.results is None or not judged or len(self.results.overall.pass_at) < 2:
            return {}
        overall, correct = self.results.overall, correct_by_question(self.stored)
        environments = [question.environment for question in self.stored.questions]
        average = f"Avg@{self.stored.plan.samples}"
        return {average: Share(overall.accuracy, *overall.accuracy_interval)} | {
            f"Pass@{k}": Share(*over_answers([pass_values(correct, k)], clusters=environments))
            for k in overall.pass_at
        }

    @property
    def marker(self) -> Marker:
        """What marks an answer in its outputs."""
        format = self.stored.plan.known_format()
        return format.marker if format else "any"

    @property
    def partial(self) -> bool:
        """Whether outputs are still missing: what is there may be the easy part."""
        measured = self.found.kind == "frontier" and self.found.file(RESULTS).exists()
        return self.results is None and not measured

    @property
    def names(self) -> list[str]:
        """The environments of all questions."""
        return sorted({line.question.environment for line in self.lines})

    @property
    def label(self) -> str:
        """Its name, which says so if it is not finished."""
        return f"{self.found.name} (so far: {self.progress})" if self.partial else self.found.name


def letter_of(output: StoredOutput | None, verdict: SampleVerdict) -> str:
    """How an output ended, as LETTERS of group_rows.py."""
    if verdict.failed:
        return "f"
    truncated = output is not None and output.finish == "length"
    found = Verdict(verdict.reward, verdict.correct, verdict.well_formed)
    return ending(letter(found), truncated=truncated)


class EvaluationBook:
    """The evaluations opened so far; each is read again only if its files have changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: dict[Path, EvaluationFolder] = {}

    def open(self, found: Found) -> EvaluationFolder:
        """The evaluation in a folder."""
        with self._lock:
            known = self._read.get(found.folder)
            # Its name grows longer when another has the same.
            if known is None or (known.found, known.stamp) != (found, found.stamp(*FILES)):
                known = self._read[found.folder] = _read(found)
            return known


def _read(found: Found) -> EvaluationFolder:
    stamp = found.stamp(*FILES)  # first: what is written from now on is read the next time
    try:
        if found.kind == "frontier":  # its results are a profile, which has a page of its own
            plan = read_settings(found.folder, found.kind, FrontierPlan)
            stored, results = read_evaluation(found.folder, plan), None
        else:
            stored = read_evaluation(found.folder)
            results = read_results(found.folder) if found.file(RESULTS).exists() else None
    except OSError as error:
        raise UserError(f"{found.name} cannot be read: {error}") from error
    lines: list[QuestionLine] = []
    shares: dict[str, dict[int, list[float]]] = {}
    for number, question in enumerate(stored.questions):
        keys = (SampleKey(question.id, sample) for sample in range(stored.plan.samples))
        verdicts = "".join(
            letter_of(stored.outputs.get(key), stored.verdicts[key])
            for key in keys
            if key in stored.verdicts
        )
        lines.append(QuestionLine(number, question, verdicts))
        if question.difficulty is not None and verdicts:
            levels = shares.setdefault(question.environment, {})
            levels.setdefault(question.difficulty, []).append(lines[-1].share)
    by_level = {
        name: {level: share_of(values) for level, values in sorted(levels.items())}
        for name, levels in shares.items()
    }
    return EvaluationFolder(found, stamp, stored, results, lines, by_level)


class QuestionFilter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which questions to show; an empty field matches all."""

    environment: str = ""
    difficulty: int | None = None
    outcome: Outcome = ""
    text: str = ""
    questions: str = ""  # their numbers, between commas
    reason: str = ""  # that they share, in words

    def query(self) -> dict[str, Any]:
        """The filter as a URL query."""
        return msgspec.to_builtins(self)


def find_questions(
    pool: Pool, evaluation: EvaluationFolder, wanted: QuestionFilter
) -> list[QuestionLine]:
    """The questions that match."""
    lines = [
        line
        for line in evaluation.lines
        if (not wanted.environment or line.question.environment == wanted.environment)
        and (wanted.difficulty is None or line.question.difficulty == wanted.difficulty)
        and has(line.verdicts, wanted.outcome)
        and (not wanted.questions or f",{line.number}," in f",{wanted.questions},")
    ]
    if not (words := wanted.text.lower()):
        return lines
    asked = prompts(pool, evaluation, [line.question for line in lines])
    return [
        line
        for line, prompt in zip(lines, asked, strict=True)
        if words in _texts(evaluation, line.question, prompt)
    ]


def _texts(evaluation: EvaluationFolder, question: ProblemRow, prompt: str) -> str:
    texts = [output.output for _, output, _ in answers(evaluation, question) if output]
    return "\n".join((question.id, prompt, *texts)).lower()


def prompts(pool: Pool, evaluation: EvaluationFolder, questions: Sequence[ProblemRow]) -> list[str]:
    """What the model was asked, as far as this is known without loading anybody's code.

    Anybody may have written the folder, so problems are made in the pool.
    """
    unknown = [question for question in questions if question.id not in evaluation.asked]
    evaluation.asked.update(show_prompts(pool, unknown, evaluation.stored.plan.known_format()))
    return [evaluation.asked[question.id] for question in questions]


def answers(evaluation: EvaluationFolder, question: ProblemRow) -> list[Answer]:
    """The outputs to a question with their verdicts, where there are any."""
    stored = evaluation.stored
    keys = [SampleKey(question.id, sample) for sample in range(stored.plan.samples)]
    return [
        Answer(key.sample, stored.outputs.get(key), stored.verdicts.get(key))
        for key in keys
        if key in stored.outputs or key in stored.verdicts
    ]


def question_at(evaluation: EvaluationFolder, index: int) -> QuestionLine:
    """The question at that index of the suite."""
    if not 0 <= index < len(evaluation.lines):
        raise UserError(f"the evaluation has no question {index:,}")
    return evaluation.lines[index]


def level_chart(evaluations: Sequence[tuple[str, EvaluationFolder]]) -> Chart | None:
    """Accuracy over difficulty of all environments together, in a curve of each name.

    The intervals of finished evaluations are those of results.json, which commands print.
    """
    partial = [evaluation.progress for _, evaluation in evaluations if evaluation.partial]
    curves: list[Shares] = []
    for name, evaluation in evaluations:
        levels: dict[int, Share] = {}
        if not partial and evaluation.results:
            for level, score in evaluation.results.levels.items():
                low, high = score.accuracy_interval
                levels[level] = Share(score.accuracy, low, high, score.questions)
        else:
            shares: dict[int, list[float]] = {}
            for line in evaluation.lines:
                if line.question.difficulty is not None and line.judged:
                    shares.setdefault(line.question.difficulty, []).append(line.share)
            levels = {level: share_of(values) for level, values in shares.items()}
        if levels:
            curves.append((name, levels))
    if not curves or max(len(curve) for _, curve in curves) < 2:
        return None
    if not partial:
        return accuracy_over_levels("Accuracy by difficulty", curves, band=BAND)
    note = f"Not finished: {' and '.join(partial)}. The rest may be harder, or easier."
    return accuracy_over_levels("Accuracy by difficulty, so far", curves, note=note)


@lru_cache(maxsize=8)
def compare_two(first: EvaluationFolder, second: EvaluationFolder) -> Comparison:
    """Two evaluations of the same questions; the first is the baseline."""
    return compare([Source.of(each.stored, each.found.name, None) for each in (first, second)])


def charts(evaluation: EvaluationFolder) -> Drawings:
    """Accuracy by difficulty, and how rewards and lengths are spread."""
    stored = evaluation.stored
    drawn: dict[str, Chart] = {}
    asked_evenly = evaluation.found.kind == "eval"  # and not where it says most about a frontier
    if asked_evenly and (levels := level_chart([("accuracy", evaluation)])):
        drawn["levels-of-eval"] = levels
    if found := [verdict.reward for verdict in stored.verdicts.values()]:
        drawn["rewards"] = rewards(found)
    if outputs := list(stored.outputs.values()):
        tokens = [output.tokens for output in outputs if output.tokens is not None]
        counted = len(tokens) == len(outputs)
        lengths = tokens if counted else [len(output.output) for output in outputs]
        unit = "tokens" if counted else "characters"
        title = f"Lengths in {unit}, median {median_low(lengths):,}"
        ends = 0.0, float(max(1, *lengths))
        drawn["lengths"] = histogram(title, lengths, ends, along=unit)
    return Drawings(charts=dict(drawn))


def rewards(found: Sequence[float]) -> Chart:
    """How rewards are spread."""
    title = f"Rewards, median {median_low(found):.2g}"
    return histogram(title, found, (-1.0, 1.0), along="reward")


def choose_outputs(evaluation: EvaluationFolder) -> list[tuple[QuestionLine, list[Answer]]]:
    """A few outputs to show, from all over the evaluation."""
    every = [
        (line, [answer])
        for line in evaluation.lines
        for answer in answers(evaluation, line.question)
    ]
    return [every[i * len(every) // SHOWN] for i in range(min(SHOWN, len(every)))]


def differences(
    first: EvaluationFolder, second: EvaluationFolder, which: str
) -> list[tuple[QuestionLine, QuestionLine]]:
    """The lines in both of questions that `which`, "first" or "second", gets right more often."""
    others = {line.question.id: line for line in second.lines}
    pairs = [
        (line, other)
        for line in first.lines
        if (other := others.get(line.question.id)) is not None and line.judged and other.judged
    ]
    sign = 1 if which == "first" else -1
    ahead = [pair for pair in pairs if sign * (pair[0].share - pair[1].share) > 0]
    return sorted(ahead, key=lambda pair: sign * (pair[1].share - pair[0].share))
