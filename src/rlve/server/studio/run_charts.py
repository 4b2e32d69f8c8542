"""The charts of runs: everything they have recorded, from the one table of metrics."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from rlve.metrics import TABLES, Metric, Table, read_metric
from rlve.server.studio.charts import (
    Axis,
    Chart,
    Drawing,
    Drawings,
    HeatMap,
    Series,
    Values,
    round_off,
    steps_per_point,
    thin,
    thin_last,
)
from rlve.server.studio.runs import RunFolder, alike, test_accuracy
from rlve.train.history import PHASES, History, RunHistory, ValidationRecord, phases
from rlve.train.teaching.history import PHASES as TEACHING_PHASES

CURVES_AT_MOST = 8  # with more environments than this, the chart is a heat map
SECTIONS: Mapping[str, str] = {
    "learning": "What it has learnt",
    "curriculum": "Curriculum",
    "teaching": "Teaching",
    "sampling": "Sampling",
    "update": "Update",
    "time": "Time",
}
"""The sections of the page; tables of metrics have the same names."""

AnyHistory: TypeAlias = "RunHistory[Any, Any]"
Read: TypeAlias = Callable[[Any], float | None]


class Lane(NamedTuple):
    """What a curve stands for: a run, or runs that differ in nothing but their seed."""

    key: str  # of its axes
    name: str
    colour: int
    run: str  # its id, if it is a single run
    histories: list[AnyHistory]

    @property
    def steps(self) -> list[int]:
        return sorted({step.step for history in self.histories for step in history.steps})

    def column(
        self, read: Read
    ) -> tuple[list[float | None], list[float | None], list[float | None]]:
        """The value after each step; of several runs their mean, lowest and highest."""
        known = [{step.step: read(step) for step in history.steps} for history in self.histories]
        if len(known) == 1:
            (only,) = known
            return [only[step] for step in self.steps], [], []
        return _spread([[each.get(step) for each in known] for step in self.steps])


def _spread(
    rows: Sequence[Sequence[float | None]],
) -> tuple[list[float | None], list[float | None], list[float | None]]:
    values = [[value for value in row if value is not None] for row in rows]
    return (
        [fmean(row) if row else None for row in values],
        [min(row, default=None) for row in values],
        [max(row, default=None) for row in values],
    )


def draw_runs(
    runs: Sequence[RunFolder], colours: Mapping[str, int], *, seeds: bool = False
) -> Drawings:
    """All charts of a run, or of several together; with `seeds`, a mean and a band for seeds."""
    lanes = [lane for lane in _lanes(runs, colours, seeds=seeds) if lane.histories]
    if not lanes:
        return Drawings()
    table = runs[0].table
    page = _Page(lanes, table)
    charts: dict[str, Drawing | None] = {
        "validation": page.validation(),
        "validation_of": page.by_environment(),
        "validation_at": page.by_level(),
        "levels": page.levels(),
        "accuracy_at_high_of": page.at_high_of(),
    }
    for section in SECTIONS:
        charts |= {
            name: page.metric(section, name)
            for name, row in sorted(
                TABLES.get(section, {}).items(), key=lambda item: not item[1].title
            )
            if name in table and row.format and name != "bounds"  # which `levels` shows
        }
    charts["response_tokens"] = page.lengths() or charts.get("response_tokens")
    charts["time"] = page.time()
    shown = {name: kept for name, drawing in charts.items() if (kept := _without_empty(drawing))}
    return Drawings(page.axes, shown, {lane.key: lane.run for lane in lanes if lane.run})


def _without_empty(drawing: Drawing | None) -> Drawing | None:
    """The drawing without curves that have no value; None if nothing is left."""
    if isinstance(drawing, Chart):
        series = [each for each in drawing.series if _last(each.values) is not None]
        return replace(drawing, series=series) if series else None
    return drawing if drawing and any(_last(row) is not None for row in drawing.rows) else None


def _lanes(runs: Sequence[RunFolder], colours: Mapping[str, int], *, seeds: bool) -> list[Lane]:
    histories = {run.found.id: run.history() for run in runs}
    groups: dict[str, list[RunFolder]] = {}
    for run in runs:
        key = alike(histories[run.found.id].config) if seeds else run.found.id
        groups.setdefault(key, []).append(run)
    lanes: list[Lane] = []
    for number, members in enumerate(groups.values()):
        first = members[0].found
        more = f" and {len(members) - 1} more" if len(members) > 1 else ""
        known = [histories[run.found.id] for run in members if histories[run.found.id].steps]
        run = "" if more else first.id
        lanes.append(Lane(str(number), f"{first.name}{more}", colours[first.id], run, known))
    return lanes


class _Page:
    """Lanes that become charts."""

    def __init__(self, lanes: list[Lane], table: Table) -> None:
        self.lanes = lanes
        self.table = table
        self.each = steps_per_point(max(len(lane.steps) for lane in lanes), len(lanes))
        self.axes = {lane.key: _axis(lane, thin_last(lane.steps, self.each)) for lane in lanes}
        self.only = lanes[0].histories[0] if len(lanes) == len(lanes[0].histories) == 1 else None

    def metric(self, section: str, name: str) -> Chart:
        """A metric of the table."""
        row = self.table[name]
        series = [
            self.curve(lane, row.title or name, lambda step: read_metric(self.table, name, step))
            for lane in self.lanes
        ]
        return Chart(
            title=row.title or name.replace("_", " ").capitalize(),
            section=section,
            series=series,
            scale="share" if row.is_share else "number",
            target=self._target() if name == "accuracy_at_high" else None,
            note=f"{_explain(row)}{self.thinned()}",
        )

    def curve(self, lane: Lane, name: str, read: Read, **options: Any) -> Series:
        values, low, high = (thin(column, self.each) for column in lane.column(read))
        label = lane.name if self.only is None else name
        return Series(
            label, values, colour=lane.colour, axis=lane.key, low=low, high=high, **options
        )

    def thinned(self) -> str:
        """What the note of a chart says if there are too many steps to draw each."""
        return f" Each point is the mean of {self.each} steps." if self.each > 1 else ""

    def _target(self) -> float | None:
        goals = {
            history.curriculum.goal
            for lane in self.lanes
            for history in lane.histories
            if isinstance(history, History) and history.adaptive
        }
        goal = goals.pop() if len(goals) == 1 else None
        return goal[1] if goal else None

    def validation(self) -> Chart:
        """Accuracy on the test problems, with intervals."""
        series: list[Series] = []
        for lane in self.lanes:
            records = [history.validations for history in lane.histories if history.validations]
            if not records:
                continue
            first = records[0][0]
            key = f"{lane.key}v"  # an axis of their own, which has the start of the run as well
            self.axes[key] = _axis(lane, sorted({r.step for each in records for r in each}))
            for i, accuracy in enumerate(first.measured):
                last = i == len(first.measured) - 1
                if self.only is None and not last:
                    continue  # with several runs, show only the temperature of evaluation
                label = f"temperature {accuracy.temperature:g}"
                if self.only is None:
                    label = lane.name
                colour = lane.colour if last else lane.colour + 1
                series.append(_accuracy_series(label, records, i, colour, key))
        band = (
            "The band reaches from the lowest seed to the highest."
            if any(len(lane.histories) > 1 for lane in self.lanes)
            else "The band is the 95% interval over problems."
        )
        told = f" {band}" if any(each.low for each in series) else ""
        return Chart(
            title="Accuracy on test problems",
            section="learning",
            series=series,
            scale="share",
            note=f"Mean over environments and levels; always the same problems.{told}",
        )

    def by_environment(self) -> Drawing | None:
        """Accuracy on the test problems of each environment of a single run."""
        if self.only is None or len(self.only.validations) < 2:
            return None
        records = self.only.validations
        names = list(records[0].measured[-1].by_level)
        rows = [[r.measured[-1].mean([name]) for r in records] for name in names]
        title = "Accuracy on test problems, by environment"
        note = f"At temperature {records[0].measured[-1].temperature:g}."
        return self._rows(title, names, rows, f"{self.lanes[0].key}v", note, section="learning")

    def by_level(self) -> Chart | None:
        """Accuracy on the test problems at each level of a single run."""
        if self.only is None or len(self.only.validations) < 2:
            return None
        records = self.only.validations
        levels = sorted({d for by in records[0].measured[-1].by_level.values() for d in by})
        if len(levels) < 2:
            return None
        series = [
            Series(
                f"difficulty {level}",
                [round_off(_at_level(record, level)) for record in records],
                colour=colour,
                axis=f"{self.lanes[0].key}v",
                points=True,
            )
            for colour, level in enumerate(levels)
        ]
        title = "Accuracy on test problems, by difficulty"
        note = f"At temperature {records[0].measured[-1].temperature:g}; environments trained on."
        return Chart(title=title, section="learning", series=series, scale="share", note=note)

    def _rows(
        self,
        title: str,
        names: list[str],
        rows: list[list[Any]],
        axis: str,
        note: str,
        **options: Any,
    ) -> Drawing:
        """Shares by environment: curves or, if they are many, a heat map."""
        if len(names) > CURVES_AT_MOST:
            order = sorted(range(len(names)), key=lambda i: -(_last(rows[i]) or 0.0))
            return HeatMap(
                title=title,
                axis=axis,
                names=[names[i] for i in order],
                rows=[[round_off(value) for value in rows[i]] for i in order],
                scale="share",
                what="accuracy",
                note=f"{len(names)} environments, the best at the end first. {note}",
                **options,
            )
        series = [
            Series(name, list(map(round_off, row)), colour=i, axis=axis, points=axis.endswith("v"))
            for i, (name, row) in enumerate(zip(names, rows, strict=True))
        ]
        return Chart(title=title, series=series, scale="share", note=note, **options)

    def at_high_of(self) -> Drawing | None:
        """Accuracy at h of each environment of a single run."""
        if not isinstance(self.only, History):
            return None
        names = self.only.environments
        rows = [
            thin([step.accuracy_at_high_of.get(name) for step in self.only.steps], self.each)
            for name in names
        ]
        title = "Accuracy at h, by environment"
        note = f"For those that had a problem at h.{self.thinned()}"
        return self._rows(title, names, rows, self.lanes[0].key, note, section="curriculum")

    def levels(self) -> Drawing | None:
        """The highest difficulty, by environment or, of several runs, on average."""
        if not isinstance(self.only, History):
            high = partial(read_metric, self.table, "bounds")
            series = [
                self.curve(lane, "h", high, stairs=len(lane.histories) == 1)
                for lane in self.lanes
                if any(isinstance(h, History) and h.environments for h in lane.histories)
            ]
            title = "Mean highest difficulty h"
            return Chart(title=title, section="curriculum", series=series, scale="level")
        names = self.only.environments
        high = {
            name: thin_last([step.bounds[name][1] for step in self.only.steps], self.each)
            for name in names
        }
        title, key = "Highest difficulty h", self.lanes[0].key
        if len(names) <= CURVES_AT_MOST:
            series = [
                Series(name, list(high[name]), colour=colour, axis=key, stairs=True)
                for colour, name in enumerate(names)
            ]
            return Chart(title=title, section="curriculum", series=series, scale="level")
        order = sorted(names, key=lambda name: (-sum(high[name]), name))  # far and early first
        return HeatMap(
            title=title,
            section="curriculum",
            axis=key,
            names=order,
            rows=[high[name] for name in order],
            note=f"{len(names)} environments, the most advanced first.",
        )

    def lengths(self) -> Chart | None:
        """How long the outputs of a single run are."""
        if not isinstance(self.only, History):
            return None
        columns: dict[str, Values] = {
            "mean": [step.response_tokens for step in self.only.steps],
            "median": [step.response_quantiles.get("p50") for step in self.only.steps],
            "p90": [step.response_quantiles.get("p90") for step in self.only.steps],
        }
        return self._own("Response length, tokens", "sampling", columns)

    def time(self) -> Chart | None:
        """Where the time of a single run went."""
        if self.only is None:
            return None
        spent = phases(
            self.only.steps, PHASES if isinstance(self.only, History) else TEACHING_PHASES
        )
        known = {name: seconds for name, seconds in spent.items() if any(seconds)}
        return self._own("Seconds per step, by phase", "time", known)

    def _own(self, title: str, section: str, columns: Mapping[str, Values]) -> Chart:
        """Several curves of a single run."""
        series = [
            Series(name, thin(values, self.each), colour=colour, axis=self.lanes[0].key)
            for colour, (name, values) in enumerate(columns.items())
        ]
        return Chart(title=title, section=section, series=series, note=self.thinned().strip())


def _axis(lane: Lane, steps: Sequence[int]) -> Axis:
    """How many tokens were sampled, or read, and how much time was spent, until these steps."""
    known: list[dict[int, float]] = []
    for history in lane.histories:
        totals = accumulate(float(step.tokens) for step in history.steps)
        known.append(dict(zip((step.step for step in history.steps), totals, strict=True)))
    tokens, _, _ = _spread([[each.get(step) for each in known] for step in lane.steps])
    seconds, _, _ = lane.column(lambda step: step.seconds.get("in all"))
    columns = [dict(zip(lane.steps, column, strict=True)) for column in (tokens, seconds)]
    spent = ([float(column.get(step) or 0) for step in steps] for column in columns)
    return Axis([float(step) for step in steps], *spent)


def _accuracy_series(
    label: str, runs: Sequence[list[ValidationRecord]], i: int, colour: int, key: str
) -> Series:
    at = sorted({record.step for records in runs for record in records})
    if len(runs) == 1:
        measured = [test_accuracy(record.measured[i], record.trained) for record in runs[0]]
        means = [each.mean for each in measured]
        low, high = [each.low for each in measured], [each.high for each in measured]
    else:
        known = [{r.step: r.measured[i].mean(r.trained) for r in records} for records in runs]
        means, low, high = _spread([[each.get(step) for each in known] for step in at])
    if not any(value is not None for value in low):
        low, high = [], []
    columns = ([round_off(value) for value in column] for column in (means, low, high))
    values, low, high = columns
    return Series(label, values, colour=colour, axis=key, low=low, high=high, points=True)


def _at_level(record: ValidationRecord, level: int) -> float | None:
    by_level = record.measured[-1].by_level
    shares = [by_level[name][level] for name in record.trained if level in by_level[name]]
    return fmean(shares) if shares else None


def _last(values: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _explain(row: Metric) -> str:
    """What a metric is, for the note below its chart."""
    good = f" {row.better.capitalize()} is better." if row.better else ""
    return f"{row.meaning[0].upper()}{row.meaning[1:].replace('`', '')}.{good}"
