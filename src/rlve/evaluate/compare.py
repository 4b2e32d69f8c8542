"""Evaluations side by side: which is better, by how much, and how sure that is.

Evaluations are comparable if they asked the same questions. What is reported of each is the
suite's own number (Avg@k or Pass@k), and how much more that is than a baseline's, with a bootstrap
interval of the difference. Both answered the same questions, so that questions are resampled in
pairs: an interval that does not contain 0 is a difference that chance does not easily explain.

Evaluations of checkpoints of one run are a sequence over training steps, as in the paper's
Figures 3 to 6. The step is read from the name of the model, or else of the folder: step-000100,
checkpoint-100, global_step_100.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.metrics import (
    avg_values,
    bootstrap_interval,
    mean,
    paired_difference,
    paired_difference_interval,
    pass_values,
)
from rlve.evaluate.results import (
    PLAN,
    EvaluationPlan,
    StoredEvaluation,
    correct_by_question,
    read_evaluation,
    read_plan,
)
from rlve.evaluate.suite import Metric

By: TypeAlias = Literal["environment", "difficulty"]
"""What questions can be grouped by."""

_STEP = re.compile(
    r"(?:^|(?<=[^A-Za-z0-9]))(?:global[-_])?(?:step|checkpoint|iter)[-_]?(\d+)\b", re.I
)


class ComparedValue(msgspec.Struct, frozen=True, kw_only=True):
    """The number of one evaluation, and how it differs from the baseline's."""

    questions: int
    value: float
    interval: tuple[float, float]
    difference: float | None  # to the baseline; None for itself
    difference_interval: tuple[float, float] | None


class ComparedEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """One of the evaluations."""

    name: str  # unique among them
    run: str  # what it shares with the other checkpoints of its run
    step: int | None
    folder: str
    model: str
    samples: int
    overall: ComparedValue
    groups: dict[str, ComparedValue]  # by environment, or by difficulty


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What --json prints."""

    suite: str
    sha: str
    metric: Metric
    k: int | None  # of Pass@k; the average is over all samples there are
    baseline: str
    by: By
    evaluations: list[ComparedEvaluation]
    notes: list[str]

    @property
    def number(self) -> str:
        """What is compared."""
        return "accuracy" if self.metric == "avg" else f"Pass@{self.k}"


@dataclass(frozen=True)
class Source:
    """An evaluation, and how it is called."""

    evaluation: StoredEvaluation
    run: str
    step: int | None


def find_evaluations(words: Iterable[str], suite: str | None = None) -> list[Source]:
    """The evaluations in folders; NAME=FOLDER gives those in a folder a name of their own.

    A folder is that of an evaluation, or has such folders below it. With several suites among
    them, `suite` says which is meant.
    """
    found: dict[Path, Source] = {}
    for word in words:
        label, folder = _labelled(word)
        for place in _evaluations_below(folder):
            if suite is None or read_plan(place).suite == suite:
                found.setdefault(place.resolve(), _source(label, read_evaluation(place)))
    if suite is not None and not found:
        raise UserError(f"none of the evaluations is of the suite {suite}")
    runs = list(dict.fromkeys(source.run for source in found.values()))
    return sorted(
        found.values(),
        key=lambda s: (runs.index(s.run), -1 if s.step is None else s.step),
    )


def _labelled(word: str) -> tuple[str | None, Path]:
    name, sign, rest = word.partition("=")
    if sign and name and rest and not Path(word).exists():
        return name, Path(rest)
    return None, Path(word)


def _evaluations_below(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    if (folder / PLAN).exists():
        return [folder]
    found = sorted(plan.parent for plan in folder.rglob(PLAN))
    if not found:
        raise UserError(f"there is no evaluation in {folder}: no {PLAN} in it or below it")
    return found


def _source(label: str | None, evaluation: StoredEvaluation) -> Source:
    """Reads the run and the step from the names of the model and of the folder."""
    plan, folder = evaluation.plan, evaluation.folder.resolve()
    for text in (plan.model, folder.name, folder.parent.name):
        if matches := list(_STEP.finditer(text)):
            before = text[: matches[-1].start()].rstrip("/-_. ")
            parts = [part for part in before.split("/") if part not in ("", "checkpoints")]
            run = parts[-1] if parts else plan.model
            return Source(evaluation, label or run, int(matches[-1][1]))
    return Source(evaluation, label or plan.model, None)


def compare(
    sources: Sequence[Source], *, baseline: str | None = None, by: By = "environment"
) -> Comparison:
    """Compare evaluations of the same questions; the baseline is the first, or the one named."""
    if not sources:
        raise UserError("there is nothing to compare")
    for source in sources:
        _check_complete(source.evaluation)
    _check_same_questions(sources)
    names = _names(sources)
    reference = _find_baseline(sources, names, baseline)
    plan = sources[0].evaluation.plan
    k = None
    if plan.metric == "pass":
        k = min(min(s.evaluation.plan.k, s.evaluation.plan.samples) for s in sources)
    groups = _groups(sources[0].evaluation.questions, by)
    everything = [_values(source.evaluation, k) for source in sources]

    def value(index: int, places: Sequence[int]) -> ComparedValue:
        mine = [everything[index][place] for place in places]
        base = [everything[reference][place] for place in places]
        itself = index == reference
        return ComparedValue(
            questions=len(places),
            value=mean(mine),
            interval=bootstrap_interval(mine),
            difference=None if itself else paired_difference(base, mine),
            difference_interval=None if itself else paired_difference_interval(base, mine),
        )

    return Comparison(
        suite=plan.suite,
        sha=plan.sha,
        metric=plan.metric,
        k=k,
        baseline=names[reference],
        by=by,
        evaluations=[
            ComparedEvaluation(
                name=names[index],
                run=source.run,
                step=source.step,
                folder=str(source.evaluation.folder),
                model=source.evaluation.plan.model,
                samples=source.evaluation.plan.samples,
                overall=value(index, range(len(everything[index]))),
                groups={name: value(index, places) for name, places in groups.items()},
            )
            for index, source in enumerate(sources)
        ],
        notes=_notes([source.evaluation.plan for source in sources]),
    )


def _check_complete(evaluation: StoredEvaluation) -> None:
    wanted = evaluation.keys()
    missing = sum(key not in evaluation.verdicts for key in wanted)
    if missing:
        raise UserError(
            f"{missing:,} of {len(wanted):,} verdicts are missing in {evaluation.folder}; the rlve "
            "eval that began it goes on with it"
        )


def _check_same_questions(sources: Sequence[Source]) -> None:
    first = sources[0].evaluation
    for other in (source.evaluation for source in sources[1:]):
        if other.plan.suite != first.plan.suite:
            raise UserError(
                f"evaluations of different suites cannot be compared: {first.folder} is of "
                f"{first.plan.suite}, {other.folder} of {other.plan.suite}; --suite chooses one"
            )
        ids = ([question.id for question in e.questions] for e in (first, other))
        if other.plan.sha != first.plan.sha or next(ids) != next(ids):
            raise UserError(
                f"{first.folder} and {other.folder} asked different questions, although both call "
                f"their suite {first.plan.suite}: evaluate both on the same file"
            )
        if other.plan.metric != first.plan.metric:
            raise UserError(
                f"{first.folder} reports {first.plan.metric}@k and {other.folder} "
                f"{other.plan.metric}@k, which cannot be compared"
            )


def _names(sources: Sequence[Source]) -> list[str]:
    names = [s.run if s.step is None else f"{s.run}, step {s.step:,}" for s in sources]
    many = Counter(names)
    return [
        name if many[name] == 1 else f"{name} ({source.evaluation.folder})"
        for name, source in zip(names, sources, strict=True)
    ]


def _find_baseline(sources: Sequence[Source], names: Sequence[str], wanted: str | None) -> int:
    if wanted is None:
        return 0
    if wanted in names:
        return names.index(wanted)
    place = Path(wanted).resolve()
    matches = [
        index
        for index, source in enumerate(sources)
        if source.evaluation.folder.resolve() == place or source.run == wanted
    ]
    if not matches:
        raise UserError(
            f"no evaluation is named {wanted!r} or is in that folder; there are {'; '.join(names)}"
        )
    return matches[0]


def _values(evaluation: StoredEvaluation, k: int | None) -> list[float]:
    correct = correct_by_question(evaluation)
    if k is None:
        return avg_values(correct, evaluation.plan.samples)
    return pass_values(correct, k)


def _groups(questions: Sequence[ProblemRow], by: By) -> dict[str, list[int]]:
    keyed: dict[Any, list[int]] = {}
    for place, question in enumerate(questions):
        key = question.environment if by == "environment" else question.difficulty
        if key is not None:
            keyed.setdefault(key, []).append(place)
    return {str(key): keyed[key] for key in sorted(keyed)}


def _notes(plans: Sequence[EvaluationPlan]) -> list[str]:
    """What was not alike in the evaluations, apart from the model."""
    settings: dict[str, Callable[[EvaluationPlan], object]] = {
        "samples": lambda plan: plan.samples,
        "format": lambda plan: plan.format,
        "temperature": lambda plan: f"{plan.sampling.temperature:g}",
        "top-p": lambda plan: f"{plan.sampling.top_p:g}",
        "max-tokens": lambda plan: f"{plan.sampling.max_tokens:,}",
        "version of rlve": lambda plan: plan.version,
    }
    found: list[str] = []
    for name, setting in settings.items():
        values = list(dict.fromkeys(str(setting(plan)) for plan in plans))
        if len(values) > 1:
            found.append(f"the evaluations differ in {name}: {', '.join(values)}")
    return found
