"""A model's own correct outputs as examples to learn from: rejection sampling."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rlve.datasets.examples import example_row
from rlve.datasets.rows import ProblemRow, row_writer
from rlve.errors import UserError
from rlve.evaluate.results import read_evaluation
from rlve.formats import Format, Prompt, prompt_format
from rlve.foundation.files import read_lines
from rlve.foundation.run_folders import GROUPS, run_kind
from rlve.models.locations import require_torch
from rlve.registry import DIALOGUE, family
from rlve.reports.terminal import say
from rlve.train.config import read_config
from rlve.train.history import GroupRecord, GroupSample, read_history


class Wanted(NamedTuple):
    """Which problems to take; None or nothing is all."""

    environments: tuple[str, ...]
    levels: set[int] | None

    def takes(self, problem: ProblemRow | GroupSample) -> bool:
        return (not self.environments or problem.environment in self.environments) and (
            self.levels is None or problem.difficulty in self.levels
        )


class _Answer(NamedTuple):
    """A problem, what the model was given, and what it wrote."""

    row: ProblemRow
    prompt: Prompt
    output: str


def write_examples(folder: Path, path: Path, per_problem: int, wanted: Wanted) -> None:
    """Write correct, finished outputs, up to so many different ones for each problem."""
    evaluated = run_kind(folder).name == "eval"
    answers = _evaluated(folder) if evaluated else _trained(folder)
    taken: dict[str, set[str]] = {}
    with row_writer(path) as write:
        for row, prompt, output in answers:
            of_problem = taken.setdefault(row.id, set())
            fits = wanted.takes(row) and family(row.environment) != DIALOGUE
            if fits and output not in of_problem and len(of_problem) < per_problem:
                of_problem.add(output)
                write(example_row(row, prompt, output))
        written = [len(outputs) for outputs in taken.values() if outputs]
        if not written:
            raise UserError(f"{folder} has no correct, finished outputs of such problems")
    say(f"{sum(written):,} outputs for {len(written):,} problems written to {path}")


def _evaluated(folder: Path) -> Iterator[_Answer]:
    evaluation = read_evaluation(folder)
    format = evaluation.plan.prompt_format()
    rows = {row.id: row for row in evaluation.questions}
    for key, output in evaluation.outputs.items():
        verdict = evaluation.verdicts.get(key)
        if verdict is not None and verdict.correct and output.finish == "stop":
            row = rows[key.id]
            yield _Answer(row, row.asked(format)[0], output.output)


def _trained(folder: Path) -> Iterator[_Answer]:
    history = read_history(folder)
    format = _format_of(folder)
    cut = {
        (group.step, group.environment, group.seed): group.truncated
        for group in read_lines(folder / GROUPS, GroupRecord)
    }
    for sample in history.samples:
        row = ProblemRow(
            id=f"{sample.environment}/{sample.difficulty}/{sample.seed}",
            environment=sample.environment,
            difficulty=sample.difficulty,
            seed=sample.seed,
        )
        truncated = cut.get((sample.step, sample.environment, sample.seed), [])
        for output in sample.outputs:
            if output.verdict.correct and output.place not in truncated:
                yield _Answer(row, format.wrap(sample.prompt), output.text)


def _format_of(run: Path) -> Format:
    """How a run put problems to its model; the model's tokenizer decides, if no setting does."""
    policy = read_config(run).policy
    if policy.format != "auto":
        return prompt_format(policy.format)
    require_torch("a run's prompt format")
    from rlve.models.policy import load_reader

    return load_reader(policy).format
