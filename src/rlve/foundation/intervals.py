"""How far chance could have moved a number: estimates with 95% intervals.

What is a sample is resampled: questions or, where questions come from environments and the
statement is about environments, whole environments with all their questions (a cluster bootstrap).
Two policies that answered the same questions are compared by their differences, question by
question. Where a number is the mean over several runs, their spread is in the interval as well.
"""

from collections.abc import Hashable, Mapping, Sequence
from math import comb, fsum, pi, sqrt, tan
from random import Random
from statistics import NormalDist, fmean, variance
from typing import TYPE_CHECKING, NamedTuple

from rlve.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
RESAMPLES = 10_000
NORMAL = 1.96  # standard errors to either side of a mean
CHANCE = 0.05  # the probability of calling something a change that is none
FEW = 10  # a bootstrap of fewer clusters gives hardly more than their range
QUESTIONS, ENVIRONMENTS = "over questions", "over environments"
_AT_ONCE = 2**19  # numbers to draw together


class Interval(NamedTuple):
    """An estimate with its interval, including both ends."""

    estimate: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether it excludes 0, that is, no change."""
        return self.low > 0 or self.high < 0

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def widen(self, below: float, above: float) -> "Interval":
        """The interval of a sum with something independent that has these half-widths.

        Squares of half-widths add up on either side, as variances do (Zou and Donner's method).
        """
        low = self.estimate - sqrt((self.estimate - self.low) ** 2 + below**2)
        return Interval(
            self.estimate, low, self.estimate + sqrt((self.high - self.estimate) ** 2 + above**2)
        )


def mean(values: Sequence[float]) -> float:
    """The mean; a UserError if there are no values."""
    if not values:
        raise UserError("there is nothing to average: no question was answered")
    return fsum(values) / len(values)


def bootstrap(values: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Interval:
    """The mean of the values, with its percentile bootstrap interval.

    `clusters` says for each value what it belongs to; these are resampled, by default each value by
    itself. Every value counts equally, so a cluster counts by its size. The same arguments give the
    same interval. If all are equal, the interval is that value: resampling cannot show more than it
    is given, and 3 correct answers to 3 questions are no proof of 100%.
    """
    estimate = mean(values)  # fails without values, before any work
    groups = _by_cluster(values, clusters)
    sums, sizes = list(map(fsum, groups)), list(map(len, groups))
    means = [total / size for total, size in zip(sums, sizes, strict=True)]
    if all(each == means[0] for each in means):
        return Interval(estimate, estimate, estimate)
    tail = int((1 - LEVEL) / 2 * RESAMPLES)
    low, high = _resample(sums, sizes, (tail, RESAMPLES - 1 - tail))
    return Interval(estimate, low, high)


def _resample(sums: Sequence[float], sizes: Sequence[int], places: Sequence[int]) -> list[float]:
    """The means of resampled clusters that come at these places when they are sorted."""
    import numpy as np

    rng, n = Random("bootstrap"), len(sums)
    table, weights = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    rows = max(1, _AT_ONCE // n)
    drawn: list[NDArray[np.intp]] = []
    for start in range(0, RESAMPLES, rows):
        drawn.append(_choices(rng, n, min(rows, RESAMPLES - start)))
    means = np.concatenate([table[i].sum(axis=1) / weights[i].sum(axis=1) for i in drawn])

    def exact(resample: int) -> float:
        index: list[int] = drawn[resample // rows][resample % rows].tolist()
        return fsum(sums[i] for i in index) / sum(sizes[i] for i in index)

    found: list[float] = []
    for place in places:  # those that are close are added up again exactly: machines must agree
        value = np.partition(means, place)[place]
        near = np.flatnonzero(np.isclose(means, value, rtol=1e-9, atol=1e-12)).tolist()
        below = int((means < means[near].min()).sum())
        found.append(sorted(map(exact, near))[place - below])
    return found


def _choices(rng: Random, n: int, count: int) -> "NDArray[np.intp]":
    """What rng.choices(range(n), k=n) gives `count` times in a row."""
    import numpy as np

    words = np.frombuffer(rng.randbytes(8 * n * count), dtype="<u4").astype(np.uint64)
    uniform = ((words[::2] >> 5) * 2**26 + (words[1::2] >> 6)) / 2**53
    return (uniform * n).astype(np.intp).reshape(count, n)


def over_problems(strata: Sequence[Sequence[float]]) -> Interval | None:
    """The mean over strata (an environment and a level), with the error of sampling problems."""
    if any(len(stratum) < 2 for stratum in strata):
        return None
    estimate = fmean(map(fmean, strata))
    error = sqrt(fsum(map(_of_mean, strata))) / len(strata)
    return Interval(estimate, estimate - NORMAL * error, estimate + NORMAL * error)


def _of_mean(values: Sequence[float]) -> float:
    """The variance of their mean; a page with many runs has no time for statistics.variance."""
    number, middle = len(values), fmean(values)
    return fsum((value - middle) ** 2 for value in values) / (number - 1) / number


def over_shares(strata: Sequence[tuple[float, int]], environments: int) -> Interval:
    """The mean over strata of the shares of so many problems that were solved in each.

    It is `over_problems` of their marks, computed quickly. Where these show no spread, because they
    agree in each stratum or are one each, and for a single environment, it is Wilson's interval.
    """
    estimate = fmean(share for share, _ in strata)
    if environments > 1 and min(number for _, number in strata) > 1:
        spread = fsum(share * (1 - share) / (number - 1) for share, number in strata)
        if spread > 0:
            reach = NORMAL * sqrt(spread) / len(strata)
            return Interval(estimate, max(0.0, estimate - reach), min(1.0, estimate + reach))
    return wilson(estimate, sum(number for _, number in strata))


def over_environments(values: Sequence[float]) -> Interval | None:
    """The mean over environments, with the error of sampling environments, by bootstrap."""
    return bootstrap(values) if len(values) > 1 else None


def over_runs(
    after: Sequence[Sequence[float]],
    before: Sequence[Sequence[float]] = (),
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """The mean of one way's runs, less that of another's, which answered the same questions.

    Each run has a value for each question. The interval is over questions, or over the clusters
    they come from, and over runs, where a way has several. Few clusters or runs say little about
    others, so it is widened as Student's distribution asks.
    """
    values = _average(after)
    if before:
        others = _average(before)
        if len(values) != len(others):
            raise UserError(
                "only answers to the same questions can be compared; there are "
                f"{len(others):,} before and {len(values):,} after"
            )
        values = [b - a for a, b in zip(others, values, strict=True)]
    resampled = clusters if over_what(clusters) == ENVIRONMENTS else None
    found = _over_clusters(values, resampled or range(len(values)))
    return _include_runs(found, *([fmean(values) for values in runs] for runs in (after, before)))


def wilson(share: float, n: int) -> Interval:
    """A share of n, with Wilson's interval: with few, or if all agree, it still has a width."""
    square = NORMAL**2 / n
    middle = (share + square / 2) / (1 + square)
    reach = NORMAL / (1 + square) * sqrt(share * (1 - share) / n + square / (4 * n))
    return Interval(share, max(0.0, middle - reach), min(1.0, middle + reach))


def over_answers(
    after: Sequence[Sequence[float]],
    before: Sequence[Sequence[float]] = (),
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """As over_runs, for shares of correct answers, which lie between 0 and 1.

    Questions that all come from one environment have Wilson's interval. So has what is the same in
    all environments, where resampling shows no spread, by their number; a difference that is the
    same everywhere has Agresti and Min's. So 0 of 8 is not 0 for certain. No interval goes beyond
    what is possible.
    """
    found = over_runs(after, before, clusters)
    several = over_what(clusters) == ENVIRONMENTS
    number = len(set(clusters or ())) if several else len(after[0])
    if before:
        if found.low == found.high:
            up, down = (number * max(0.0, sign * found.estimate) for sign in (1, -1))
            found = Interval(found.estimate, *change_interval(up, down, number))
        return Interval(found.estimate, max(-1.0, found.low), min(1.0, found.high))
    if found.low == found.high or not several:
        found = _include_runs(wilson(found.estimate, number), [fmean(run) for run in after])
    return Interval(found.estimate, max(0.0, found.low), min(1.0, found.high))


def over_what(clusters: Sequence[Hashable] | None) -> str:
    """What an interval is over: environments if there are several, and otherwise questions."""
    return ENVIRONMENTS if clusters is not None and len(set(clusters)) > 1 else QUESTIONS


def _include_runs(found: Interval, *ways: Sequence[float]) -> Interval:
    """An interval over questions, with the spread of runs as well.

    Each way has the means of its runs. They are taken to vary as much in one way as in another, so
    two ways of two runs say more about it than one; a single run says nothing, and is left out.
    """
    several = [means for means in ways if len(means) > 1]
    freedom = sum(len(means) - 1 for means in several)
    if not freedom:
        return found
    pooled = fsum((len(means) - 1) * variance(means) for means in several) / freedom
    spread = student(freedom) * sqrt(pooled * fsum(1 / len(means) for means in several))
    return found.widen(spread, spread)


def _over_clusters(values: Sequence[float], clusters: Sequence[Hashable]) -> Interval:
    """A bootstrap of clusters or, if they are few, Student's interval."""
    groups = _by_cluster(values, clusters)
    number, estimate = len(groups), mean(values)
    if number == 1:
        return Interval(estimate, estimate, estimate)
    factor = sqrt(number / (number - 1)) * student(number - 1)
    if number < FEW:
        errors = ((fsum(group) - len(group) * estimate) ** 2 for group in groups)
        reach = factor * sqrt(fsum(errors)) / len(values)
        return Interval(estimate, estimate - reach, estimate + reach)
    _, low, high = bootstrap(values, clusters)
    wider = factor / NORMAL
    return Interval(
        estimate, estimate - wider * (estimate - low), estimate + wider * (high - estimate)
    )


def _by_cluster(values: Sequence[float], clusters: Sequence[Hashable] | None) -> list[list[float]]:
    groups: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters or range(len(values)), strict=True):
        groups.setdefault(cluster, []).append(value)
    return list(groups.values())


def _average(runs: Sequence[Sequence[float]]) -> list[float]:
    return [fmean(values) for values in zip(*runs, strict=True)]


def student(freedom: int) -> float:
    """The 97.5% quantile of Student's distribution, to within 1%."""
    share = (1 + LEVEL) / 2
    if freedom == 1:
        return tan(pi * (share - 0.5))
    if freedom == 2:
        return (2 * share - 1) * sqrt(2 / (4 * share * (1 - share)))
    z = NormalDist().inv_cdf(share)  # Fisher's expansion around the normal distribution
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


def chance_of(turned: tuple[int, int]) -> float:
    """How likely so uneven a split is if either way is as likely: the exact sign test."""
    total = sum(turned)
    tail = sum(comb(total, k) for k in range(min(turned) + 1)) / 2**total
    return min(1.0, 2 * tail)


def change_interval(up: float, down: float, total: int) -> tuple[float, float]:
    """The 95% interval of the change in accuracy, if so many of all problems turned.

    Agresti and Min's (2005) for matched pairs: half a problem is added to each of the four kinds,
    without which it would be too narrow for few problems.
    """
    total, changed, change = total + 2, up + down + 1, up - down
    error = NORMAL * sqrt(changed - change * change / total)
    return max(-1.0, (change - error) / total), min(1.0, (change + error) / total)


def beyond_chance(chances: Mapping[str, float]) -> list[str]:
    """The names whose probabilities are so small, among so many, that chance is no explanation.

    Holm's method: if nothing has changed, the probability that any is named is at most CHANCE.
    """
    found: list[str] = []
    for rank, name in enumerate(sorted(chances, key=lambda name: chances[name])):
        if chances[name] > CHANCE / (len(chances) - rank):
            break
        found.append(name)
    return found
