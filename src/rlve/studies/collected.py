"""What the cells of an experiment recorded, gathered: all that one has to keep of it.

    metrics.jsonl        a CellStep for each step of each cell
    validation.jsonl     a CellMeasurement for each time that a cell's accuracy was measured
    cells.json           a CellOrigin for each cell: where it was run, and what it drew from

Together with plan.json these are enough for every table and every picture.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from rlve.files import pretty, read_lines, read_record, write_lines, write_whole
from rlve.studies.experiments import (
    Cell,
    Plan,
    adapts,
    cell_folder,
    environments_of,
    read_plan,
)
from rlve.studies.running import Facts
from rlve.train.history import (
    METRICS,
    VALIDATION,
    Accuracy,
    StepMetrics,
    ValidationRecord,
    read_steps,
    read_validations,
)

CELLS = "cells.json"
Which: TypeAlias = Literal["trained", "held out"]


class CellStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the collected metrics."""

    trained_on: str
    setting: str
    seed: int
    step: int
    accuracy: float | None  # of the rollouts, at the difficulties that were drawn
    effective_prompt_ratio: float | None
    prompts: int
    rollouts: int
    tokens: int  # sampled
    trained_groups: int
    dropped: int = 0  # prompts beyond the limit, since the start of the run
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
        """Over environments and levels."""
        return self.measured[0].mean(self.names(which))

    def by_level(self, which: Which) -> dict[int, float]:
        """Over environments."""
        shares: dict[int, list[float]] = {}
        for name in self.names(which):
            for level, share in self.measured[0].by_level[name].items():
                shares.setdefault(level, []).append(share)
        return {level: sum(each) / len(each) for level, each in sorted(shares.items())}


class CellOrigin(Facts, frozen=True, kw_only=True):
    """A cell, and what there is to know of it."""

    trained_on: str
    setting: str
    seed: int


class Results(msgspec.Struct, frozen=True):
    """All that was recorded; cells that have been measured at least once."""

    plan: Plan
    steps: dict[Cell, list[CellStep]]
    measured: dict[Cell, list[CellMeasurement]]
    origins: dict[Cell, CellOrigin]

    def cells(self, trained_on: str | None = None, setting: str | None = None) -> list[Cell]:
        """The cells that are trained on this, and of this setting; or on any, and of any."""
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
        return max(common([{each.step for each in self.measured[cell]} for cell in cells]))

    def at(self, cell: Cell, step: int) -> CellMeasurement:
        return next(each for each in self.measured[cell] if each.step == step)

    def until(self, cell: Cell, step: int) -> list[CellStep]:
        return [row for row in self.steps[cell] if row.step <= step]

    def sampled(self, cell: Cell) -> dict[int, int]:
        """The tokens that training had sampled after each step."""
        totals = accumulate((row.tokens for row in self.steps[cell]), initial=0)
        return dict(zip([0, *(row.step for row in self.steps[cell])], totals, strict=True))

    def after(self, cell: Cell, tokens: float, step: int, which: Which = "trained") -> float:
        """The accuracy after so many sampled tokens, but no later than after a step.

        Between two measurements it is taken to have changed evenly.
        """
        sampled = self.sampled(cell)
        before = self.measured[cell][0]
        for each in self.measured[cell]:
            if each.step > step:
                break
            if (there := sampled[each.step]) > tokens:
                share = (tokens - sampled[before.step]) / (there - sampled[before.step])
                was = before.accuracy(which)
                return was + share * (each.accuracy(which) - was)
            before = each
        return before.accuracy(which)

    def highest(self, cell: Cell, step: int) -> dict[str, int]:
        """h of each environment of an adaptive cell after a step; {} of other settings."""
        if not adapts(cell.setting):
            return {}
        found = dict.fromkeys(environments_of(cell.trained_on), 0)
        for row in self.until(cell, step):
            found |= row.raised
        return found


def read_results(folder: Path) -> Results:
    """What the cells have recorded, and what was collected before: of each cell what is further."""
    plan = read_plan(folder)
    found = _collected(folder, plan)
    for cell in plan.cells():
        place = cell_folder(folder, cell)
        records = read_validations(place)
        known = found.measured.get(cell, [])
        if not records or (known and known[-1].step > records[-1].step):
            continue
        named = cell._asdict()
        found.measured[cell] = [
            CellMeasurement(**named, **fields(msgspec.structs.replace(each, measured=_short(each))))
            for each in records
        ]
        group = plan.training.rollout.group
        found.steps[cell] = [_row(cell, each, group) for each in read_steps(place)]
        missing = f"{place} is not the folder of a cell: it has no cell.json"
        facts = read_record(place / "cell.json", Facts, missing=missing)
        found.origins[cell] = CellOrigin(**named, **fields(facts))
    order = [cell for cell in plan.cells() if cell in found.measured]
    return Results(
        plan,
        {cell: found.steps.get(cell, []) for cell in order},
        {cell: found.measured[cell] for cell in order},
        {cell: found.origins[cell] for cell in order},
    )


def _collected(folder: Path, plan: Plan) -> Results:
    """What was collected from cells that may be elsewhere, or no more."""
    found = Results(plan, {}, {}, {})
    for each in read_lines(folder / VALIDATION, CellMeasurement):
        found.measured.setdefault(_cell(each), []).append(each)
    for row in read_lines(folder / METRICS, CellStep):
        found.steps.setdefault(_cell(row), []).append(row)
    if found.measured:
        missing = f"{folder} has measurements, but no {CELLS} that says where they come from"
        for origin in read_record(folder / CELLS, list[CellOrigin], missing=missing):
            found.origins[_cell(origin)] = origin
    return found


def keep(results: Results, folder: Path) -> None:
    """Write what was recorded to the folder of the experiment, so that it does without cells/."""
    write_lines(folder / METRICS, _each(results.steps.values()))
    write_lines(folder / VALIDATION, _each(results.measured.values()))
    write_whole(folder / CELLS, pretty([*results.origins.values()]))


def common(runs: Sequence[Iterable[int]]) -> set[int]:
    """The steps, or levels, that all runs have."""
    first, *others = map(set, runs)
    return first.intersection(*others)


def fields(record: msgspec.Struct) -> dict[str, Any]:
    """A record by the names of its fields."""
    return {name: getattr(record, name) for name in record.__struct_fields__}


def _each(lists: Iterable[Sequence[msgspec.Struct]]) -> Iterable[msgspec.Struct]:
    return (record for records in lists for record in records)


def _cell(record: CellStep | CellMeasurement | CellOrigin) -> Cell:
    return Cell(record.trained_on, record.setting, record.seed)


def _short(record: ValidationRecord) -> list[Accuracy]:
    """Four digits of every share are enough."""
    return [
        msgspec.structs.replace(
            each,
            by_level={
                name: {level: round(share, 4) for level, share in levels.items()}
                for name, levels in each.by_level.items()
            },
        )
        for each in record.measured
    ]


def _row(cell: Cell, each: StepMetrics, group: int) -> CellStep:
    return CellStep(
        trained_on=cell.trained_on,
        setting=cell.setting,
        seed=cell.seed,
        step=each.step,
        accuracy=_rounded(each.accuracy),
        effective_prompt_ratio=_rounded(each.effective_prompt_ratio) if each.prompts else None,
        prompts=each.prompts,
        rollouts=each.prompts * group,
        tokens=each.tokens,
        trained_groups=each.trained_groups,
        dropped=sum(sum(kinds.values()) for kinds in each.redrawn.values()),
        raised=each.raised | each.lowered,
        seconds=round(each.seconds.get("in all", 0.0), 2),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
