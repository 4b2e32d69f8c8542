"""What is compared: finished evaluations, found in folders or kept in a record.

Evaluations that are given one name, as in A=evals/seed0 A=evals/seed1, are runs of one way of
training. Those of one run's checkpoints form a sequence over training steps, as in the paper's
Figures 3 to 6. The step is read from the name of the model, or else of the folder: step-000100,
checkpoint-100, global_step_100. What precedes it is the run, called by the last part of its path,
or by more of it where runs would share a name.

A record is one file with a mark for each output, without the prompts and the outputs. It is small
enough to be published, and can be compared again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from rlve.errors import UserError
from rlve.evaluate.results import (
    Endings,
    EvaluationPlan,
    StoredEvaluation,
    check_finished,
    correct_by_question,
    read_evaluation,
    read_plan,
)
from rlve.foundation.files import read_record, replacing, shortest_names
from rlve.foundation.limits import Name
from rlve.foundation.run_folders import CHECKPOINTS, PLAN

_STEP = re.compile(
    r"(?:^|(?<=[^A-Za-z0-9]))(?:global[-_])?(?:step|checkpoint|iter)[-_]?(\d+)\b", re.I
)


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A question."""

    id: str
    environment: Name
    difficulty: int | None


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A finished evaluation, as far as it is compared, with the names of its run and step."""

    run: Name
    step: int | None
    one_of_several: bool = False  # runs of one name
    folder: Name
    plan: EvaluationPlan
    endings: Endings | None = msgspec.field(default=None, name="form")  # as records have it
    questions: list[Asked] = []  # in a record they are kept once
    marks: list[str]  # of each question: 1 for a correct sample, 0 for another

    @classmethod
    def of(
        cls, evaluation: StoredEvaluation, run: str, step: int | None, one_of_several: bool = False
    ) -> "Source":
        check_finished(evaluation)
        return cls(
            run=run,
            step=step,
            one_of_several=one_of_several,
            folder=str(evaluation.folder),
            plan=evaluation.plan,
            endings=Endings.of(evaluation, evaluation.keys()),
            questions=[Asked(q.id, q.environment, q.difficulty) for q in evaluation.questions],
            marks=[
                "".join("01"[right] for right in samples)
                for samples in correct_by_question(evaluation)
            ],
        )


class ComparisonRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Evaluations of the same questions, as far as they are compared."""

    questions: list[Asked]
    evaluations: list[Source]


def write_record(path: Path, sources: Sequence[Source]) -> None:
    """Keep evaluations of the same questions, so that `find_evaluations` finds them again."""
    check_same_questions(sources)
    bare = [msgspec.structs.replace(source, questions=[]) for source in sources]
    with replacing(path) as file:
        kept = ComparisonRecord(questions=sources[0].questions, evaluations=bare)
        file.write(msgspec.json.encode(kept) + b"\n")


def is_record(place: Path) -> bool:
    """Whether a file is a record; others are for those who know them."""
    if not place.is_file():
        return False
    fields = read_record(place, dict[str, msgspec.Raw], missing=f"there is no file {place}")
    return fields.keys() == set(ComparisonRecord.__struct_fields__)


def _recorded(place: Path) -> list[Source]:
    found = read_record(place, ComparisonRecord, missing=f"there is no file {place}")
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

    Folders of one NAME hold runs of one way of training; with one evaluation of each run, their
    steps may differ. A folder is that of an evaluation, or
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
    for label, folders in times.items():
        places = [place for place, (_, path, _) in found.items() if path == (label,)]
        if len(places) == folders > 1 and len({found[place][2] for place in places}) > 1:
            # One evaluation of each run: it is the name that they share, not the step.
            found |= {place: (*found[place][:2], None) for place in places}
    names = shortest_names(dict.fromkeys((path for _, path, _ in found.values()), 1))
    order = list(names)
    return [
        Source.of(evaluation, names[path], step, len(path) == 1 and times[path[0]] > 1)
        for evaluation, path, step in sorted(
            found.values(),
            key=lambda each: (order.index(each[1]), -1 if each[2] is None else each[2]),
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


def check_same_questions(sources: Sequence[Source]) -> None:
    """Refuse evaluations that cannot be compared."""
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
