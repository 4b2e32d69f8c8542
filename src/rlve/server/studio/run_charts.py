"""The charts of runs: everything they have recorded, from the one table of metrics."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from math import ceil
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from rlve.foundation.metrics import TABLES, Metric, Table, read_metric
from rlve.reports.pages import duration, join_words
from rlve.server.studio.charts import (
    INTERVAL,
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
from rlve.server.studio.runs import RunFolder, Tested, accuracy_on, alike
from rlve.text import quantity
from rlve.train.history import (
    PHASES,
    History,
    RunHistory,
    ValidationRecord,
    phases,
    step_seconds,
)
from rlve.train.teaching.history import PHASES as TEACHING_PHASES

COLUMNS = 120  # of steps, at most, in the chart of what was drawn
MARKS = 40  # rises of h that a chart can show
CURVES_AT_MOST = 8  # with more environments than this, the chart is a heat map
SECTIONS: Mapping[str, str] = {
    "key": "",  # always open, and first
    "learning": "What it has learnt",
    "curriculum": "Curriculum",
    "teaching": "Teaching",
    "sampling": "Sampling",
    "update": "Update",
    "time": "Time",
    "constant": "Constant so far",
}
"""The sections of the page; tables of metrics have the same names."""
KEY = (
    *("validation", "reward", "levels", "accuracy_at_high", "accuracy"),
    *("loss", "entropy", "grad_norm"),
)
KEYS = 4  # the first of them that a run has: what one looks at first
SEEDS = "lowest to highest seed"

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
        "drawn": page.drawn(),
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
    charts["token_rate"] = page.token_rate()
    shown = {name: kept for name, drawing in charts.items() if (kept := _without_empty(drawing))}
    return Drawings(page.axes, _arranged(shown), page.runs)


def _arranged(charts: Mapping[str, Drawing]) -> dict[str, Drawing]:
    """Those to look at first at the front, and those that never change at the end."""
    first = [name for name in KEY if name in charts][:KEYS]
    placed = {name: replace(charts[name], section="key") for name in first}
    rest = {name: drawing for name, drawing in charts.items() if name not in placed}
    still = {name: d for name, d in rest.items() if isinstance(d, Chart) and _is_constant(d)}
    placed |= {name: drawing for name, drawing in rest.items() if name not in still}
    return placed | {name: replace(drawing, section="constant") for name, drawing in still.items()}


def _is_constant(chart: Chart) -> bool:
    columns = [{v for v in each.values if v is not None} for each in chart.series]
    return (
        all(len(values) == 1 for values in columns)
        and max(len(each.values) for each in chart.series) > 2
    )


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
        self.grouped = any(len(lane.histories) > 1 for lane in lanes)
        self.runs = {lane.key: lane.run for lane in lanes if lane.run}

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
            target=self._goal()[1] if name == "accuracy_at_high" else None,
            target_name=self._goal()[0],
            marks=self._rises() if name in ("accuracy_at_high", "reward") else [],
            band=SEEDS if self.grouped else "",
            note=f"{_explain(row)}{self._trained_on() if name == 'reward' else ''}{self.thinned()}",
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

    def _goal(self) -> tuple[str, float | None]:
        """What accuracy at h must reach for h to rise, if all runs have the same goal."""
        goals = {
            history.curriculum.goal
            for lane in self.lanes
            for history in lane.histories
            if isinstance(history, History) and history.adaptive
        }
        goal = goals.pop() if len(goals) == 1 else None
        return goal or ("", None)

    def _trained_on(self) -> str:
        """What the note of the reward says if runs are trained on something else."""
        found = {
            history.config.get("rollout", {}).get("signal") or "reward"
            for lane in self.lanes
            for history in lane.histories
        } - {"reward"}
        return (
            f" What is trained on is rollout.signal: {', '.join(sorted(found))}." if found else ""
        )

    def _rises(self) -> list[float]:
        """The steps of a single run after which h rose, if they are few enough to tell apart."""
        if not isinstance(self.only, History):
            return []
        steps = [float(step.step) for step in self.only.steps if step.raised]
        return steps if len(steps) <= MARKS else []

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
                label = f"temperature {accuracy.temperature:g}" if self.only else lane.name
                colour = lane.colour if last else lane.colour + 1
                measured = _Measured(records, i, key, self.grouped)
                series.append(measured.series(label, colour))
                if self.only and first.held_out:
                    series.append(measured.series(f"{label}, held out", colour, held_out=True))
        band = SEEDS if self.grouped else INTERVAL
        return Chart(
            title="Accuracy on test problems",
            section="learning",
            series=series,
            scale="share",
            band=band if any(each.low for each in series) else "",
            note="Mean over environments and levels; always the same problems.",
        )

    def by_environment(self) -> Drawing | None:
        """Accuracy on the test problems of each environment of a single run."""
        if self.only is None or len(self.only.validations) < 2:
            return None
        records = self.only.validations
        names = list(records[0].measured[-1].by_level)
        rows = {n: [accuracy_on(r.measured[-1], [n]) for r in records] for n in names}
        note = f"At temperature {records[0].measured[-1].temperature:g}{_each(rows.values())}."
        return self._tested("Accuracy on test problems, by environment", rows, note)

    def by_level(self) -> Drawing | None:
        """Accuracy on the test problems at each level of a single run."""
        if self.only is None or len(self.only.validations) < 2:
            return None
        records = self.only.validations
        levels = sorted({d for by in records[0].measured[-1].by_level.values() for d in by})
        if len(levels) < 2:
            return None
        trained = records[0].trained
        rows = {
            f"difficulty {level}": [accuracy_on(r.measured[-1], trained, level) for r in records]
            for level in levels
            if any(level in records[0].measured[-1].by_level[name] for name in trained)
        }
        note = f"At temperature {records[0].measured[-1].temperature:g}{_each(rows.values())}"
        title = "Accuracy on test problems, by difficulty"
        return self._tested(title, rows, f"{note}; environments trained on.")

    def _tested(self, title: str, rows: Mapping[str, Sequence[Tested]], note: str) -> Drawing:
        """Accuracies of a single run with their intervals, by environment or by level."""
        key = f"{self.lanes[0].key}v"
        if len(rows) > CURVES_AT_MOST:
            means: list[list[Any]] = [[each.mean for each in row] for row in rows.values()]
            return self._rows(title, list(rows), means, key, note, section="learning")
        series = [
            Series(
                name,
                [round_off(each.mean) for each in row],
                colour=colour,
                axis=key,
                points=True,
                low=[round_off(each.low) for each in row],
                high=[round_off(each.high) for each in row],
                counts=[each.problems for each in row],
            )
            for colour, (name, row) in enumerate(rows.items())
        ]
        return Chart(
            title=title, section="learning", series=series, scale="share", band=INTERVAL, note=note
        )

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
        steps = self.only.steps
        names = [n for n in self.only.environments if all(n in step.bounds for step in steps)]
        high = {
            name: thin_last([step.bounds[name][1] for step in steps], self.each) for name in names
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

    def drawn(self) -> HeatMap | None:
        """The difficulties that a single run drew: the share of its groups at each."""
        if not isinstance(self.only, History) or not self.only.environments:
            return None
        steps = self.only.steps
        found = {d for step in steps for levels in step.drawn.values() for d in levels}
        if not found:
            return None
        each = max(self.each, ceil(len(steps) / COLUMNS))
        parts = [steps[begin : begin + each] for begin in range(0, len(steps), each)]
        self.axes["drawn"] = _axis(self.lanes[0], [part[-1].step for part in parts])
        rows: dict[int, list[float | None]] = {d: [] for d in range(max(found), -1, -1)}
        for part in parts:
            counts = Counter[int]()
            for step in part:
                for levels in step.drawn.values():
                    counts.update(levels)
            total = counts.total()
            for d, row in rows.items():
                row.append(round_off(counts[d] / total) if total else None)
        return HeatMap(
            title="Difficulties drawn",
            section="curriculum",
            axis="drawn",
            names=[f"d = {d}" for d in rows],
            rows=list(rows.values()),
            scale="share",
            what="share of groups",
            by="difficulty",
            top=max(value for row in rows.values() for value in row if value is not None),
            note="The share of finished groups at each difficulty, over all environments."
            + (f" Each column is {each} steps." if each > 1 else ""),
        )

    def token_rate(self) -> Chart:
        """How many tokens a second, over everything that a step does."""
        known = {
            id(step): step.tokens / seconds
            for lane in self.lanes
            for history in lane.histories
            for step, seconds in zip(history.steps, step_seconds(history.steps), strict=True)
            if seconds > 0
        }
        series = [
            self.curve(lane, "tokens per second", lambda step: known.get(id(step)))
            for lane in self.lanes
        ]
        return Chart(
            title="Tokens per second",
            section="time",
            series=series,
            band=SEEDS if self.grouped else "",
            note=f"Of the whole step, not of sampling alone.{self.thinned()}",
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
        total = sum(map(sum, known.values())) or 1.0
        parts = join_words(
            f"{name} {duration(sum(seconds))} ({sum(seconds) / total:.0%})"
            for name, seconds in known.items()
        )
        chart = self._own("Seconds per step, by phase", "time", known)
        return replace(chart, stacked=True, note=f"In all: {parts}. {chart.note}".strip())

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


class _Measured(NamedTuple):
    """The accuracies of a lane at one of the temperatures.

    With groups of seeds in the chart, bands are of seeds; a lone run then has none.
    """

    runs: Sequence[list[ValidationRecord]]
    temperature: int  # its index
    axis: str
    grouped: bool

    def series(self, label: str, colour: int, *, held_out: bool = False) -> Series:
        """On the environments trained on, or on the others."""
        known = [
            {
                record.step: accuracy_on(
                    record.measured[self.temperature],
                    record.held_out if held_out else record.trained,
                )
                for record in records
            }
            for records in self.runs
        ]
        at = sorted({step for found in known for step in found})
        ends: list[list[float | None]]
        if len(known) == 1:
            means: Values = [known[0][step].mean for step in at]
            ends = [[known[0][step].low for step in at], [known[0][step].high for step in at]]
        else:
            means, *ends = _spread([[f[s].mean if s in f else None for f in known] for s in at])
        if (self.grouped and len(known) == 1) or all(value is None for value in ends[0]):
            ends = [[], []]
        low, high = ([round_off(value) for value in column] for column in ends)
        return Series(
            label,
            [round_off(value) for value in means],
            colour=colour,
            axis=self.axis,
            low=low,
            high=high,
            points=True,
            dashed=held_out,
        )


def _each(rows: Iterable[Sequence[Tested]]) -> str:
    """How many problems each curve is measured on, if all on as many."""
    numbers = {each.problems for row in rows for each in row}
    number = numbers.pop() if len(numbers) == 1 else 0
    return f", {quantity(number, 'problem')} each" if number else ""


def _last(values: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _explain(row: Metric) -> str:
    """What a metric is, for the note below its chart."""
    good = f" {row.better.capitalize()} is better." if row.better else ""
    return f"{row.meaning[0].upper()}{row.meaning[1:].replace('`', '')}.{good}"
