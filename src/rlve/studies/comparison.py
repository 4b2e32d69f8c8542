"""What an experiment found: for each way of training, what changed, and how sure that is.

Intervals have 95% and are of changes in pairs, because the same problems are asked each time:

- on what is trained on, over problems: what is asked about is these environments, of which the
  problems are a sample;
- on what is held out, over environments (a bootstrap): what is asked about is other environments
  than those trained on, of which these are a sample.

Outcomes of several seeds are averaged first. How far seeds differ, tables show beside.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random
from statistics import fmean, variance
from typing import NamedTuple

import msgspec

from rlve.studies.collected import CellStep, Results, Which
from rlve.studies.experiments import (
    Cell,
    environments_of,
)

RESAMPLES = 10_000
NORMAL = 1.96  # standard errors to either side of a mean


class Interval(NamedTuple):
    """An estimate, and where the truth lies with 95%."""

    estimate: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether it excludes that nothing changed."""
        return self.low > 0 or self.high < 0


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy at the start and at the end; lists have a number for each seed."""

    start: list[float]
    end: list[float]
    at_equal_tokens: list[float]
    """After as many tokens as were sampled by the way of training that took the fewest."""
    change: Interval | None
    """From start to end; None where there is too little to tell."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One way of training; lists have a number for each seed."""

    trained_on: str
    environments: int
    setting: str
    seeds: list[int]
    step: int
    trained: Outcome
    held_out: Outcome | None
    effective_prompt_ratio: list[float]
    effective_in_last_tenth: list[float]
    high: list[float] | None
    """h in the end, its mean over environments; None if it does not adapt."""
    trained_groups: list[int]
    rollouts: list[int]
    tokens: list[int]
    dropped: list[int]
    seconds: list[float]


def compared(results: Results) -> list[list[Cell]]:
    """The cells that are compared with one another: all of a setting, or all of one collection.

    Where there are several settings, each environment or collection is a comparison of its own.
    """
    if len(results.plan.settings) == 1:
        return [results.cells()]
    return [results.cells(name) for name in results.trained_on()]


def summarise(results: Results) -> list[Summary]:
    """Every way of training, in the order of the plan."""
    return [
        _summary(results, cells, rivals)
        for rivals in compared(results)
        for cells in ways(rivals).values()
    ]


def ways(cells: Sequence[Cell]) -> dict[tuple[str, str], list[Cell]]:
    """The cells that differ by their seeds alone, by what they are trained on and setting."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        found.setdefault((cell.trained_on, cell.setting), []).append(cell)
    return dict(sorted(found.items(), key=lambda item: cells.index(item[1][0])))


def _summary(results: Results, cells: Sequence[Cell], rivals: Sequence[Cell]) -> Summary:
    step = results.compared_at(rivals)
    runs = [results.until(cell, step) for cell in cells]
    fewest = min(
        fmean(results.sampled(cell)[step] for cell in each) for each in ways(rivals).values()
    )
    highs = [results.highest(cell, step) for cell in cells]
    first = cells[0]
    return Summary(
        trained_on=first.trained_on,
        environments=len(environments_of(first.trained_on)),
        setting=first.setting,
        seeds=[cell.seed for cell in cells],
        step=step,
        trained=_outcome(results, cells, step, fewest, "trained"),
        held_out=_outcome(results, cells, step, fewest, "held out")
        if results.plan.test.held_out
        else None,
        effective_prompt_ratio=[_effective(rows) for rows in runs],
        effective_in_last_tenth=[_effective(rows[-max(1, len(rows) // 10) :]) for rows in runs],
        high=[fmean(high.values()) for high in highs] if all(highs) else None,
        trained_groups=[sum(row.trained_groups for row in rows) for rows in runs],
        rollouts=[sum(row.rollouts for row in rows) for rows in runs],
        tokens=[sum(row.tokens for row in rows) for rows in runs],
        dropped=[rows[-1].dropped if rows else 0 for rows in runs],
        seconds=[rows[-1].seconds if rows else 0.0 for rows in runs],
    )


def _effective(rows: Sequence[CellStep]) -> float:
    """The share of all prompts whose group had signal."""
    known = [(row.effective_prompt_ratio, row.prompts) for row in rows]
    prompts = sum(n for ratio, n in known if ratio is not None)
    return sum(ratio * n for ratio, n in known if ratio is not None) / prompts if prompts else 0.0


def _outcome(
    results: Results, cells: Sequence[Cell], step: int, fewest: float, which: Which
) -> Outcome:
    return Outcome(
        start=[results.measured[cell][0].accuracy(which) for cell in cells],
        end=[results.at(cell, step).accuracy(which) for cell in cells],
        at_equal_tokens=[results.after(cell, fewest, step, which) for cell in cells],
        change=change(results, cells, step, which),
    )


def change(results: Results, cells: Sequence[Cell], step: int, which: Which) -> Interval | None:
    """How accuracy changed from the start to a step, over all seeds."""
    return _difference(solved(results, cells, 0, which), solved(results, cells, step, which), which)


def advantage(
    results: Results, ours: Sequence[Cell], theirs: Sequence[Cell], step: int, which: Which
) -> Interval | None:
    """How far one way of training is ahead of another after a step."""
    return _difference(
        solved(results, theirs, step, which), solved(results, ours, step, which), which
    )


Solved = Mapping[tuple[str, int], Sequence[float]]
"""Environment and level -> for each problem the share of the seeds in which it was solved."""


def solved(results: Results, cells: Sequence[Cell], step: int, which: Which) -> Solved:
    """What was solved after a step; {} if it was not written down problem by problem."""
    found: dict[tuple[str, int], list[str]] = {}
    for cell in cells:
        record = results.at(cell, step)
        bits = record.measured[0].solved
        if not bits:
            return {}
        for name in record.names(which):
            for level, each in bits[name].items():
                found.setdefault((name, level), []).append(each)
    return {
        key: [fmean(column) for column in zip(*(map(int, row) for row in rows), strict=True)]
        for key, rows in found.items()
    }


def _difference(before: Solved, after: Solved, which: Which) -> Interval | None:
    """Of accuracies, if the same problems were asked; None if not."""
    if not before or {k: len(v) for k, v in before.items()} != {
        k: len(v) for k, v in after.items()
    }:
        return None
    apart = {key: [b - a for a, b in zip(before[key], after[key], strict=True)] for key in before}
    if which == "trained":
        return over_problems([*apart.values()])
    by_environment: dict[str, list[float]] = {}
    for (name, _), differences in apart.items():
        by_environment.setdefault(name, []).append(fmean(differences))
    return over_environments([fmean(levels) for levels in by_environment.values()])


def over_problems(strata: Sequence[Sequence[float]]) -> Interval | None:
    """The mean over strata, each an environment's level, with the error of sampling problems."""
    if any(len(each) < 2 for each in strata):
        return None
    estimate = fmean(map(fmean, strata))
    error = sqrt(sum(variance(each) / len(each) for each in strata)) / len(strata)
    return Interval(estimate, estimate - NORMAL * error, estimate + NORMAL * error)


def over_environments(values: Sequence[float]) -> Interval | None:
    """The mean over environments, with the error of sampling environments: a bootstrap."""
    if len(values) < 2:
        return None
    rng = Random("bootstrap")
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(RESAMPLES))
    tail = RESAMPLES // 40
    return Interval(fmean(values), means[tail], means[-tail - 1])
