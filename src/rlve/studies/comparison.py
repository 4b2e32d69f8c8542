"""What an experiment found: for each way of training, what changed, and how certain that is.

Intervals are 95% intervals of paired changes, because the same problems are asked every time:

- for training environments, over problems: the question is about these environments, and the
  problems are a sample from them;
- for held-out environments, over environments (a bootstrap): the question is about environments
  that were not trained on, and these are a sample of them.

Results of several seeds are averaged, and how much seeds differ is in the interval as well. With
two or three seeds that says little, so such intervals are wide.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from rlve.intervals import Interval, include_runs, over_environments, over_problems
from rlve.studies.experiments import Cell, environments_of
from rlve.studies.records import CellStep, Results, Which


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy at the start and at the end; lists have a number per seed."""

    start: list[float]
    end: list[float]
    at_equal_tokens: list[float]
    """Accuracy after as many tokens as the way of training that sampled the fewest."""
    change: Interval | None
    """From start to end; None if there is too little data."""


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What the outputs to all test problems looked like; means over seeds.

    Accuracy also rises when answers become readable or end in time, without being better.
    """

    ill_formed: float
    truncated: float
    tokens: float
    """In an output."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One way of training; lists have a number per seed."""

    trained_on: str
    environments: int
    setting: str
    seeds: list[int]
    step: int
    trained: Outcome
    held_out: Outcome | None
    form_at_start: Form
    form: Form
    effective_prompt_ratio: list[float]
    effective_in_last_tenth: list[float]
    high: list[float] | None
    """The final h, averaged over environments; None if it does not adapt."""
    trained_groups: list[int]
    rollouts: list[int]
    tokens: list[int]
    dropped: list[int]
    seconds: list[float]

    @property
    def cells(self) -> list[Cell]:
        """The runs that are compared."""
        return [Cell(self.trained_on, self.setting, seed) for seed in self.seeds]


def comparisons(results: Results) -> list[list[Cell]]:
    """The groups of cells that are compared: all cells, or those trained on the same thing.

    If there are several settings, each environment or collection is a comparison of its own. Cells
    that would only hold up a comparison are left out of it.
    """
    if len(results.plan.settings) == 1:
        return [_comparable(results, results.cells())]
    return [_comparable(results, results.cells(name)) for name in results.trained_on()]


def _comparable(results: Results, cells: list[Cell]) -> list[Cell]:
    """These cells without those that have only just begun, if others are further.

    As soon as every way of training has a finished cell, only those that are finished.
    """
    reached = {cell: results.measured[cell][-1].step for cell in cells}
    begun = [cell for cell in cells if reached[cell] > 0] or cells
    done = [cell for cell in begun if reached[cell] == results.plan.steps]
    return done if ways(done).keys() == ways(begun).keys() else begun


def skipped_cells(results: Results) -> list[Cell]:
    """The cells that are in no comparison, because others are further."""
    used = {cell for cells in comparisons(results) for cell in cells}
    return [cell for cell in results.measured if cell not in used]


def summarise(results: Results) -> list[Summary]:
    """Every way of training, in the order of the plan."""
    return [
        _summary(results, cells, rivals)
        for rivals in comparisons(results)
        for cells in ways(rivals).values()
    ]


def ways(cells: Sequence[Cell]) -> dict[tuple[str, str], list[Cell]]:
    """The cells grouped by what they are trained on and setting, that is, by all but the seed."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.trained_on, cell.setting), []).append(cell)
    return dict(sorted(groups.items(), key=lambda item: cells.index(item[1][0])))


def _summary(results: Results, cells: Sequence[Cell], rivals: Sequence[Cell]) -> Summary:
    step = results.compared_at(rivals)
    runs = [results.until(cell, step) for cell in cells]
    fewest = min(
        fmean(results.sampled(cell)[step] for cell in way) for way in ways(rivals).values()
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
        form_at_start=_form(results, cells, 0),
        form=_form(results, cells, step),
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
    ratios = [
        (row.effective_prompt_ratio, row.prompts)
        for row in rows
        if row.effective_prompt_ratio is not None
    ]
    prompts = sum(n for _, n in ratios)
    return sum(ratio * n for ratio, n in ratios) / prompts if prompts else 0.0


def _outcome(
    results: Results, cells: Sequence[Cell], step: int, fewest: float, which: Which
) -> Outcome:
    return Outcome(
        start=_accuracies(results, cells, 0, which),
        end=_accuracies(results, cells, step, which),
        at_equal_tokens=[results.after(cell, fewest, step, which) for cell in cells],
        change=change(results, cells, step, which),
    )


def _form(results: Results, cells: Sequence[Cell], step: int) -> Form:
    records = [results.at(cell, step) for cell in cells]
    return Form(
        ill_formed=fmean(record.measured[0].ill_formed for record in records),
        truncated=fmean(record.measured[0].truncated for record in records),
        tokens=fmean(
            record.measured[0].tokens / max(1, record.problems - record.too_long)
            for record in records
        ),
    )


def change(results: Results, cells: Sequence[Cell], step: int, which: Which) -> Interval | None:
    """How accuracy changed from the start to a step, over all seeds."""
    found = _difference(
        solve_rates(results, cells, 0, which), solve_rates(results, cells, step, which), which
    )
    starts, ends = (_accuracies(results, cells, each, which) for each in (0, step))
    return found and include_runs(found, [b - a for a, b in zip(starts, ends, strict=True)])


def advantage(
    results: Results, first: Sequence[Cell], second: Sequence[Cell], step: int, which: Which
) -> Interval | None:
    """How far the first way of training is ahead of the second after a step."""
    found = _difference(
        solve_rates(results, second, step, which), solve_rates(results, first, step, which), which
    )
    return found and include_runs(
        found, *(_accuracies(results, way, step, which) for way in (first, second))
    )


def _accuracies(results: Results, cells: Sequence[Cell], step: int, which: Which) -> list[float]:
    return [results.at(cell, step).accuracy(which) for cell in cells]


Solved = Mapping[tuple[str, int], Sequence[float]]
"""Environment and level -> for each problem, the share of seeds in which it was solved."""


def solve_rates(results: Results, cells: Sequence[Cell], step: int, which: Which) -> Solved:
    """The problems solved after a step; {} if they were not recorded one by one."""
    marks: dict[tuple[str, int], list[str]] = {}
    for cell in cells:
        record = results.at(cell, step)
        bits = record.measured[0].solved
        if not bits:
            return {}
        for name in record.names(which):
            for level, row in bits[name].items():
                marks.setdefault((name, level), []).append(row)
    return {
        key: [fmean(column) for column in zip(*(map(int, row) for row in rows), strict=True)]
        for key, rows in marks.items()
    }


Problem = tuple[str, int, int]
"""A test problem: its environment, its level, and its number there."""


def list_test_problems(results: Results, cell: Cell) -> list[Problem]:
    """The test problems of the environments trained on, if they were recorded one by one."""
    first = results.measured[cell][0]
    return [
        (name, level, number)
        for name in first.trained
        for level, row in first.measured[0].solved.get(name, {}).items()
        for number in range(len(row))
    ]


def unseen_problems(results: Results, cells: Sequence[Cell], step: int) -> list[Problem]:
    """The test problems that came up in the training of none of these cells until a step.

    [] if not all of the cells have counted them.
    """
    found = [results.at(cell, step).seen for cell in cells]
    marks = [seen for seen in found if seen is not msgspec.UNSET]
    if len(marks) < len(found):
        return []
    return [
        (name, level, number)
        for name, level, number in list_test_problems(results, cells[0])
        if not any(seen[name][level][number] == "1" for seen in marks)
    ]


def rates_of(
    results: Results, cells: Sequence[Cell], step: int, problems: Sequence[Problem]
) -> list[float]:
    """For each of these problems, the share of cells that solved it after a step."""
    found = solve_rates(results, cells, step, "trained")
    return [found[name, level][number] for name, level, number in problems]


def _difference(before: Solved, after: Solved, which: Which) -> Interval | None:
    """The difference of accuracies, if the same problems were asked; None if not."""
    if not before or {k: len(v) for k, v in before.items()} != {
        k: len(v) for k, v in after.items()
    }:
        return None
    changes = {key: [b - a for a, b in zip(before[key], after[key], strict=True)] for key in before}
    if which == "trained":
        return over_problems([*changes.values()])
    by_environment: dict[str, list[float]] = {}
    for (name, _), values in changes.items():
        by_environment.setdefault(name, []).append(fmean(values))
    return over_environments([fmean(levels) for levels in by_environment.values()])
