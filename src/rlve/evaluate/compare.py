"""Evaluations side by side: which is better, by how much, and how certain that is.

Evaluations are comparable if they asked the same questions. Each is reported with the suite's own
metric (Avg@k or Pass@k) and its difference from a baseline. Intervals are over environments, each
with all its questions, if the questions come from several, and otherwise over questions. Since both
answered the same questions, they are resampled in pairs. If the interval excludes 0, chance does
not easily explain the difference.

Evaluations that are given one name, as in A=evals/seed0 A=evals/seed1, are runs of one way of
training: their mean is compared, and how they differ is in the interval.

Evaluations of one run's checkpoints form a sequence over training steps, as in the paper's Figures
3 to 6. The step is read from the name of the model, or else of the folder: step-000100,
checkpoint-100, global_step_100. What precedes it is the run, called by the last part of its path,
or by more of it where runs would share a name.

What is compared can be kept in a record: one file with a mark for each output, without the prompts
and the outputs. It is small enough to be published, and can be compared again.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from rlve.errors import UserError
from rlve.evaluate.metrics import avg_values, pass_values
from rlve.evaluate.questions import Metric
from rlve.evaluate.results import (
    EvaluationPlan,
    StoredEvaluation,
    check_finished,
    correct_by_question,
    read_evaluation,
    read_plan,
)
from rlve.files import read_record, replacing, shortest_names
from rlve.intervals import mean, over_runs
from rlve.run_folders import CHECKPOINTS, PLAN
from rlve.text import quantity

By: TypeAlias = Literal["environment", "difficulty"]
"""What questions can be grouped by."""

_STEP = re.compile(
    r"(?:^|(?<=[^A-Za-z0-9]))(?:global[-_])?(?:step|checkpoint|iter)[-_]?(\d+)\b", re.I
)


class ComparedValue(msgspec.Struct, frozen=True, kw_only=True):
    """The value of one evaluation, and its difference from the baseline's."""

    questions: int
    value: float
    interval: tuple[float, float]
    difference: float | None  # from the baseline; None for the baseline itself
    difference_interval: tuple[float, float] | None


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What outputs looked like; accuracy also rises when more of them can be read."""

    ill_formed: float
    truncated: float
    tokens: float | None  # in an output, if they are known


class ComparedEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """One of the evaluations."""

    name: str  # unique among them
    run: str  # what it shares with the other checkpoints of its run
    step: int | None
    folder: str
    model: str
    samples: int
    runs: int = 1  # whose mean it is
    form: Form | None
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
    evaluations: list[ComparedEvaluation]
    notes: list[str]

    @property
    def number(self) -> str:
        """The name of the value that is compared."""
        return "accuracy" if self.metric == "avg" else f"Pass@{self.k}"


class Question(msgspec.Struct, frozen=True, array_like=True):
    """One that was asked."""

    id: str
    environment: str
    difficulty: int | None


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A finished evaluation, as far as it is compared, with the names of its run and step."""

    run: str
    step: int | None
    one_of_several: bool = False  # runs of one name
    folder: str
    plan: EvaluationPlan
    form: Form | None = None  # in a record that somebody wrote by hand it may be unknown
    questions: list[Question] = []  # in a record they are kept once
    marks: list[str]  # of each question: 1 for a correct sample, 0 for another

    @classmethod
    def of(
        cls, evaluation: StoredEvaluation, run: str, step: int | None, one_of_several: bool = False
    ) -> "Source":
        check_finished(evaluation)
        keys = evaluation.keys()
        outputs = [evaluation.outputs[key] for key in keys]
        tokens = [output.tokens for output in outputs if output.tokens is not None]
        return cls(
            run=run,
            step=step,
            one_of_several=one_of_several,
            folder=str(evaluation.folder),
            plan=evaluation.plan,
            form=Form(
                ill_formed=mean([not evaluation.verdicts[key].well_formed for key in keys]),
                truncated=mean([output.finish == "length" for output in outputs]),
                tokens=mean(tokens) if len(tokens) == len(outputs) else None,
            ),
            questions=[Question(q.id, q.environment, q.difficulty) for q in evaluation.questions],
            marks=[
                "".join("01"[right] for right in samples)
                for samples in correct_by_question(evaluation)
            ],
        )


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Evaluations of the same questions, as far as they are compared."""

    questions: list[Question]
    evaluations: list[Source]


def write_record(path: Path, sources: Sequence[Source]) -> None:
    """Keep evaluations of the same questions, so that `find_evaluations` finds them again."""
    _check_same_questions(sources)
    bare = [msgspec.structs.replace(source, questions=[]) for source in sources]
    with replacing(path) as file:
        kept = Record(questions=sources[0].questions, evaluations=bare)
        file.write(msgspec.json.encode(kept) + b"\n")


def is_record(place: Path) -> bool:
    """Whether a file is a record; others are for those who know them."""
    if not place.is_file():
        return False
    fields = read_record(place, dict[str, msgspec.Raw], missing=f"there is no file {place}")
    return fields.keys() == set(Record.__struct_fields__)


def _recorded(place: Path) -> list[Source]:
    found = read_record(place, Record, missing=f"there is no file {place}")
    for source in found.evaluations:
        mark = re.compile(f"[01]{{{source.plan.samples}}}")
        if len(source.marks) != len(found.questions) or not all(map(mark.fullmatch, source.marks)):
            raise UserError(
                f"{place} is damaged: {source.run} has not {source.plan.samples} marks of 0 or 1 "
                "for each question"
            )
    return [
        msgspec.structs.replace(source, questions=found.questions) for source in found.evaluations
    ]


def find_evaluations(words: Iterable[str], suite: str | None = None) -> list[Source]:
    """The evaluations in folders; NAME=FOLDER gives those in a folder a name of their own.

    Folders of one NAME hold runs of one way of training. A folder is that of an evaluation, or
    contains such folders. If there are several suites, `suite` chooses one. A record comes alone,
    and has names and one suite already.
    """
    named = [split_label(word) for word in words]
    for _, place in named:
        if is_record(place):
            if len(named) > 1:
                raise UserError(f"{place} is a record of evaluations, and is compared alone")
            kept = [each for each in _recorded(place) if suite in (None, each.plan.suite)]
            if suite is not None and not kept:
                raise UserError(f"none of the evaluations is on the suite {suite}")
            return kept
    found: dict[Path, tuple[StoredEvaluation, _RunPath, int | None]] = {}
    times = Counter(label for label, _ in named)
    for label, folder in named:
        for place in _evaluations_below(folder):
            if suite is None or read_plan(place).suite == suite:
                evaluation = read_evaluation(place)
                run, step = _run_and_step(evaluation)
                path = run if label is None else (label,)
                found.setdefault(place.resolve(), (evaluation, path, step))
    if suite is not None and not found:
        raise UserError(f"none of the evaluations is on the suite {suite}")
    runs = _join_paths(path for _, path, _ in found.values())
    names = shortest_names(dict.fromkeys(runs.values(), 1))
    order = list(names)
    return [
        Source.of(evaluation, names[runs[path]], step, len(path) == 1 and times[path[0]] > 1)
        for evaluation, path, step in sorted(
            found.values(),
            key=lambda each: (order.index(runs[each[1]]), -1 if each[2] is None else each[2]),
        )
    ]


def split_label(word: str) -> tuple[str | None, Path]:
    """The name and the place in NAME=PLACE; a place alone has no name."""
    name, sign, rest = word.partition("=")
    if sign and name and rest and not Path(word).exists():
        return name, Path(rest)
    return None, Path(word)


def _evaluations_below(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    if (folder / PLAN).exists():
        return [folder]
    folders = sorted(plan.parent for plan in folder.rglob(PLAN))
    if not folders:
        raise UserError(f"there is no evaluation in {folder}: no {PLAN} in it or its subfolders")
    return folders


IGNORED = frozenset({"", ".", "..", CHECKPOINTS})  # parts of a path that say nothing of a run

_RunPath: TypeAlias = tuple[str, ...]
"""What tells a run from others: the parts of a path, of which the last is its name."""


def _run_and_step(evaluation: StoredEvaluation) -> tuple[_RunPath, int | None]:
    """Read the run and the step from the names of the model and the folder."""
    model, folder = evaluation.plan.model, evaluation.folder.resolve()
    for text, above in (
        (model, ()),
        (folder.name, folder.parent.parts),
        (folder.parent.name, folder.parent.parent.parts),
    ):
        if matches := list(_STEP.finditer(text)):
            before = text[: matches[-1].start()].rstrip("/-_. ")
            parts = [each for each in before.split("/") if each not in IGNORED]
            return (*above, *(parts or [model])), int(matches[-1][1])
    return (model,), None


def _join_paths(paths: Iterable[_RunPath]) -> dict[_RunPath, _RunPath]:
    """One path for each run, whose models may be given from the root or from a folder above."""
    known = list(dict.fromkeys(paths))

    def whole(path: _RunPath) -> _RunPath:
        longer = [each for each in known if each != path and each[-len(path) :] == path]
        longest = max(longer, key=len, default=path)
        return longest if all(longest[-len(each) :] == each for each in longer) else path

    return {path: whole(path) for path in known}


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
    _check_same_questions(sources)
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
        found = over_runs(own, clusters=environments)
        change = None if index == reference else over_runs(own, base, clusters=environments)
        return ComparedValue(
            questions=len(positions),
            value=found.estimate,
            interval=(max(0.0, found.low), min(1.0, found.high)),
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
        evaluations=[
            ComparedEvaluation(
                name=names[index],
                run=source.run,
                step=source.step,
                folder=source.folder,
                model=source.plan.model,
                samples=source.plan.samples,
                runs=len(entries[index]),
                form=_mean_form(entries[index]),
                overall=compared(index, range(len(questions))),
                groups={name: compared(index, positions) for name, positions in groups.items()},
            )
            for index, source in enumerate(firsts)
        ],
        notes=tell_differences([source.plan for source in sources], "evaluations"),
    )


def _mean_form(runs: Sequence[Source]) -> Form | None:
    forms = [source.form for source in runs if source.form is not None]
    tokens = [form.tokens for form in forms if form.tokens is not None]
    if len(forms) < len(runs):
        return None
    return Form(
        ill_formed=mean([form.ill_formed for form in forms]),
        truncated=mean([form.truncated for form in forms]),
        tokens=mean(tokens) if len(tokens) == len(forms) else None,
    )


def _entries(sources: Sequence[Source]) -> list[list[Source]]:
    """The evaluations that are compared: one each, or those of several runs of one name."""
    entries: dict[object, list[Source]] = {}
    for source in sources:
        key = (source.run, source.step) if source.one_of_several else source.folder
        entries.setdefault(key, []).append(source)
    return list(entries.values())


def _check_same_questions(sources: Sequence[Source]) -> None:
    first = sources[0]
    for other in sources[1:]:
        if other.plan.suite != first.plan.suite:
            raise UserError(
                f"evaluations on different suites cannot be compared: {first.folder} is on "
                f"{first.plan.suite}, {other.folder} on {other.plan.suite}; choose one with --suite"
            )
        ids = ([question.id for question in each.questions] for each in (first, other))
        if other.plan.sha != first.plan.sha or next(ids) != next(ids):
            raise UserError(
                f"{first.folder} and {other.folder} asked different questions, although both call "
                f"their suite {first.plan.suite}; evaluate both on the same file"
            )
        if other.plan.metric != first.plan.metric:
            raise UserError(
                f"{first.folder} reports {first.plan.metric}@k and {other.folder} "
                f"{other.plan.metric}@k, which cannot be compared"
            )


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


def _groups(questions: Sequence[Question], by: By) -> dict[str, list[int]]:
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
            notes.append(f"the {what} differ in {name}: {', '.join(values)}")
    return notes
