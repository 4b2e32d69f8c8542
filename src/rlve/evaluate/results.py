"""The results of an evaluation: its folder, read back and summarised.

    plan.json       what was evaluated, and how
    suite.jsonl     the questions
    outputs.jsonl   one line per sample, in the order in which they arrived
    verdicts.jsonl  one line per sample
    results.json    an EvaluationResults
    report.html     the same as a page

Everything after outputs.jsonl can be recreated from what comes before it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NotRequired, Self, TypedDict

import msgspec

from rlve import __version__
from rlve.datasets.outputs import SampleKey, SampleVerdict, StoredOutput, read_samples
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.backends import Sampling
from rlve.evaluate.metrics import avg_values, pass_values
from rlve.evaluate.questions import AS_GIVEN, Metric, read_questions
from rlve.evaluate.weights import fingerprint
from rlve.formats import PLAIN, Format, Prompt
from rlve.foundation.files import pretty, read_record, write_whole
from rlve.foundation.intervals import mean, over_answers
from rlve.foundation.limits import Name
from rlve.foundation.run_folders import OUTPUTS, PLAN, RESULTS, SUITE, VERDICTS, read_settings
from rlve.targets import check_loaded, find_format


class EvaluationPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is evaluated, and how; outputs of different plans do not mix."""

    suite: Name
    sha: str  # of its questions
    metric: Metric
    k: int
    deadline: float
    notes: list[str] = []
    model: Name
    backend: Name
    url: str | None = None
    weights: str | None = None  # the fingerprint of a local model's
    format: Name  # of the prompts; AS_GIVEN if they come with the questions
    system_prompt: str | None = None
    samples: int
    sampling: Sampling
    version: Name

    def check(self) -> None:
        """Raise a UserError for settings that make no sense."""
        self.sampling.check()
        if self.format == AS_GIVEN:
            return
        format = find_format(self.format)  # raises an error for an unknown format
        chat = self.system_prompt is not None or self.sampling.template_arguments
        if chat and isinstance(format.wrap(""), str):
            raise UserError(
                "a system prompt and template arguments are for chats, but the format "
                f"{self.format} is text"
            )

    def prompt_format(self) -> Format:
        """The prompt format; the user's own code is not loaded just because a file names it."""
        if self.format == AS_GIVEN:
            return PLAIN  # of which nothing is used: every question has its prompt and marker
        check_loaded([self.format], PLAN)
        format = find_format(self.format)
        return format if self.system_prompt is None else _with_system(format, self.system_prompt)

    def known_format(self) -> Format | None:
        """The same; None if that is the user's own, and nobody has loaded its code."""
        try:
            return self.prompt_format()
        except UserError:
            return None


class ModelSettings(TypedDict):
    """Which model is asked, and how. Without a URL it is here, and a plan remembers its weights."""

    model: str
    backend: str
    format: str
    url: NotRequired[str | None]
    system_prompt: NotRequired[str | None]
    sampling: NotRequired[Sampling]


def model_columns(settings: ModelSettings) -> dict[str, Any]:
    """What a plan says about the model."""
    weights = fingerprint(settings["model"]) if settings.get("url") is None else None
    return {"sampling": Sampling(), "weights": weights, "version": __version__, **settings}


def _with_system(format: Format, system_prompt: str) -> Format:
    """The same format, with a system message before the others."""

    def opened(wrap: Callable[[str], Prompt]) -> Callable[[str], Prompt]:
        def wrapped(text: str) -> Prompt:
            prompt = wrap(text)
            if isinstance(prompt, str):
                raise UserError(
                    f"a system prompt is for chats, but the format {format.name} is text"
                )
            return [{"role": "system", "content": system_prompt}, *prompt]

        return wrapped

    marked = format.wrap_marked
    return replace(format, wrap=opened(format.wrap), wrap_marked=marked and opened(marked))


@dataclass(frozen=True)
class StoredEvaluation:
    """What the folder of an evaluation holds so far."""

    folder: Path
    plan: EvaluationPlan
    questions: list[ProblemRow]
    outputs: dict[SampleKey, StoredOutput]
    verdicts: dict[SampleKey, SampleVerdict]

    def keys(self) -> list[SampleKey]:
        """All samples in the plan, question by question."""
        return [
            SampleKey(q.id, sample) for q in self.questions for sample in range(self.plan.samples)
        ]


class Endings(msgspec.Struct, frozen=True, kw_only=True):
    """How outputs ended; accuracy also rises when more of them can be read."""

    ill_formed: float  # share of outputs without a readable answer
    truncated: float  # share of outputs that reached a limit
    tokens: float | None  # per output, if all are known

    @classmethod
    def of(cls, evaluation: StoredEvaluation, keys: Sequence[SampleKey]) -> Self:
        outputs = [evaluation.outputs[key] for key in keys]
        tokens = [output.tokens for output in outputs if output.tokens is not None]
        return cls(
            ill_formed=mean([not evaluation.verdicts[key].well_formed for key in keys]),
            truncated=mean([output.finish == "length" for output in outputs]),
            tokens=mean(tokens) if len(tokens) == len(outputs) else None,
        )


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of questions and their outputs.

    Every question counts equally. Intervals are 95% intervals over environments if there are
    several, and otherwise over questions.
    """

    questions: int
    outputs: int
    accuracy: float  # the share of correct outputs
    accuracy_interval: tuple[float, float]
    mean_reward: float
    pass_at: dict[int, float]  # k -> unbiased Pass@k
    truncated: float  # this and the next as in Endings
    ill_formed: float
    lost_to_form: float = 0.0  # share of outputs that are right, but not in the form asked for
    failed: int  # outputs that could not be judged
    unanswered: int = 0  # outputs that never arrived; they count as wrong
    mean_tokens: float | None  # per output, if all are known

    @property
    def forgiving_accuracy(self) -> float:
        """The share of outputs that are correct, whatever the form of their answers."""
        return self.accuracy + self.lost_to_form


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """The number that the paper reports for such a suite."""

    metric: Metric
    k: int
    value: float
    interval: tuple[float, float]

    @property
    def name(self) -> str:
        return f"{self.metric.capitalize()}@{self.k}"


class EvaluationResults(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of results.json."""

    suite: str
    model: str
    samples: int  # per question
    headline: Headline
    overall: Score
    environments: dict[str, Score]
    levels: dict[int, Score]  # by difficulty, for the questions that have one
    notes: list[str] = []


def read_evaluation(folder: Path, plan: EvaluationPlan | None = None) -> StoredEvaluation:
    """The evaluation in a folder, finished or not, of its plan or a given one."""
    plan = read_plan(folder) if plan is None else plan
    questions = read_questions(folder / SUITE)
    outputs = read_samples(folder / OUTPUTS, StoredOutput)
    verdicts = read_samples(folder / VERDICTS, SampleVerdict)
    known = {q.id for q in questions}
    for path, lines in ((OUTPUTS, outputs), (VERDICTS, verdicts)):
        for key in lines:
            if key.id not in known or not 0 <= key.sample < plan.samples:
                raise UserError(
                    f"{folder / path} has sample {key.sample} of {key.id!r}, which is not planned"
                )
    return StoredEvaluation(folder, plan, questions, outputs, verdicts)


def read_plan(folder: Path) -> EvaluationPlan:
    return read_settings(folder, "eval", EvaluationPlan)


def check_finished(evaluation: StoredEvaluation) -> None:
    """Refuse an unfinished evaluation: short outputs come first, and are not representative."""
    wanted = evaluation.keys()
    for what, present in (("outputs", evaluation.outputs), ("verdicts", evaluation.verdicts)):
        missing = sum(key not in present for key in wanted)
        if missing:
            command = "the same rlve eval command" if what == "outputs" else "rlve score"
            raise UserError(
                f"{missing:,} of {len(wanted):,} {what} are missing in {evaluation.folder}; "
                f"finish it with {command}"
            )


def summarise(evaluation: StoredEvaluation) -> EvaluationResults:
    """Summarise a finished evaluation."""
    check_finished(evaluation)
    plan, questions = evaluation.plan, evaluation.questions
    by_environment: dict[str, list[ProblemRow]] = {}
    by_level: dict[int, list[ProblemRow]] = {}
    for question in questions:
        by_environment.setdefault(question.environment, []).append(question)
        if question.difficulty is not None:
            by_level.setdefault(question.difficulty, []).append(question)
    return EvaluationResults(
        suite=plan.suite,
        model=plan.model,
        samples=plan.samples,
        headline=_headline(evaluation),
        overall=_score(evaluation, questions),
        environments={
            name: _score(evaluation, group) for name, group in sorted(by_environment.items())
        },
        levels={level: _score(evaluation, group) for level, group in sorted(by_level.items())},
        notes=plan.notes,
    )


def read_results(folder: Path) -> EvaluationResults:
    """The results.json of a finished evaluation."""
    missing = f"{folder} has no {RESULTS}; is the evaluation finished?"
    return read_record(folder / RESULTS, EvaluationResults, missing=missing)


def write_results(folder: Path, results: EvaluationResults) -> None:
    write_whole(folder / RESULTS, pretty(results))


def correct_by_question(
    evaluation: StoredEvaluation, questions: Iterable[ProblemRow] | None = None
) -> list[list[bool]]:
    """For each question, whether its samples were correct."""
    return _by_question(evaluation, questions, "correct")


def _by_question(
    evaluation: StoredEvaluation, questions: Iterable[ProblemRow] | None, what: str
) -> list[list[Any]]:
    samples = range(evaluation.plan.samples)
    return [
        [getattr(evaluation.verdicts[SampleKey(question.id, sample)], what) for sample in samples]
        for question in (evaluation.questions if questions is None else questions)
    ]


def _headline(evaluation: StoredEvaluation) -> Headline:
    plan = evaluation.plan
    correct = correct_by_question(evaluation)
    if plan.metric == "avg":
        k, values = plan.samples, avg_values(correct, plan.samples)  # over all samples
    else:
        k = min(plan.k, plan.samples)
        values = pass_values(correct, k)
    environments = [question.environment for question in evaluation.questions]
    found = over_answers([values], clusters=environments)
    return Headline(metric=plan.metric, k=k, value=found.estimate, interval=found.ends)


def _score(evaluation: StoredEvaluation, questions: Sequence[ProblemRow]) -> Score:
    plan = evaluation.plan
    correct = correct_by_question(evaluation, questions)
    accuracies = avg_values(correct, plan.samples)
    rewards = [mean(row) for row in _by_question(evaluation, questions, "reward")]
    environments = [question.environment for question in questions]
    keys = [SampleKey(q.id, sample) for q in questions for sample in range(plan.samples)]
    outputs = [evaluation.outputs[key] for key in keys]
    verdicts = [evaluation.verdicts[key] for key in keys]
    endings = Endings.of(evaluation, keys)
    return Score(
        questions=len(questions),
        outputs=len(outputs),
        accuracy=mean(accuracies),
        accuracy_interval=over_answers([accuracies], clusters=environments).ends,
        mean_reward=mean(rewards),
        pass_at={k: mean(pass_values(correct, k)) for k in _ks(plan)},
        truncated=endings.truncated,
        ill_formed=endings.ill_formed,
        lost_to_form=mean([verdict.other_form for verdict in verdicts]),
        failed=sum(verdict.failed for verdict in verdicts),
        unanswered=sum(output.finish == "none" for output in outputs),
        mean_tokens=endings.tokens,
    )


def _ks(plan: EvaluationPlan) -> list[int]:
    """1, 2, 4, ..., and those in the plan."""
    powers = {2**i for i in range(plan.samples.bit_length())}
    return sorted(k for k in powers | {plan.k, plan.samples} if k <= plan.samples)
