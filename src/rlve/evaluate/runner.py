"""Running an evaluation: questions to a model, its outputs to verifiers, and everything to disk.

    plan = make_plan(suite, model="nano", backend="in process", format="plain")
    results = evaluate(suite, plan, InProcessBackend("nano"), Path("evals/nano"))

Every output is on disk as soon as it arrives, and is judged while others are sampled. An
interrupted evaluation resumes: called again with the same plan, it asks the model only for the
missing samples.
"""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Unpack

import msgspec

from rlve.answers import Marker
from rlve.datasets.outputs import SampleKey, SampleVerdict, StoredOutput
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.backends import Backend, Notify, SampleRequest
from rlve.evaluate.conversations import Conversation, encodable
from rlve.evaluate.judge import (
    JudgeThread,
    LoadedQuestion,
    check_verifiers,
    judge_outputs,
    load_problems,
)
from rlve.evaluate.questions import AS_GIVEN, Suite
from rlve.evaluate.results import (
    EvaluationPlan,
    EvaluationResults,
    ModelSettings,
    StoredEvaluation,
    model_columns,
    read_evaluation,
    read_plan,
    summarise,
    write_results,
)
from rlve.foundation.files import (
    append_line,
    cut_torn_line,
    remove_drafts,
    write_lines,
)
from rlve.foundation.limits import AtLeastOne, check_limit
from rlve.foundation.run_folders import (
    OUTPUTS,
    PLAN,
    SUITE,
    VERDICTS,
    check_own,
    locked,
    read_settings,
    write_settings,
)
from rlve.pool import Pool


class EvaluationProgress(NamedTuple):
    """How far an evaluation has got."""

    planned: int
    arrived: int  # outputs
    judged: int
    correct: int

    @property
    def accuracy(self) -> float | None:
        """The accuracy so far; it drifts, because short outputs arrive first."""
        return self.correct / self.judged if self.judged else None


Watch = Callable[[EvaluationProgress], None]


def make_plan(
    suite: Suite,
    *,
    samples: int | None = None,
    deadline: float | None = None,
    **settings: Unpack[ModelSettings],
) -> EvaluationPlan:
    """The plan of an evaluation; the suite provides what is not given.

    The format is that of all prompts, also of those that a file has in another format; AS_GIVEN
    uses the prompts of the file.
    """
    check_limit("samples", samples, AtLeastOne)
    plan = EvaluationPlan(
        suite=suite.name,
        sha=suite.sha,
        metric=suite.metric,
        k=suite.k,
        deadline=suite.deadline if deadline is None else deadline,
        notes=list(suite.notes),
        samples=suite.samples if samples is None else samples,
        **model_columns(settings),
    )
    if plan.format == AS_GIVEN and plan.system_prompt is not None:
        raise UserError(
            f"{suite.name} comes with its prompts; for a system prompt, choose a format"
        )
    plan.check()
    return plan


def folder_of(plan: EvaluationPlan, folder: Path | None = None, *, alone: bool = True) -> Path:
    """The folder of an evaluation: evals/MODEL/SUITE, or the given one, or a subfolder of it."""
    if folder is None:
        return Path("evals") / slug(plan.model) / slug(plan.suite)
    return folder if alone else folder / slug(plan.suite)


def slug(name: str) -> str:
    """A name made fit for a folder."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "unnamed"


def evaluate(
    suite: Suite,
    plan: EvaluationPlan,
    backend: Backend,
    folder: Path,
    *,
    workers: int | None = None,
    watch: Watch = lambda progress: None,
    notify: Notify = lambda text: None,
) -> EvaluationResults:
    """Carry out a plan, or the rest of it, and write the results to its folder."""
    if folder.is_dir():
        check_own(folder)
    begun = (folder / PLAN).exists()
    questions = suite.in_format(plan.format).questions
    with Pool(workers, deadline=plan.deadline) as pool:
        problems: dict[str, LoadedQuestion] = {}
        if not begun:  # before the folder is made: what cannot be judged leaves nothing behind
            problems = load_problems(pool, questions, plan.prompt_format())
            check_verifiers(pool, problems)
        with open_evaluation(folder, plan, questions) as evaluation:
            missing = len(evaluation.outputs) < len(evaluation.keys())
            if begun:  # it goes on as it began
                problems = load_problems(pool, evaluation.questions, plan.prompt_format())
                if missing:
                    check_verifiers(pool, problems)
            if not missing:
                notify(f"all outputs were already in {folder}; nothing was sampled")
            complete(evaluation, problems, backend, pool, ProgressTeller(evaluation, watch))
            return _report(evaluation)


def complete(
    evaluation: StoredEvaluation,
    problems: Mapping[str, LoadedQuestion],
    backend: Backend,
    pool: Pool,
    progress: "ProgressTeller",
) -> None:
    """Have these questions answered and judged, as far as that is missing, and store it all."""
    folder, sampling = evaluation.folder, evaluation.plan.sampling
    requests, conversations = _requests(problems, evaluation, pool)

    def record(verdict: SampleVerdict) -> None:
        append_line(folder / VERDICTS, verdict)
        evaluation.verdicts[verdict.key] = verdict
        progress.tell(correct=verdict.correct)

    with JudgeThread(pool, problems, record) as judging:
        for key, output in evaluation.outputs.items():
            if key not in evaluation.verdicts:
                judging.add(output)
        if requests:
            # Always closed: abandoned requests would keep a server busy.
            with closing(backend.generate(requests, sampling)) as answers:
                for key, answer in answers:
                    answer = conversations[key].output(answer)
                    text = encodable(answer.text)
                    output = StoredOutput(*key, text, answer.finish, answer.tokens, answer.seconds)
                    append_line(folder / OUTPUTS, output)
                    evaluation.outputs[key] = output
                    progress.tell()
                    judging.add(output)


def rejudge(
    folder: Path,
    *,
    workers: int | None = None,
    deadline: float | None = None,
    marker: Marker | None = None,
    watch: Watch = lambda progress: None,
) -> EvaluationResults:
    """Judge the stored outputs of an evaluation again, without a model, and update its results."""
    read_plan(folder)  # write nothing into another kind of folder, not even a lock
    with locked(folder):
        evaluation = read_evaluation(folder)
        plan = evaluation.plan
        verdicts: dict[SampleKey, SampleVerdict] = {}
        correct = 0
        with Pool(workers, deadline=plan.deadline if deadline is None else deadline) as pool:
            problems = load_problems(pool, evaluation.questions, plan.prompt_format())
            if marker is not None:
                problems = {key: judged._replace(marker=marker) for key, judged in problems.items()}
            check_verifiers(pool, problems)
            outputs = evaluation.outputs
            for verdict in judge_outputs(pool, problems, outputs.values()):
                verdicts[verdict.key] = verdict
                correct += verdict.correct
                watch(EvaluationProgress(len(outputs), len(outputs), len(verdicts), correct))
        write_lines(folder / VERDICTS, verdicts.values())
        return _report(replace(evaluation, verdicts=verdicts))


def _report(evaluation: StoredEvaluation) -> EvaluationResults:
    results = summarise(evaluation)
    write_results(evaluation.folder, results)
    return results


def _requests(
    problems: Mapping[str, LoadedQuestion], evaluation: StoredEvaluation, pool: Pool
) -> tuple[list[SampleRequest], dict[SampleKey, Conversation]]:
    """The missing samples, with all samples of a question next to each other."""
    plan, format = evaluation.plan, evaluation.plan.prompt_format()
    conversations = {
        key: Conversation(judged.problem, format, key, plan.sampling.seed, pool)
        for question, judged in problems.items()
        for key in (SampleKey(question, sample) for sample in range(plan.samples))
        if key not in evaluation.outputs
    }
    requests = [
        conversation.request(problems[key.id].prompt) for key, conversation in conversations.items()
    ]
    return requests, conversations


class ProgressTeller:
    """Tells of outputs, which arrive in one thread, and of verdicts, which arrive in another."""

    def __init__(
        self, evaluation: StoredEvaluation, watch: Watch, planned: int | None = None
    ) -> None:
        self._lock = Lock()
        self._watch = watch
        self._evaluation = evaluation
        self._planned = len(evaluation.keys()) if planned is None else planned
        self._correct = sum(verdict.correct for verdict in evaluation.verdicts.values())
        self.tell()

    def tell(self, *, correct: bool = False) -> None:
        """Tell how far the evaluation has got, after another verdict if one was correct."""
        outputs, verdicts = self._evaluation.outputs, self._evaluation.verdicts
        with self._lock:
            self._correct += correct
            self._watch(
                EvaluationProgress(self._planned, len(outputs), len(verdicts), self._correct)
            )


@contextmanager
def open_evaluation(
    folder: Path, plan: EvaluationPlan, questions: Sequence[ProblemRow], kind: str = "eval"
) -> Generator[StoredEvaluation]:
    """Open the folder for this plan: a new one, or one that already has some of its outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        remove_drafts(folder)
        if not (folder / PLAN).exists():
            strangers = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
            if set(strangers) - {SUITE}:  # a suite alone: it was interrupted before its plan
                raise UserError(f"{folder} is not empty, and not an evaluation: it has no {PLAN}")
            write_lines(folder / SUITE, questions)
            write_settings(folder, kind, plan)
            yield StoredEvaluation(folder, plan, list(questions), {}, {})
            return
        stored = read_settings(folder, kind, type(plan))
        _check_same(folder, stored, plan)
        evaluation = read_evaluation(folder, stored)
        # Verdicts whose outputs were lost when the machine crashed will be replaced.
        verdicts = {k: v for k, v in evaluation.verdicts.items() if k in evaluation.outputs}
        if len(verdicts) < len(evaluation.verdicts):
            write_lines(folder / VERDICTS, verdicts.values())
        for path in (folder / OUTPUTS, folder / VERDICTS):
            if path.exists():
                cut_torn_line(path)
        yield replace(evaluation, verdicts=verdicts)


def _check_same(folder: Path, stored: EvaluationPlan, given: EvaluationPlan) -> None:
    """Check that the plans agree, apart from the server's URL, rlve's version and a budget.

    A model is known by its weights where these are known, whatever its folder is called.
    """
    known = None not in (stored.weights, given.weights)
    if known and stored.model == given.model and stored.weights != given.weights:
        raise UserError(
            f"{folder} holds outputs of {stored.model} with other weights: they have changed since "
            "then. Choose another folder"
        )
    old, new = (_flat(msgspec.to_builtins(plan)) for plan in (stored, given))
    free = {"url", "version", "notes", "weights", "outputs"}
    if known and stored.weights == given.weights:
        free.add("model")
    differences = [
        f"{key} is {old.get(key)!r} there and {new.get(key)!r} here"
        for key in sorted(old | new)
        if key not in free and old.get(key) != new.get(key)
    ]
    if differences:
        raise UserError(
            f"{folder} holds another evaluation: {'; '.join(differences)}. Choose another folder, "
            "or resume it with the same settings"
        )


def _flat(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "sampling"} | plan["sampling"]
