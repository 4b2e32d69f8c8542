"""Where accuracy falls to a half: what right and wrong answers say about it.

In one environment, the chance of a right answer falls with the difficulty d along a logistic curve,
from 1 - lapse where it is easy to floor, what guesses win, where it is hard. The frontier f is the
difficulty at which the chance is 1/2:

    chance(d) = floor + (1 - floor - lapse) / (1 + exp(-(slope (f - d) + shift)))

with the shift that makes chance(f) = 1/2. The slope is positive, so the curve never rises. All
four are taken from a grid, on which probabilities are exact sums: there is nothing to converge.

Environments lend each other strength. The frontiers of a family are normally distributed around a
mean with a spread, of which both are unknown, as well; one in ten may be anywhere. What is known of
slope, floor and lapse in all environments is expected of each. Both are learnt from the answers
alone, anew each time.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rlve.evaluate.frontier import HIGHEST, Tallies, Tally
from rlve.foundation.intervals import LEVEL, Interval

Values = NDArray[np.float64]

LOWEST = -4  # the lowest frontier: below 0, half is not reached at any difficulty
STEP = 0.25  # between two frontiers of the grid

SLOPES = (0.1, 0.14, 0.2, 0.28, 0.4, 0.57, 0.8, 1.13, 1.6, 2.26, 3.2)
ENDS = ((0, 0), (0.1, 0), (0.25, 0), (0, 0.1), (0, 0.25), (0.1, 0.1))  # floors and lapses

MEANS = (-2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 29, 38, 50, 65, 85)  # of a family
SPREADS = (1.0, 2.0, 4.0, 8.0)
ELSEWHERE = 0.1  # the share of environments that are unlike their family
BEGINNING = 2.0  # what is expected at first counts as much as this many families
ROUNDS = 4  # of learning what is expected; it hardly changes afterwards


@dataclass(frozen=True)
class Posterior:
    """What is known about a frontier: the chance that it is at most each value of the grid."""

    values: Values
    chances: Values

    def quantile(self, chance: float) -> float:
        """The value that the frontier does not exceed with this chance."""
        return float(np.interp(chance, self.chances, self.values))

    def below(self, value: float) -> float:
        """The chance that the frontier is below a value."""
        return float(np.interp(value, self.values, self.chances))

    def interval(self, top: int) -> Interval:
        """The median and the 95% interval, of what can be told apart: 0 to the top."""
        tail = (1 - LEVEL) / 2
        low, middle, high = (
            min(max(self.quantile(chance), 0.0), float(top)) for chance in (tail, 0.5, 1 - tail)
        )
        return Interval(middle, low, high)

    def levels(self, count: int, top: int) -> list[int]:
        """Difficulties for so many more outputs: evenly spread over what the frontier may be."""
        places = (self.quantile((i + 0.5) / count) for i in range(count))
        return [min(max(round(place), 0), top) for place in places]


def posteriors(
    tallies: Mapping[str, Tallies], families: Mapping[str, Hashable]
) -> dict[str, Posterior]:
    """What the answers of each environment, and of others, say about its frontier."""
    values = _frontiers()
    names = list(tallies)
    alone = _likelihoods([tallies[name] for name in names])
    members: dict[Hashable, list[int]] = {}
    for index, name in enumerate(names):
        members.setdefault(families[name], []).append(index)
    shapes = np.full(alone.shape[2], 1 / alone.shape[2])  # of curves: slope, floor, lapse
    normals = _normals()
    kinds = np.full(len(normals), 1 / len(normals))  # of families: mean and spread
    beginning = shapes, kinds
    found = np.empty(alone.shape[:2])
    for _ in range(ROUNDS):
        likely = alone @ shapes
        expected, learnt = _expected(likely, normals, kinds, members.values())
        found = likely * expected
        found /= found.sum(axis=1, keepdims=True)
        share = expected / (likely * expected).sum(axis=1, keepdims=True)
        seen = shapes * np.tensordot(share, alone, axes=2)
        shapes = (seen + BEGINNING * beginning[0]) / (len(names) + BEGINNING)
        kinds = (learnt + BEGINNING * beginning[1]) / (len(members) + BEGINNING)
    chances = np.cumsum(found, axis=1)
    # A value of the grid stands for what is around it: half of its chance is above it.
    chances -= found / 2
    return {name: Posterior(values, chances[index]) for index, name in enumerate(names)}


def _expected(
    likely: Values, normals: Values, kinds: Values, families: Collection[list[int]]
) -> tuple[Values, Values]:
    """What the rest of its family says about each frontier; and how many families are which."""
    expected = np.empty_like(likely)
    learnt = np.zeros_like(kinds)
    evidence = np.log(likely @ normals.T)  # of each environment, for each kind of family
    for family in families:
        together = np.log(kinds) + evidence[family].sum(axis=0)
        learnt += _normalise(together)
        for index in family:
            expected[index] = _normalise(together - evidence[index]) @ normals
    return expected, learnt


def _normalise(logarithms: Values) -> Values:
    chances = np.exp(logarithms - logarithms.max())
    return chances / chances.sum()


def _likelihoods(tallies: Sequence[Tallies]) -> Values:
    """The chances of answers, up to a factor each, for each frontier and each shape of a curve."""
    levels = sorted({level for each in tallies for level in each})
    total = np.zeros((len(tallies), len(_frontiers()), len(_shapes()[0])))
    if levels:
        for kind in (0, 1):
            counts = [[each.get(level, Tally())[kind] for level in levels] for each in tallies]
            logarithms = np.stack([_logarithms(level)[kind] for level in levels])
            total += np.tensordot(np.asarray(counts, dtype=np.float32), logarithms, axes=1)
    return np.exp(total - total.max(axis=(1, 2), keepdims=True))


@cache
def _frontiers() -> Values:
    return np.arange(LOWEST, HIGHEST + 1 + STEP / 2, STEP)


@cache
def _shapes() -> tuple[Values, ...]:
    """The slope, floor and lapse of each shape of a curve."""
    shapes = [(slope, *ends) for slope in SLOPES for ends in ENDS]
    return tuple(np.asarray(each, dtype=np.float64) for each in zip(*shapes, strict=True))


@cache
def _logarithms(difficulty: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Of the chances to be right and wrong at a difficulty, for each frontier and each shape."""
    slope, floor, lapse = _shapes()
    reach = 1 - floor - lapse
    share = (0.5 - floor) / reach
    distance = _frontiers()[:, None] - difficulty
    steep = 1 / (1 + np.exp(-np.clip(slope * distance + np.log(share / (1 - share)), -50, 50)))
    # Nobody is always right or always wrong: one slip in a thousand must not decide.
    right = np.clip(floor + reach * steep, 0.001, 0.999)
    return np.log(right).astype(np.float32), np.log(1 - right).astype(np.float32)


@cache
def _normals() -> Values:
    """The frontiers of each kind of family: a row of chances for each mean and spread."""
    values = _frontiers()
    anywhere = 1 / (values - LOWEST + 2)  # a level more matters less, the higher it is
    anywhere /= anywhere.sum()
    mean, spread = (axis.ravel() for axis in np.meshgrid(MEANS, SPREADS, indexing="ij"))
    near = np.exp(-(((values - mean[:, None]) / spread[:, None]) ** 2) / 2)
    near /= near.sum(axis=1, keepdims=True)
    return (1 - ELSEWHERE) * near + ELSEWHERE * anywhere
