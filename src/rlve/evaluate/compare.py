"""Evaluations side by side: which is better, by how much, and how certain that is.

Evaluations are comparable if they asked the same questions. Each is reported with the suite's own
metric (Avg@k or Pass@k) and its difference from a baseline. Intervals are over environments, each
with all its questions, if the questions come from several, and otherwise over questions. Since both
answered the same questions, they are resampled in pairs. If the interval excludes 0, chance does
not easily explain the difference.

Evaluations that are given one name are runs of one way of training: their mean is compared, and how
they differ is in the interval. Those of one run's checkpoints form a sequence over training steps.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from rlve.errors import UserError
from rlve.evaluate.metrics import avg_values, pass_values
from rlve.evaluate.questions import Metric
from rlve.evaluate.results import Endings, EvaluationPlan
from rlve.evaluate.sources import Asked, Source, check_same_questions
from rlve.foundation.intervals import QUESTIONS, mean, over_answers, over_what
from rlve.text import quantity

LONGEST_SETTING = 200  # characters, of a system prompt for example

By: TypeAlias = Literal["environment", "difficulty"]
"""What questions can be grouped by."""


class ComparedValue(msgspec.Struct, frozen=True, kw_only=True):
    """The value of one evaluation, and its difference from the baseline's."""

    questions: int
    value: float
    interval: tuple[float, float]
    difference: float | None  # from the baseline; None for the baseline itself
    difference_interval: tuple[float, float] | None


class ComparedEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """One of the evaluations."""

    name: str  # unique among them
    run: str  # what it shares with the other checkpoints of its run
    step: int | None
    folder: str
    model: str
    samples: int
    runs: int = 1  # whose mean it is
    endings: Endings | None
    overall: ComparedValue
    groups: dict[str, ComparedValue]  # by environment, or by difficulty


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison; `rlve compare --json` prints it."""

    suite: str
    sha: str
    metric: Metric
    k: int | None  # of Pass@k; an average is over all samples
    baseline: str
    by: By
    over: str  # what the intervals of all questions are over: environments, or questions
    evaluations: list[ComparedEvaluation]
    notes: list[str]

    @property
    def number(self) -> str:
        """The name of the value that is compared."""
        return "accuracy" if self.metric == "avg" else f"Pass@{self.k}"

    @property
    def groups_over(self) -> str:
        """What the intervals of groups are over."""
        return QUESTIONS if self.by == "environment" else self.over


def compare(
    sources: Sequence[Source],
    *,
    baseline: str | None = None,
    by: By = "environment",
    pass_at: int | None = None,
) -> Comparison:
    """Compare evaluations of the same questions with a baseline, by default the first.

    By the suite's own metric or, with `pass_at`, by Pass@k.
    """
    if not sources:
        raise UserError("there is nothing to compare")
    check_same_questions(sources)
    entries = _entries(sources)
    firsts = [entry[0] for entry in entries]
    names = _names(firsts)
    reference = _find_baseline(entries, names, baseline)
    plan = sources[0].plan
    k = pass_at
    fewest = min(source.plan.samples for source in sources)
    if k is not None and not 1 <= k <= fewest:
        raise UserError(f"Pass@{k} cannot be told from {quantity(fewest, 'sample')} of a question")
    if k is None and plan.metric == "pass":
        k = min(min(source.plan.k, source.plan.samples) for source in sources)
    questions = sources[0].questions
    groups = _groups(questions, by)
    values = [[_values(source, k) for source in entry] for entry in entries]

    def compared(index: int, positions: Sequence[int]) -> ComparedValue:
        own, base = (
            [[run[position] for position in positions] for run in values[which]]
            for which in (index, reference)
        )
        environments = [questions[position].environment for position in positions]
        found = over_answers(own, clusters=environments)
        change = None if index == reference else over_answers(own, base, clusters=environments)
        return ComparedValue(
            questions=len(positions),
            value=found.estimate,
            interval=found.ends,
            difference=change and change.estimate,
            difference_interval=change and change.ends,
        )

    return Comparison(
        suite=plan.suite,
        sha=plan.sha,
        metric="avg" if k is None else "pass",
        k=k,
        baseline=names[reference],
        by=by,
        over=over_what([question.environment for question in questions]),
        evaluations=[
            ComparedEvaluation(
                name=names[index],
                run=source.run,
                step=source.step,
                folder=source.folder,
                model=source.plan.model,
                samples=source.plan.samples,
                runs=len(entries[index]),
                endings=_mean_endings(entries[index]),
                overall=compared(index, range(len(questions))),
                groups={name: compared(index, positions) for name, positions in groups.items()},
            )
            for index, source in enumerate(firsts)
        ],
        notes=tell_differences([source.plan for source in sources], "evaluations"),
    )


def _mean_endings(runs: Sequence[Source]) -> Endings | None:
    known = [source.endings for source in runs if source.endings is not None]
    tokens = [endings.tokens for endings in known if endings.tokens is not None]
    if len(known) < len(runs):
        return None
    return Endings(
        ill_formed=mean([endings.ill_formed for endings in known]),
        truncated=mean([endings.truncated for endings in known]),
        tokens=mean(tokens) if len(tokens) == len(known) else None,
    )


def _entries(sources: Sequence[Source]) -> list[list[Source]]:
    """The evaluations that are compared: one each, or those of several runs of one name."""
    entries: dict[object, list[Source]] = {}
    for source in sources:
        key = (source.run, source.step) if source.one_of_several else source.folder
        entries.setdefault(key, []).append(source)
    return list(entries.values())


def _names(sources: Sequence[Source]) -> list[str]:
    names = [s.run if s.step is None else f"{s.run}, step {s.step:,}" for s in sources]
    counts = Counter(names)
    return [
        name if counts[name] == 1 else f"{name} ({source.folder})"
        for name, source in zip(names, sources, strict=True)
    ]


def _find_baseline(
    entries: Sequence[Sequence[Source]], names: Sequence[str], wanted: str | None
) -> int:
    if wanted is None:
        return 0
    if wanted in names:
        return names.index(wanted)
    folder = Path(wanted).resolve()
    matches = [
        index
        for index, entry in enumerate(entries)
        for source in entry
        if Path(source.folder).resolve() == folder or source.run == wanted
    ]
    if not matches:
        raise UserError(
            f"no evaluation is named {wanted!r} or is in that folder; the evaluations are "
            f"{'; '.join(names)}"
        )
    return matches[0]


def _values(source: Source, k: int | None) -> list[float]:
    correct = [[mark == "1" for mark in marks] for marks in source.marks]
    if k is None:
        return avg_values(correct, source.plan.samples)
    return pass_values(correct, k)


def _groups(questions: Sequence[Asked], by: By) -> dict[str, list[int]]:
    keyed: dict[Any, list[int]] = {}
    for position, question in enumerate(questions):
        key = question.environment if by == "environment" else question.difficulty
        if key is not None:
            keyed.setdefault(key, []).append(position)
    return {str(key): keyed[key] for key in sorted(keyed)}


def tell_differences(plans: Sequence[EvaluationPlan], what: str) -> list[str]:
    """How evaluations, or whatever has such plans, differ apart from the model."""
    settings: dict[str, Callable[[EvaluationPlan], object]] = {
        "samples": lambda plan: plan.samples,
        "format": lambda plan: plan.format,
        "system prompt": lambda plan: plan.system_prompt or "none",
        "template arguments": lambda plan: " ".join(plan.sampling.template_arguments) or "none",
        "stop strings": lambda plan: " ".join(plan.sampling.stop_strings) or "none",
        "temperature": lambda plan: f"{plan.sampling.temperature:g}",
        "top-p": lambda plan: f"{plan.sampling.top_p:g}",
        "max-tokens": lambda plan: f"{plan.sampling.max_tokens:,}",
        "version of rlve": lambda plan: plan.version,
    }
    notes: list[str] = []
    for name, setting in settings.items():
        values = list(dict.fromkeys(str(setting(plan)) for plan in plans))
        if len(values) > 1:
            listed = ", ".join(value[:LONGEST_SETTING] for value in values)
            notes.append(f"the {what} differ in {name}: {listed}")
    return notes
