"""What evaluation frameworks ask, and what they report on one output, as `rlve eval` counts it."""

from rlve.answers import Marker, Reading
from rlve.contract import Problem, Verdict
from rlve.datasets.rows import ProblemRow
from rlve.evaluate.judge import load_problems
from rlve.evaluate.questions import Suite
from rlve.formats import Prompt
from rlve.gym import check_no_dialogue
from rlve.pool import Failure, Request, shared_pool
from rlve.targets import find_format

DEADLINE = 10.0  # seconds for a problem or a verdict


def prompts_of(suite: Suite, format: str) -> list[tuple[ProblemRow, Prompt]]:
    """The questions and their prompts; they are asked once, so none may answer back."""
    check_no_dialogue(row.environment for row in suite.questions)
    questions = suite.in_format(format).questions
    pool = shared_pool(deadline=DEADLINE)
    loaded = load_problems(pool, questions, find_format(format))
    return [(row, loaded[row.id].prompt) for row in questions]


def scores(
    problem: Problem | Request, output: str, marker: Marker
) -> tuple[dict[str, float], str | None]:
    """Correct, correct if read forgivingly, and the reward; why, if it could not be judged.

    An output that cannot be judged counts as wrong.
    """
    exact = forgiving = _judge(problem, output, marker)
    if isinstance(exact, Failure):
        return {"correct": 0.0, "forgiving": 0.0, "reward": -1.0}, exact.message
    if not exact.well_formed:  # as in rlve eval
        forgiving = _judge(problem, output, marker, "forgiving")
    values = {
        "correct": float(exact.correct),
        "forgiving": float(isinstance(forgiving, Verdict) and forgiving.correct),
        "reward": exact.reward,
    }
    return values, None


def _judge(
    problem: Problem | Request, output: str, marker: Marker, reading: Reading = "exact"
) -> Verdict | Failure:
    """The verdict of an isolated worker, from any thread."""
    pool = shared_pool(deadline=DEADLINE)
    [judged] = pool.judge([(problem, output)], marker=marker, reading=reading)
    return judged
