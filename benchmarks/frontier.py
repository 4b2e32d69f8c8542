"""How well `rlve frontier` finds the frontiers of models whose curves are known.

    python benchmarks/frontier.py             # how close estimates are, and whether seeds agree
    python benchmarks/frontier.py --fixed     # how many outputs fixed levels need

A simulated model has, for each of the 50 held-out environments, a curve of its own: a frontier
near that of its family (one in ten is anywhere), a slope, a floor that guesses reach and a share of
slips. Its answers are drawn from that curve. Questions are chosen and judged as for a real model,
except that there are none: only their difficulties count.

    within half a level   the share of environments whose estimate is that close to the truth
    covered               the share of environments whose 95% interval holds the truth
    width                 the median width of these intervals, in levels
    agree                 the share of environments whose intervals, from two seeds, overlap
    differ by chance      the share whose difference is within the interval of the difference

Fixed levels spend the same number of outputs on each of a range of difficulties, and their answers
are read by the same estimator.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log
from random import Random
from statistics import fmean, median

from rlve.collections import HELD_OUT
from rlve.evaluate.frontier.compare import difference
from rlve.evaluate.frontier.curves import Posterior, Tally, posteriors
from rlve.evaluate.frontier.measure import OUTPUTS_EACH, next_levels
from rlve.evaluate.frontier.profile import Measured, highest
from rlve.registry import family
from rlve.reports.terminal import print_table

FAMILIES = {name: family(name) for name in HELD_OUT}
TOPS = {name: highest(name) for name in HELD_OUT}

Answers = dict[str, dict[int, Tally]]


@dataclass(frozen=True)
class Curve:
    """The chance of a right answer, by difficulty; a half at the frontier."""

    frontier: float
    slope: float
    floor: float
    lapse: float
    shape: Callable[[float], float]  # from minus to plus infinity, from 0 to 1; 1/2 at 0

    def chance(self, difficulty: int) -> float:
        reach = 1 - self.floor - self.lapse
        share = (0.5 - self.floor) / reach
        middle = log(share / (1 - share))
        rise = self.shape(self.slope * (self.frontier - difficulty) + middle)
        return self.floor + reach * rise


def logistic(x: float) -> float:
    return 1 / (1 + exp(-min(50.0, max(-50.0, x))))


def straight(x: float) -> float:
    """A straight line, with the slope of a logistic curve of 2/3: not what is expected."""
    return min(1.0, max(0.0, 0.5 + x / 6))


def simulated_model(rng: Random, shape: Callable[[float], float], slope: float) -> dict[str, Curve]:
    middles = {each: rng.gauss(3, 2.5) for each in dict.fromkeys(FAMILIES.values())}
    curves: dict[str, Curve] = {}
    for name, each in FAMILIES.items():
        frontier = rng.uniform(-2, 25) if rng.random() < 0.1 else rng.gauss(middles[each], 2)
        curves[name] = Curve(
            max(-3.0, frontier),
            slope * exp(rng.gauss(0, 0.4)),
            rng.choice((0.0, 0.0, 0.0, 0.05, 0.2)),
            rng.choice((0.0, 0.0, 0.03, 0.1)),
            shape,
        )
    return curves


def ask(curves: dict[str, Curve], answers: Answers, name: str, level: int, rng: Random) -> None:
    right = rng.random() < curves[name].chance(level)
    tally = answers[name].get(level, Tally())
    answers[name][level] = Tally(tally.right + right, tally.wrong + (not right))


def adaptive(curves: dict[str, Curve], each: int, rng: Random) -> tuple[Answers, int]:
    """The answers at the levels that `rlve frontier` chooses, and how many there are."""
    answers: Answers = {name: {} for name in curves}
    asked = 0
    while levels := next_levels(answers, FAMILIES, TOPS, each * len(curves) - asked):
        for name, level in levels:
            ask(curves, answers, name, level, rng)
        asked += len(levels)
    return answers, asked


def fixed(curves: dict[str, Curve], each: int, levels: range, rng: Random) -> Answers:
    answers: Answers = {name: {} for name in curves}
    for name in curves:
        usable = [level for level in levels if level <= TOPS[name]]
        for number in range(each):
            ask(curves, answers, name, usable[number * len(usable) // each], rng)
    return answers


@dataclass(frozen=True)
class Quality:
    """How good the estimates of one model are."""

    within: float
    covered: float
    width: float
    estimates: list[Measured]


def quality(curves: dict[str, Curve], answers: Answers) -> Quality:
    found: dict[str, Posterior] = posteriors(answers, FAMILIES)
    intervals = {name: found[name].interval(TOPS[name]) for name in curves}
    truth = {name: min(max(c.frontier, 0.0), TOPS[name]) for name, c in curves.items()}
    return Quality(
        fmean(abs(intervals[name].estimate - truth[name]) <= 0.5 for name in curves),
        fmean(each.low <= truth[name] <= each.high for name, each in intervals.items()),
        median(each.high - each.low for each in intervals.values()),
        [Measured.of(each) for each in intervals.values()],
    )


def agreement(first: Quality, second: Quality) -> tuple[float, float]:
    pairs = list(zip(first.estimates, second.estimates, strict=True))
    overlap = [
        max(a.interval[0], b.interval[0]) <= min(a.interval[1], b.interval[1]) for a, b in pairs
    ]
    alike = [(d := difference(b, a)).interval[0] <= 0 <= d.interval[1] for a, b in pairs]
    return fmean(overlap), fmean(alike)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, default=10, help="simulated models of each kind")
    parser.add_argument("--each", type=int, default=OUTPUTS_EACH, help="outputs per environment")
    parser.add_argument("--fixed", action="store_true", help="compare with fixed levels")
    options = parser.parse_args()
    if options.fixed:
        compare_with_fixed(options.models, options.each)
        return
    kinds = {
        "logistic, slope 1": (logistic, 1.0),
        "logistic, slope 2": (logistic, 2.0),
        "logistic, slope 1/2": (logistic, 0.5),
        "straight, slope 2/3": (straight, 1.0),
    }
    rows: list[tuple[str, ...]] = []
    for kind, (shape, slope) in kinds.items():
        scores: list[tuple[float, ...]] = []
        for number in range(options.models):
            rng = Random(f"{kind}/{number}")
            curves = simulated_model(rng, shape, slope)
            (first, asked), (second, _) = (adaptive(curves, options.each, rng) for _ in range(2))
            one, two = quality(curves, first), quality(curves, second)
            overlap, alike = agreement(one, two)
            spent = asked / len(curves)
            scores.append((spent, one.within, one.covered, one.width, overlap, alike))
        spent, within, covered, width, overlap, alike = map(fmean, zip(*scores, strict=True))
        rows.append(
            (
                *(kind, f"{spent:.0f}", f"{within:.1%}", f"{covered:.1%}", f"{width:.2f}"),
                *(f"{overlap:.1%}", f"{alike:.1%}"),
            )
        )
    columns = ("curves", "outputs", "within half a level", "covered", "width", "agree")
    print_table((*columns, "differ by chance"), rows)


def compare_with_fixed(models: int, each: int) -> None:
    """How many outputs fixed levels need for intervals that are as narrow."""
    rows: list[tuple[str, ...]] = []
    made = []
    for number in range(models):
        rng = Random(f"fixed/{number}")
        curves = simulated_model(rng, logistic, 1.0)
        answers, asked = adaptive(curves, each, rng)
        made.append((curves, quality(curves, answers), asked / len(curves)))
    width = fmean(found.width for _, found, _ in made)
    spent = fmean(spent for _, _, spent in made)
    within = fmean(found.within for _, found, _ in made)
    rows.append(("adaptive", f"{spent:.0f}", f"{width:.2f}", f"{within:.1%}"))
    for levels in (range(10), range(20)):
        for times in (1, 2, 3, 4, 6):
            scores: list[tuple[float, float]] = []
            for number, (curves, _, spent_here) in enumerate(made):
                rng = Random(f"fixed/{number}/{levels}/{times}")
                found = quality(curves, fixed(curves, round(times * spent_here), levels, rng))
                scores.append((found.width, found.within))
            reached, near = map(fmean, zip(*scores, strict=True))
            words = f"fixed, 0..{levels[-1]}"
            rows.append((words, f"{times * spent:.0f}", f"{reached:.2f}", f"{near:.1%}"))
            if reached <= width:
                break
    print_table(("levels", "outputs", "width", "within half a level"), rows)


if __name__ == "__main__":
    main()
