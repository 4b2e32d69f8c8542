"""What came out of the adaptivity experiment: the cells read back, and settings summed up.

Settings are compared after the last step at which all runs of an environment were measured, so
that a part of the cells, or cells that are still under way, can be looked at, too.

What is collected from cells/ into the folder of the experiment is all that one has to keep:

    metrics.jsonl        a CellStep for each step of each run
    evaluations.jsonl    a CellEvaluation for each measurement of accuracy
    cells.json           where the runs were made, and what they drew from
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean

import msgspec

from rlve.files import pretty, read_lines, read_record, write_lines, write_whole
from rlve.studies.adaptivity import (
    Cell,
    Evaluation,
    Facts,
    Plan,
    cell_folder,
    evaluations_of,
    read_plan,
)
from rlve.train.history import StepMetrics, read_steps


class CellStep(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the collected metrics."""

    environment: str
    setting: str
    seed: int
    step: int
    accuracy: float | None  # of the rollouts, at the difficulties that were drawn
    effective_prompt_ratio: float | None
    low: int
    high: int
    prompts: int
    rollouts: int
    tokens: int
    trained_groups: int
    dropped: int  # prompts beyond the limit, since the start of the run
    seconds: float  # since the start of the run


class CellEvaluation(Evaluation, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the collected evaluations."""

    environment: str
    setting: str
    seed: int


class CellOrigin(Facts, frozen=True, kw_only=True):
    """A cell, and what there is to know of it."""

    environment: str
    setting: str
    seed: int


class AdaptivityResults(msgspec.Struct, frozen=True):
    """All that was recorded; cells that have been measured at least once."""

    plan: Plan
    steps: dict[Cell, list[CellStep]]
    evaluations: dict[Cell, list[CellEvaluation]]
    origins: list[CellOrigin]

    def cells(self, name: str, setting: str | None = None) -> list[Cell]:
        """The cells of an environment and, if it is given, of a setting."""
        return [c for c in self.evaluations if c.environment == name and setting in (None, c[1])]

    def settings(self, name: str) -> list[str]:
        return [setting for setting in self.plan.settings if self.cells(name, setting)]

    def environments(self) -> list[str]:
        return [name for name in self.plan.environments if self.cells(name)]

    def compared_at(self, name: str) -> int:
        """The last step after which all cells of an environment were measured."""
        measured = [{e.step for e in self.evaluations[cell]} for cell in self.cells(name)]
        return max(common(measured))

    def measured(self, cell: Cell, step: int) -> CellEvaluation:
        return next(e for e in self.evaluations[cell] if e.step == step)

    def sampled(self, cell: Cell) -> dict[int, int]:
        """The tokens that training had sampled after each step."""
        totals = accumulate((row.tokens for row in self.steps[cell]), initial=0)
        return dict(zip([0, *(row.step for row in self.steps[cell])], totals, strict=True))

    def after(self, cell: Cell, tokens: float, step: int) -> float:
        """The accuracy after so many sampled tokens, but no later than after a step.

        Between two measurements it is taken to have changed evenly.
        """
        sampled = self.sampled(cell)
        before = self.evaluations[cell][0]
        for each in self.evaluations[cell]:
            if each.step > step:
                break
            if (there := sampled[each.step]) > tokens:
                share = (tokens - sampled[before.step]) / (there - sampled[before.step])
                return before.accuracy + share * (each.accuracy - before.accuracy)
            before = each
        return before.accuracy

    def until(self, cell: Cell, step: int) -> list[CellStep]:
        return [row for row in self.steps[cell] if row.step <= step]


class SettingSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One setting on one environment; lists have a number for each seed."""

    environment: str
    setting: str
    seeds: list[int]
    step: int
    accuracy_at_start: list[float]
    accuracy: list[float]
    at_equal_tokens: list[float]
    """The accuracy after as many tokens as the setting sampled that took the fewest."""
    effective_prompt_ratio: list[float]
    effective_in_last_tenth: list[float]
    high: list[int]
    trained_groups: list[int]
    rollouts: list[int]
    tokens: list[int]
    dropped: list[int]


def read_results(folder: Path) -> AdaptivityResults:
    """What the cells have recorded; without cells, what was collected from them."""
    plan = read_plan(folder)
    steps: dict[Cell, list[CellStep]] = {}
    evaluations: dict[Cell, list[CellEvaluation]] = {}
    origins: list[CellOrigin] = []
    if (folder / "cells").exists():
        for cell in plan.cells():
            place = cell_folder(folder, cell)
            measured = evaluations_of(place)
            if not measured:
                continue
            named = cell._asdict()
            evaluations[cell] = [
                CellEvaluation(**named, **msgspec.structs.asdict(each)) for each in measured
            ]
            steps[cell] = [
                _row(cell, each, plan.training.rollout.group) for each in read_steps(place)
            ]
            missing = f"{place} is not the folder of a cell: it has no cell.json"
            facts = read_record(place / "cell.json", Facts, missing=missing)
            origins.append(CellOrigin(**named, **msgspec.structs.asdict(facts)))
        return AdaptivityResults(plan, steps, evaluations, origins)
    for each in read_lines(folder / "evaluations.jsonl", CellEvaluation):
        evaluations.setdefault(Cell(each.environment, each.setting, each.seed), []).append(each)
    for row in read_lines(folder / "metrics.jsonl", CellStep):
        steps.setdefault(Cell(row.environment, row.setting, row.seed), []).append(row)
    if evaluations:
        missing = f"{folder} has evaluations, but no cells.json that says where they come from"
        origins = read_record(folder / "cells.json", list[CellOrigin], missing=missing)
    return AdaptivityResults(plan, {c: steps.get(c, []) for c in evaluations}, evaluations, origins)


def keep(results: AdaptivityResults, folder: Path) -> None:
    """Write what was recorded to the folder of the experiment, so that it does without cells/."""
    write_lines(folder / "metrics.jsonl", _each(results.steps.values()))
    write_lines(folder / "evaluations.jsonl", _each(results.evaluations.values()))
    write_whole(folder / "cells.json", pretty(results.origins))


def _each(lists: Iterable[Sequence[msgspec.Struct]]) -> Iterable[msgspec.Struct]:
    return (record for records in lists for record in records)


def _row(cell: Cell, each: StepMetrics, group: int) -> CellStep:
    low, high = each.bounds[cell.environment]
    return CellStep(
        **cell._asdict(),
        step=each.step,
        accuracy=_rounded(each.accuracy),
        effective_prompt_ratio=_rounded(each.effective_prompt_ratio) if each.prompts else None,
        low=low,
        high=high,
        prompts=each.prompts,
        rollouts=each.prompts * group,
        tokens=each.tokens,
        trained_groups=each.trained_groups,
        dropped=sum(sum(kinds.values()) for kinds in each.redrawn.values()),
        seconds=round(each.seconds.get("in all", 0.0), 2),
    )


def summarise(results: AdaptivityResults) -> list[SettingSummary]:
    """The table, as numbers."""
    found: list[SettingSummary] = []
    for name in results.environments():
        step = results.compared_at(name)
        fewest = min(
            fmean(results.sampled(cell)[step] for cell in results.cells(name, setting))
            for setting in results.settings(name)
        )
        for setting in results.settings(name):
            cells = results.cells(name, setting)
            runs = [results.until(cell, step) for cell in cells]
            found.append(
                SettingSummary(
                    environment=name,
                    setting=setting,
                    seeds=[cell.seed for cell in cells],
                    step=step,
                    accuracy_at_start=[results.evaluations[cell][0].accuracy for cell in cells],
                    accuracy=[results.measured(cell, step).accuracy for cell in cells],
                    at_equal_tokens=[results.after(cell, fewest, step) for cell in cells],
                    effective_prompt_ratio=[_effective(rows) for rows in runs],
                    effective_in_last_tenth=[
                        _effective(rows[-max(1, len(rows) // 10) :]) for rows in runs
                    ],
                    high=[rows[-1].high if rows else 0 for rows in runs],
                    trained_groups=[sum(row.trained_groups for row in rows) for rows in runs],
                    rollouts=[sum(row.rollouts for row in rows) for rows in runs],
                    tokens=[sum(row.tokens for row in rows) for rows in runs],
                    dropped=[rows[-1].dropped if rows else 0 for rows in runs],
                )
            )
    return found


def _effective(rows: Sequence[CellStep]) -> float:
    """The share of all prompts whose group had signal."""
    known = [(r.effective_prompt_ratio, r.prompts) for r in rows]
    prompts = sum(n for ratio, n in known if ratio is not None)
    return sum(ratio * n for ratio, n in known if ratio is not None) / prompts if prompts else 0.0


def common(runs: Sequence[Iterable[int]]) -> set[int]:
    """The steps, or levels, that all runs have."""
    first, *others = map(set, runs)
    return first.intersection(*others)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
