"""Judging outputs in a pool while others still arrive."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple, Self, get_args

from rlve.answers import Marker
from rlve.contract import Problem, Verdict
from rlve.datasets.outputs import SampleVerdict, StoredOutput, sample_verdict
from rlve.datasets.rows import ProblemRow, load_rows
from rlve.errors import UserError
from rlve.formats import Format, Prompt
from rlve.pool import Failure, Pool

AT_ONCE = 512  # outputs that are sent to the pool together


class LoadedQuestion(NamedTuple):
    """The problem that judges a question's outputs, what marks their answers, and the prompt."""

    problem: Problem
    marker: Marker
    prompt: Prompt


def load_problems(
    pool: Pool,
    questions: Sequence[ProblemRow],
    format: Format,
) -> dict[str, LoadedQuestion]:
    """What judges each question's outputs, by its id, and its prompt."""
    rows = [(f"the question {row.id!r}", row) for row in questions]
    loaded_questions: dict[str, LoadedQuestion] = {}
    for row, (problem, text) in zip(questions, load_rows(pool, rows), strict=True):
        prompt = row.asked(format)[0] if row.stated else format.put(problem, text)
        marker = row.marker or "any" if row.prompted else format.marker
        loaded_questions[row.id] = LoadedQuestion(problem, marker, prompt)
    return loaded_questions


def check_verifiers(pool: Pool, problems: Mapping[str, LoadedQuestion]) -> None:
    """Check that outputs can be judged, before a model works for hours.

    With a missing library or a broken verifier, all outputs would be wrong.
    """
    kinds: dict[type[Problem], LoadedQuestion] = {}
    for question in problems.values():
        kinds.setdefault(type(question.problem), question)
    harmless = r"<answer>1</answer> \boxed{1}"
    for kind, (problem, marker, _) in kinds.items():
        [judged] = pool.judge([(problem, harmless)], marker=marker)
        # If it missed the deadline, it may just have been importing a library.
        if isinstance(judged, Failure) and judged.kind != "deadline":
            raise UserError(f"outputs for {kind.__name__} cannot be judged: {judged.message}")


def judge_outputs(
    pool: Pool, problems: Mapping[str, LoadedQuestion], outputs: Iterable[StoredOutput]
) -> Iterator[SampleVerdict]:
    """Judge outputs one after another; a verdict says whether judging failed.

    Answers are read exactly. Ill-formed answers are also read forgivingly, since they may be right,
    but not in the form asked for.
    """
    groups: dict[Marker, list[StoredOutput]] = {marker: [] for marker in get_args(Marker)}
    for output in outputs:
        groups[problems[output.id].marker].append(output)
    for marker, group in groups.items():
        items = ((problems[output.id].problem, output.output) for output in group)
        ill_formed: list[tuple[StoredOutput, Verdict]] = []
        for output, judged in zip(group, pool.judge_iter(items, marker=marker), strict=True):
            if isinstance(judged, Verdict) and not judged.well_formed:
                ill_formed.append((output, judged))
            else:
                yield sample_verdict(output.key, judged)
        items = ((problems[output.id].problem, output.output) for output, _ in ill_formed)
        again = pool.judge_iter(items, marker=marker, reading="forgiving")
        for (output, exact), forgiving in zip(ill_formed, again, strict=True):
            right = isinstance(forgiving, Verdict) and forgiving.correct
            yield sample_verdict(output.key, exact, other_form=right)


class JudgeThread:
    """Judges outputs in a thread of its own, and passes each verdict to `record`.

    Leaving the block waits for the verdicts, unless an exception ends it.
    """

    def __init__(
        self,
        pool: Pool,
        problems: Mapping[str, LoadedQuestion],
        record: Callable[[SampleVerdict], None],
    ) -> None:
        self._pool = pool
        self._problems = problems
        self._record = record
        self._given: SimpleQueue[StoredOutput | None] = SimpleQueue()
        self._error: BaseException | None = None
        self._thread = Thread(target=self._work, name="judge")

    def add(self, output: StoredOutput) -> None:
        if self._error is not None:
            raise self._error
        self._given.put(output)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self._pool.close()  # abandons what is being judged
        self._given.put(None)
        self._thread.join()
        if kind is None and self._error is not None:
            raise self._error

    def _work(self) -> None:
        try:
            more = True
            while more:
                batch = [self._given.get()]
                batch += [self._given.get() for _ in range(min(self._given.qsize(), AT_ONCE - 1))]
                more = None not in batch
                for verdict in judge_outputs(self._pool, self._problems, filter(None, batch)):
                    self._record(verdict)
        except BaseException as error:  # noqa: BLE001  raised again in the thread that waits
            self._error = error
