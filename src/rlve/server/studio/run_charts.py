"""The charts of runs: everything they have recorded, from the one table of metrics."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
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
    Share,
    Values,
    measured,
    steps_per_column,
    steps_per_point,
    thin,
    thin_last,
)
from rlve.server.studio.runs import RunFolder, accuracy_on, alike, trained_on
from rlve.text import quantity
from rlve.train.history import PHASES, History, RunHistory, ValidationRecord, phases, step_seconds
from rlve.train.teaching.history import PHASES as TEACHING_PHASES

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
    trained: list[dict[int, float]]  # their rewards by step, if not the shaped ones

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
        "validation_of": page.tested("environment"),
        "validation_at": page.tested("difficulty"),
        "levels": page.levels(),
        "levels_of": page.levels_of(),
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
    longest = max(len(each.values) for each in chart.series)
    return longest > 2 and all(len(set(_known(each.values))) == 1 for each in chart.series)


def _without_empty(drawing: Drawing | None) -> Drawing | None:
    """The drawing without curves that have no value; None if nothing is left."""
    if isinstance(drawing, Chart):
        series = [each for each in drawing.series if _known(each.values)]
        return replace(drawing, series=series) if series else None
    return drawing if drawing and any(map(_known, drawing.rows)) else None


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
        members = [run for run in members if histories[run.found.id].steps]
        known = [histories[run.found.id] for run in members]
        trained = [run.trained_rewards() for run in members if not (run.teaches or run.shaped)]
        own, name = "" if more else first.id, f"{first.name}{more}"
        lanes.append(Lane(str(number), name, colours[first.id], own, known, trained))
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
        trained = [lane for lane in self.lanes if lane.trained] if name == "reward" else []
        title = row.title or name.replace("_", " ").capitalize()
        label = "shaped" if trained else title
        series = [
            self.curve(lane, label, lambda step: read_metric(self.table, name, step))
            for lane in self.lanes
        ]
        series += [self._trained_on(lane) for lane in trained]
        configs = (history.config for lane in trained for history in lane.histories)
        words = "; ".join(sorted({trained_on(config) for config in configs}))
        told = f" Trained on: {words}." if words else ""
        return Chart(
            title=title,
            section=section,
            series=series,
            scale="share" if row.is_share else "number",
            target=self._goal()[1] if name == "accuracy_at_high" else None,
            target_name=self._goal()[0],
            marks=self._rises() if name in ("accuracy_at_high", "reward") else [],
            band=SEEDS if self.grouped else "",
            note=f"{_explain(row)}{told}{self.thinned()}",
        )

    def _trained_on(self, lane: Lane) -> Series:
        """The reward that a lane was trained on, where it is not the shaped one."""
        found = {
            id(step): rewards.get(step.step)
            for history, rewards in zip(lane.histories, lane.trained, strict=True)
            for step in history.steps
        }
        curve = self.curve(lane, "trained on", lambda step: found[id(step)])
        if self.only:
            return replace(curve, colour=lane.colour + 1)
        return replace(curve, name=f"{lane.name}, trained on", dashed=True)

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
        name, value = (goals.pop() if len(goals) == 1 else None) or ("", None)
        return "h rises at" if name == "tau_acc" else "goal", value

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
                each: dict[str, Any] = {"records": records, "temperature": i}
                each |= {"colour": colour, "axis": key}
                series.append(self._measured(label, **each))
                if self.only and first.held_out:
                    series.append(self._measured(f"{label}, held out", **each, dashed=True))
        band = SEEDS if self.grouped else INTERVAL
        return Chart(
            title="Accuracy on test problems",
            section="learning",
            series=series,
            scale="share",
            band=band if any(each.low for each in series) else "",
            note=f"Mean over environments and levels; always the same {self._problems()}.",
        )

    def _problems(self) -> str:
        """The test problems of the environments trained on, and how many if that is one number."""
        validations = (history.validations for lane in self.lanes for history in lane.histories)
        numbers = {each[0].trained_problems for each in validations if each}
        return quantity(numbers.pop(), "problem") if len(numbers) == 1 else "problems"

    def _measured(
        self,
        name: str,
        records: Sequence[Sequence[ValidationRecord]],
        temperature: int,
        *,
        dashed: bool = False,
        **options: Any,
    ) -> Series:
        """Accuracies of a lane, on environments trained on or, dashed, on the others.

        With groups of seeds in the chart, bands are of seeds; a lone run then has none.
        """
        known = [
            {
                each.step: accuracy_on(
                    each.measured[temperature], each.held_out if dashed else each.trained
                )
                for each in run
            }
            for run in records
        ]
        shares: list[Share] = []
        for step in sorted({step for found in known for step in found}):
            at = [found[step] for found in known if step in found]
            values = [share.value for share in at]
            seeds = Share(fmean(values), min(values), max(values))
            shares.append(seeds if len(known) > 1 else Share(values[0]) if self.grouped else at[0])
        return measured(name, shares, dashed=dashed, **options)

    def tested(self, by: str) -> Drawing | None:
        """Accuracy on the test problems of a single run, by environment or by difficulty."""
        if self.only is None or len(self.only.validations) < 2:
            return None
        records = self.only.validations
        first, trained = records[0].measured[-1], records[0].trained
        which: dict[str, tuple[list[str], int | None]] = {n: ([n], None) for n in first.by_level}
        if by == "difficulty":
            levels = sorted({d for name in trained for d in first.by_level[name]})
            which = {f"difficulty {d}": (trained, d) for d in levels if len(levels) > 1}
        rows = {
            name: [accuracy_on(record.measured[-1], *each) for record in records]
            for name, each in which.items()
        }
        if not rows:
            return None
        title, key = f"Accuracy on test problems, by {by}", f"{self.lanes[0].key}v"
        note = f"At temperature {first.temperature:g}{_each(rows.values())}"
        note += "; environments trained on." if by == "difficulty" else "."
        options: dict[str, Any] = {"section": "learning", "scale": "share", "note": note}
        if len(rows) > CURVES_AT_MOST:
            means = {name: [each.value for each in row] for name, row in rows.items()}
            return self._map(title, means, axis=key, what="accuracy", **options)
        series = [
            measured(name, row, colour=i, axis=key, counts=[each.problems for each in row])
            for i, (name, row) in enumerate(rows.items())
        ]
        return Chart(title=title, series=series, band=INTERVAL, **options)

    def _map(
        self,
        title: str,
        rows: Mapping[str, Values],
        *,
        note: str = "",
        axis: str = "",
        shorten: Callable[[Values, int], list[Any]] = thin,
        **options: Any,
    ) -> HeatMap:
        """Values of a single run by environment."""
        order = sorted(rows, key=lambda name: (-fmean(_known(rows[name]) or [0.0]), name))
        each, axis, told = (1, axis, "") if axis else self._columns(len(rows))
        return HeatMap(
            title=title,
            axis=axis,
            names=order,
            rows=[_two_digits(shorten(rows[name], each)) for name in order],
            note=f"{len(rows)} environments, the highest on average first. {note}{told}".strip(),
            **options,
        )

    def _columns(self, rows: int) -> tuple[int, str, str]:
        """How many steps are in a column of a heat map of a single run, its axis, and a note."""
        steps = self.lanes[0].steps
        each = steps_per_column(len(steps), rows)
        self.axes[f"map{each}"] = _axis(self.lanes[0], thin_last(steps, each))
        return each, f"map{each}", f" Each column is {each} steps." if each > 1 else ""

    def at_high_of(self) -> Drawing | None:
        """Accuracy at h of each environment of a single run."""
        if not isinstance(self.only, History) or not self.only.environments:
            return None
        rows: dict[str, Values] = {
            name: [step.accuracy_at_high_of.get(name) for step in self.only.steps]
            for name in self.only.environments
        }
        title = "Accuracy at h, by environment"
        if len(rows) > CURVES_AT_MOST:
            options: dict[str, Any] = {"what": "accuracy", "scale": "share"}
            return self._map(
                title, rows, note="Gaps: no problem at h.", section="curriculum", **options
            )
        return replace(self._own(title, "curriculum", rows), scale="share")

    def _highs(self) -> dict[str, list[int]]:
        """The highest difficulty of each environment of a single run, after each step."""
        if not isinstance(self.only, History):
            return {}
        steps, names = self.only.steps, self.only.environments
        known = [name for name in names if all(name in step.bounds for step in steps)]
        return {name: [step.bounds[name][1] for step in steps] for name in known}

    def levels(self) -> Chart:
        """The highest difficulty: of each environment or, of many or of several runs, the mean."""
        highs, key = self._highs(), self.lanes[0].key
        options: dict[str, Any] = {"section": "curriculum", "scale": "level"}
        if 0 < len(highs) <= CURVES_AT_MOST:
            series = [
                Series(name, thin_last(values, self.each), colour=colour, axis=key, stairs=True)
                for colour, (name, values) in enumerate(highs.items())
            ]
            return Chart(title="Highest difficulty h", series=series, **options)
        series = [
            self.curve(
                lane,
                "h",
                partial(read_metric, self.table, "bounds"),
                stairs=len(lane.histories) == 1,
            )
            for lane in self.lanes
            if any(isinstance(h, History) and h.environments for h in lane.histories)
        ]
        if highs:
            low, high = ([*map(f, zip(*highs.values(), strict=True))] for f in (min, max))
            ends = {"low": thin_last(low, self.each), "high": thin_last(high, self.each)}
            series = [replace(series[0], **ends)]
            options["band"] = "lowest to highest environment"
        return Chart(title="Mean highest difficulty h", series=series, **options)

    def levels_of(self) -> HeatMap | None:
        """The highest difficulty of each of many environments of a single run."""
        highs = self._highs()
        if len(highs) <= CURVES_AT_MOST:
            return None
        top = max(map(max, highs.values())) or 1
        title = "Highest difficulty h, by environment"
        return self._map(title, highs, shorten=thin_last, top=top, section="curriculum")

    def drawn(self) -> Drawing | None:
        """The difficulties that a single run drew: the share of its groups at each."""
        if not isinstance(self.only, History) or not self.only.environments:
            return None
        steps = self.only.steps
        found = {d for step in steps for levels in step.drawn.values() for d in levels}
        title = "Difficulties drawn"
        if len(found) == 1:
            (only,) = found
            return self._own(title, "curriculum", {f"d = {only}": [float(only)] * len(steps)})
        if not found:
            return None
        each, axis, told = self._columns(max(found) + 1)
        parts = [steps[begin : begin + each] for begin in range(0, len(steps), each)]
        rows: dict[int, list[float | None]] = {d: [] for d in range(max(found), -1, -1)}
        for part in parts:
            counts = Counter[int]()
            for step in part:
                for levels in step.drawn.values():
                    counts.update(levels)
            total = counts.total()
            for d, row in rows.items():
                row.append(counts[d] / total if total else None)
        return HeatMap(
            title=title,
            section="curriculum",
            axis=axis,
            names=[f"d = {d}" for d in rows],
            rows=[_two_digits(row) for row in rows.values()],
            scale="share",
            what="share of groups",
            by="difficulty",
            top=max(value for row in rows.values() for value in row if value is not None),
            note=f"The share of finished groups at each difficulty, over all environments.{told}",
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
    return Axis(steps, *([round(column.get(step) or 0, 1) for step in steps] for column in columns))


def _each(rows: Iterable[Sequence[Share]]) -> str:
    """How many problems each curve is measured on, if all on as many."""
    numbers = {each.problems for row in rows for each in row}
    number = numbers.pop() if len(numbers) == 1 else 0
    return f", {quantity(number, 'problem')} each" if number else ""


def _two_digits(values: Values) -> list[float | None]:
    """For a colour; short, as there are many."""
    return [None if value is None else round(value, 2) or 0 for value in values]


def _known(values: Values) -> list[float]:
    return [value for value in values if value is not None]


def _explain(row: Metric) -> str:
    """What a metric is, for the note below its chart."""
    good = f" {row.better.capitalize()} is better." if row.better else ""
    return f"{row.meaning[0].upper()}{row.meaning[1:].replace('`', '')}.{good}"
