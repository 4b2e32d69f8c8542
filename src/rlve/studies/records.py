"""The collected records of an experiment's cells, which are all that needs to be kept.

    metrics.jsonl        a CellStep for each step of each cell
    validation.jsonl     a CellMeasurement for each measurement of a cell's accuracy
    cells.json           a CellOrigin for each cell: where it was run, and what it drew from

Together with plan.json these are enough for every table and every picture.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import asdict, replace

from rlve.files import pretty, read_measured, read_record, write_lines, write_whole
from rlve.run_folders import CELL_FACTS, CELL_ORIGINS, METRICS, VALIDATION
from rlve.studies.cells import Facts
from rlve.studies.experiments import Cell, Plan, environments_of
from rlve.studies.folder import cell_folder, read_plan
from rlve.studies.settings import adapts
from rlve.train.history import (
    Accuracy,
    StepMetrics,
    ValidationRecord,
    read_steps,
    read_validations,
)

Which: TypeAlias = Literal["trained", "held out"]


class CellStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the collected metrics."""

    trained_on: str
    setting: str
    seed: int
    step: int
    accuracy: float | None  # of the rollouts, at the difficulties drawn
    effective_prompt_ratio: float | None
    prompts: int
    rollouts: int
    tokens: int  # sampled
    trained_groups: int
    dropped: int = 0  # prompts beyond the limit, since the start of the run
    entropy: float | None = None  # of the next token, in nats
    raised: dict[str, int] = {}  # the new h of the environments whose h rose, or fell
    seconds: float  # since the start of the run


class CellMeasurement(ValidationRecord, frozen=True, kw_only=True):
    """A line of the collected measurements."""

    trained_on: str
    setting: str
    seed: int

    def names(self, which: Which) -> list[str]:
        """The environments that were trained on, or those that were not."""
        return self.trained if which == "trained" else self.held_out

    def accuracy(self, which: Which) -> float:
        """The mean over environments and levels."""
        return self.measured[0].mean(self.names(which))

    def by_level(self, which: Which) -> dict[int, float]:
        """The mean over environments, by level."""
        shares: dict[int, list[float]] = {}
        for name in self.names(which):
            for level, share in self.measured[0].by_level[name].items():
                shares.setdefault(level, []).append(share)
        return {level: sum(values) / len(values) for level, values in sorted(shares.items())}


class CellOrigin(Facts, frozen=True, kw_only=True):
    """A cell, and facts about its run."""

    trained_on: str
    setting: str
    seed: int


class Results(msgspec.Struct, frozen=True):
    """All the records of cells that have been measured at least once."""

    plan: Plan
    steps: dict[Cell, list[CellStep]]
    measured: dict[Cell, list[CellMeasurement]]
    origins: dict[Cell, CellOrigin]

    def cells(self, trained_on: str | None = None, setting: str | None = None) -> list[Cell]:
        """The cells trained on this and with this setting; None means any."""
        return [
            cell
            for cell in self.measured
            if trained_on in (None, cell.trained_on) and setting in (None, cell.setting)
        ]

    def trained_on(self) -> list[str]:
        return [name for name in self.plan.trained_on if self.cells(name)]

    def settings(self, trained_on: str) -> list[str]:
        return [setting for setting in self.plan.settings if self.cells(trained_on, setting)]

    def compared_at(self, cells: Sequence[Cell]) -> int:
        """The last step after which all of these cells were measured."""
        return max(common([{record.step for record in self.measured[cell]} for cell in cells]))

    def at(self, cell: Cell, step: int) -> CellMeasurement:
        return next(record for record in self.measured[cell] if record.step == step)

    def until(self, cell: Cell, step: int) -> list[CellStep]:
        return [row for row in self.steps[cell] if row.step <= step]

    def sampled(self, cell: Cell) -> dict[int, int]:
        """The number of tokens that training had sampled after each step."""
        totals = accumulate((row.tokens for row in self.steps[cell]), initial=0)
        return dict(zip([0, *(row.step for row in self.steps[cell])], totals, strict=True))

    def after(self, cell: Cell, tokens: float, step: int, which: Which = "trained") -> float:
        """The accuracy after this many sampled tokens, but no later than after a step.

        Between two measurements it is interpolated linearly.
        """
        sampled = self.sampled(cell)
        before = self.measured[cell][0]
        for record in self.measured[cell]:
            if record.step > step:
                break
            if (total := sampled[record.step]) > tokens:
                share = (tokens - sampled[before.step]) / (total - sampled[before.step])
                was = before.accuracy(which)
                return was + share * (record.accuracy(which) - was)
            before = record
        return before.accuracy(which)

    def accuracies(self, cell: Cell, which: Which) -> dict[int, float]:
        """Accuracy after each step at which it was measured."""
        return {record.step: record.accuracy(which) for record in self.measured[cell]}

    def ratios(self, cell: Cell) -> dict[int, float | None]:
        """The effective prompt ratio of each step; None if a step had no prompts."""
        return {row.step: row.effective_prompt_ratio for row in self.steps[cell]}

    def highs(self, cell: Cell) -> dict[int, float]:
        """h after each step of an adaptive cell, averaged over environments."""
        highest = self.highest(cell, 0)
        found = {0: 0.0}
        for row in self.steps[cell]:
            highest |= row.raised
            found[row.step] = fmean(highest.values())
        return found

    def highest(self, cell: Cell, step: int) -> dict[str, int]:
        """h of each environment of an adaptive cell after a step; {} for other settings."""
        if not adapts(cell.setting):
            return {}
        highest = dict.fromkeys(environments_of(cell.trained_on), 0)
        for row in self.until(cell, step):
            highest |= row.raised
        return highest


def read_results(folder: Path) -> Results:
    """The records of all cells, from their folders or the collection, whichever is further."""
    plan = read_plan(folder)
    results = _read_collected(folder, plan)
    for cell in plan.cells():
        place = cell_folder(folder, cell)
        records = read_validations(place)
        collected = results.measured.get(cell, [])
        if not records or (collected and collected[-1].step > records[-1].step):
            continue
        named = cell._asdict()
        results.measured[cell] = [
            CellMeasurement(**named, **asdict(replace(record, measured=_short(record))))
            for record in records
        ]
        group = plan.training.rollout.group
        results.steps[cell] = [_row(cell, metrics, group) for metrics in read_steps(place)]
        missing = f"{place} is not the folder of a cell: it has no {CELL_FACTS}"
        facts = read_record(place / CELL_FACTS, Facts, missing=missing)
        results.origins[cell] = CellOrigin(**named, **asdict(facts))
    order = [cell for cell in plan.cells() if cell in results.measured]
    return Results(
        plan,
        {cell: results.steps.get(cell, []) for cell in order},
        {cell: results.measured[cell] for cell in order},
        {cell: results.origins[cell] for cell in order},
    )


def _read_collected(folder: Path, plan: Plan) -> Results:
    """The collected records of cells, which may be elsewhere or deleted by now."""
    results = Results(plan, {}, {}, {})
    for record in read_measured(folder / VALIDATION, CellMeasurement):
        results.measured.setdefault(_cell(record), []).append(record)
    for row in read_measured(folder / METRICS, CellStep):
        results.steps.setdefault(_cell(row), []).append(row)
    if results.measured:
        missing = f"{folder} has measurements, but no {CELL_ORIGINS} that says where they come from"
        for origin in read_record(folder / CELL_ORIGINS, list[CellOrigin], missing=missing):
            results.origins[_cell(origin)] = origin
    return results


def write_results(results: Results, folder: Path) -> None:
    """Write the collected records to the experiment's folder, which then no longer needs cells/."""
    write_lines(folder / METRICS, _flat(results.steps.values()))
    write_lines(folder / VALIDATION, _flat(results.measured.values()))
    write_whole(folder / CELL_ORIGINS, pretty([*results.origins.values()]))


def common(runs: Sequence[Iterable[int]]) -> set[int]:
    """The steps, or levels, that all runs have."""
    first, *others = map(set, runs)
    return first.intersection(*others)


def _flat(lists: Iterable[Sequence[msgspec.Struct]]) -> Iterable[msgspec.Struct]:
    return (record for records in lists for record in records)


def _cell(record: CellStep | CellMeasurement | CellOrigin) -> Cell:
    return Cell(record.trained_on, record.setting, record.seed)


def _short(record: ValidationRecord) -> list[Accuracy]:
    """The accuracies with every share rounded to four digits."""
    return [
        replace(
            accuracy,
            by_level={
                name: {level: round(share, 4) for level, share in levels.items()}
                for name, levels in accuracy.by_level.items()
            },
        )
        for accuracy in record.measured
    ]


def _row(cell: Cell, metrics: StepMetrics, group: int) -> CellStep:
    ratio = metrics.effective_prompt_ratio if metrics.prompts else None
    return CellStep(
        trained_on=cell.trained_on,
        setting=cell.setting,
        seed=cell.seed,
        step=metrics.step,
        accuracy=_round(metrics.accuracy),
        effective_prompt_ratio=_round(ratio),
        prompts=metrics.prompts,
        rollouts=metrics.prompts * group,
        tokens=metrics.tokens,
        trained_groups=metrics.trained_groups,
        dropped=sum(sum(kinds.values()) for kinds in metrics.redrawn.values()),
        entropy=_round(metrics.entropy),
        raised=metrics.raised | metrics.lowered,
        seconds=round(metrics.seconds.get("in all", 0.0), 2),
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
