"""What an evaluation reports: Avg@k, Pass@k, and how far chance could have moved them.

A policy answers every question n times, and it is known which of the n samples were correct:

    Avg@k   the expected share of correct samples among k of the n. For a question with c correct
            samples that is c/n, whatever k
    Pass@k  the chance that k of the n samples contain a correct one: 1 - C(n - c, k) / C(n, k),
            which is unbiased, unlike 1 - (1 - c/n)^k

Both are means over questions, and every question counts equally. Samples of one question resemble
each other, so intervals come from resampling questions, never single samples.
"""

from collections.abc import Callable, Sequence
from math import ceil, comb, floor, fsum
from random import Random
from typing import NamedTuple

from rlve.errors import UserError

LEVEL = 0.95
RESAMPLES = 10_000
_AT_ONCE = 2**20  # numbers to draw together


class Interval(NamedTuple):
    """A confidence interval, including both ends."""

    low: float
    high: float


def avg_at_k(correct: Sequence[Sequence[bool]], k: int) -> float:
    """Avg@k over questions; `correct` says for each whether its samples were correct."""
    return mean(avg_values(correct, k))


def pass_at_k(correct: Sequence[Sequence[bool]], k: int) -> float:
    """Unbiased Pass@k over questions; `correct` says for each whether its samples were correct."""
    return mean(pass_values(correct, k))


def avg_values(correct: Sequence[Sequence[bool]], k: int) -> list[float]:
    """Avg@k of each question; avg_at_k is their mean, and bootstrap_interval takes them."""
    _check(correct, k)
    return [sum(samples) / len(samples) for samples in correct]


def pass_values(correct: Sequence[Sequence[bool]], k: int) -> list[float]:
    """Pass@k of each question; pass_at_k is their mean, and bootstrap_interval takes them."""
    _check(correct, k)
    values: list[float] = []
    for samples in correct:
        sets = comb(len(samples), k)
        # A quotient of two integers of any size is rounded only once, unlike a difference from 1.
        values.append((sets - comb(len(samples) - sum(samples), k)) / sets)
    return values


def _check(correct: Sequence[Sequence[bool]], k: int) -> None:
    if k < 1:
        raise UserError(f"k must be at least 1, not {k}")
    fewest = min((len(samples) for samples in correct), default=k)
    if k > fewest:
        raise UserError(f"k = {k} needs {k} samples of every question; one has only {fewest}")


def mean(values: Sequence[float]) -> float:
    """The mean; a UserError if there are no values."""
    if not values:
        raise UserError("there is nothing to average: no question was answered")
    return fsum(values) / len(values)


def bootstrap_interval(
    values: Sequence[float],
    *,
    statistic: Callable[[Sequence[float]], float] = mean,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The percentile bootstrap interval of a statistic of the questions.

    `values` has one number per question, such as its share of correct samples, so questions are
    resampled with all their samples. The same arguments give the same interval. If all values are
    equal, the interval is that value: resampling cannot show more than it is given, and 3 correct
    answers to 3 questions are no proof of 100%.
    """
    if not 0 < level < 1:
        raise UserError(f"the level of an interval must be between 0 and 1, not {level}")
    if resamples < 1:
        raise UserError(f"an interval needs at least 1 resample, not {resamples}")
    point = statistic(values)  # fails without values, before any work
    if all(value == values[0] for value in values):
        return Interval(point, point)
    rng = Random(f"bootstrap/{seed}")
    if statistic is mean:
        estimates = _resampled_means(values, resamples, rng)
    else:
        estimates = [statistic(rng.choices(values, k=len(values))) for _ in range(resamples)]
    estimates.sort()
    tail = (1 - level) / 2 * (resamples - 1)
    # Rounded outwards, so that the interval is never narrower than asked for.
    return Interval(estimates[floor(tail)], estimates[ceil(resamples - 1 - tail)])


def _resampled_means(values: Sequence[float], resamples: int, rng: Random) -> list[float]:
    import numpy as np

    n = len(values)
    table = np.asarray(values, dtype=np.float64)
    means: list[float] = []
    rows = max(1, _AT_ONCE // n)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = np.frombuffer(rng.randbytes(4 * n * count), dtype="<u4").astype(np.uint64)
        index = ((drawn * n) >> 32).astype(np.intp)  # 0..n-1, even to within n / 2^32
        means += table[index].reshape(count, n).mean(axis=1).tolist()
    return means


def paired_difference(before: Sequence[float], after: Sequence[float]) -> float:
    """The change of the mean, over the same questions in the same order."""
    return mean(_differences(before, after))


def paired_difference_interval(
    before: Sequence[float],
    after: Sequence[float],
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The bootstrap interval of paired_difference.

    Both answered the same questions, so differences in the difficulty of questions cancel out, and
    this interval is often far narrower than those of the two means.
    """
    return bootstrap_interval(
        _differences(before, after), level=level, resamples=resamples, seed=seed
    )


def _differences(before: Sequence[float], after: Sequence[float]) -> list[float]:
    if len(before) != len(after):
        raise UserError(
            f"only answers to the same questions can be compared; there are {len(before):,} before "
            f"and {len(after):,} after"
        )
    return [b - a for a, b in zip(before, after, strict=True)]
