"""What evaluation frameworks report on one output, as `rlve eval` counts it."""

from rlve.answers import Marker, Reading
from rlve.contract import Problem, Verdict
from rlve.datasets.transfer import shared_pool
from rlve.pool import Failure

DEADLINE = 10.0  # seconds for a problem or a verdict


def judge(
    problem: Problem, output: str, marker: Marker, reading: Reading = "exact"
) -> Verdict | Failure:
    """The verdict of an isolated worker, from any thread."""
    pool = shared_pool(deadline=DEADLINE)
    [judged] = pool.judge([(problem, output)], marker=marker, reading=reading)
    return judged


def scores(problem: Problem, output: str, marker: Marker) -> tuple[dict[str, float], str | None]:
    """Correct, correct if read forgivingly, and the reward; why, if it could not be judged.

    An output that cannot be judged counts as wrong.
    """
    exact = forgiving = judge(problem, output, marker)
    if isinstance(exact, Failure):
        return {"correct": 0.0, "forgiving": 0.0, "reward": -1.0}, exact.message
    if not exact.well_formed:  # as in rlve eval
        forgiving = judge(problem, output, marker, "forgiving")
    values = {
        "correct": float(exact.correct),
        "forgiving": float(isinstance(forgiving, Verdict) and forgiving.correct),
        "reward": exact.reward,
    }
    return values, None
