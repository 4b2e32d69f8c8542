"""Training runs as their pages show them, even while they are running."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from rlve.errors import UserError
from rlve.files import read_record
from rlve.metrics import Metric, Table, chart_names, read_metrics, step_table
from rlve.reports.concerns import as_lines, concerns
from rlve.reports.training import headline, model_name
from rlve.run_folders import CONFIG, GROUPS, METRICS, ROLLOUTS, VALIDATION, worked_in
from rlve.server.studio.charts import Chart, Curve, Drawing, HeatMap, Series, noisy, rounded
from rlve.server.studio.folders import Found
from rlve.server.studio.tails import Tail
from rlve.train.history import (
    GroupRecord,
    History,
    StepMetrics,
    ValidationRecord,
    phases,
)

STAIRS_AT_MOST = 8  # with more environments than this, the chart is a heat map


class SampleHead(msgspec.Struct, frozen=True):
    """A GroupSample without its texts, which are read when somebody opens the group."""

    step: int
    environment: str
    difficulty: int
    rewards: list[float]
    seed: int = 0


class RunFolder:
    """A run whose files are read as they grow."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.steps = Tail(found.file(METRICS), StepMetrics)
        self.validations = Tail(found.file(VALIDATION), ValidationRecord)
        self.groups = Tail(found.file(GROUPS), GroupRecord)
        self.samples = Tail(found.file(ROLLOUTS), SampleHead)

    def history(self) -> History:
        """What the run has recorded so far, without its rollouts."""
        return History(
            self.found.folder, self.config(), self.steps.read(), [], self.validations.read()
        )

    def config(self) -> dict[str, Any]:
        path = self.found.file(CONFIG)
        try:
            return read_record(path, dict[str, Any], missing=f"{path} has disappeared")
        except OSError as error:
            raise UserError(f"{self.found.name}: {CONFIG} cannot be read: {error}") from error

    def stamp(self) -> str:
        """A text that changes whenever there is something new."""
        sizes = (_size(file.path) for file in (self.steps, self.validations, self.groups))
        return "-".join(map(str, (*sizes, int(self.live()))))

    def live(self) -> bool:
        """Whether a process is working in the folder."""
        return worked_in(self.found.folder)


class RunBook:
    """The runs opened so far, so that each line of their files is read once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Path, RunFolder] = {}

    def open(self, found: Found) -> RunFolder:
        """The run in a folder."""
        with self._lock:
            if found.folder not in self._open:
                self._open[found.folder] = RunFolder(found)
            run = self._open[found.folder]
            run.found = found  # its name grows longer when another run has the same
            return run


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of a run."""

    id: str
    name: str
    model: str
    headline: str
    concerns: str
    """What deserves a look, line by line; may be empty."""
    live: bool
    steps: int
    planned: int | None
    numbers: dict[str, str]

    @property
    def state(self) -> str:
        """Whether it is running or finished."""
        if self.live:
            return "running"
        return "finished" if self.planned and self.steps >= self.planned else "not running"


def summary(run: RunFolder) -> RunSummary:
    """Summarise a run."""
    history = run.history()
    steps = history.steps
    latest = steps[-1] if steps else StepMetrics(step=0)
    highs = [latest.bounds[name][1] for name in history.environments]
    shown = {
        "environments": f"{len(highs):,}" if highs else "-",
        "mean h": f"{fmean(highs):.1f}" if highs else "-",
        "accuracy at h": _share(_last_known([step.accuracy_at_high for step in steps])),
        "test problems": _tested(history.validations),
    }
    return RunSummary(
        id=run.found.id,
        name=run.found.name,
        model=model_name(history),
        headline=headline(history) if steps else "No step has finished yet.",
        concerns=as_lines(concerns(history)),
        live=run.live(),
        steps=latest.step,
        planned=history.config.get("run", {}).get("steps"),
        numbers=shown,
    )


def _last_known(values: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _tested(records: Sequence[ValidationRecord]) -> str:
    """Accuracy before and after, at the last temperature, the one used for evaluation."""
    if not records:
        return "-"
    before, after = (records[i].measured[-1].mean(records[i].trained) for i in (0, -1))
    return f"{before:.0%}" if len(records) == 1 else f"{before:.0%} → {after:.0%}"


def charts(runs: Sequence[RunFolder]) -> dict[str, Drawing]:
    """All charts of a run, or of several runs together."""
    histories = {run.found: run.history() for run in runs}
    histories = {found: history for found, history in histories.items() if history.steps}
    if not histories:
        return {}
    table = step_table()
    drawings: dict[str, Drawing | None] = {
        "validation": _validation(histories),
        "levels": _levels(histories),
        **{name: _curves(histories, table, name) for name in chart_names(table)},
        "time": _time(histories),
    }
    if len(histories) == 1:
        drawings["response_tokens"] = _lengths(*histories.values())
    return {key: drawing for key, drawing in drawings.items() if drawing is not None}


def _steps_of(histories: dict[Found, History]) -> list[int]:
    return sorted({step.step for history in histories.values() for step in history.steps})


def _aligned(
    history: History, at: Sequence[int], value: Callable[[StepMetrics], float | None]
) -> list[float | None]:
    known = {step.step: value(step) for step in history.steps}
    return [known.get(step) for step in at]


def _curves(histories: dict[Found, History], table: Table, name: str) -> Chart | None:
    row = table[name]
    at = _steps_of(histories)
    series: list[Series] = []
    for colour, (found, history) in enumerate(histories.items()):
        values = read_metrics(table, name, history.steps)
        if any(measured is not None for measured in values):
            raw, smooth = noisy(row.title, values, colour)
            if len(histories) == 1:
                series += [raw, smooth]
            else:
                known = dict(zip((s.step for s in history.steps), smooth.values, strict=True))
                values = [known.get(step) for step in at]
                series.append(Series(found.name, values, colour=colour))
    target = None
    if name == "accuracy_at_high":
        goals = {h.curriculum.goal for h in histories.values() if h.adaptive}
        goal = goals.pop() if len(goals) == 1 else None
        target = goal and goal[1]
    if not series:
        return None
    return Chart(
        title=row.title,
        x=[float(step) for step in at],
        along="step",
        series=series,
        scale="share" if row.is_share else "number",
        target=target,
        note=_explain(row),
    )


def _explain(row: Metric) -> str:
    """What a metric is, for the note below its chart."""
    good = f" {row.better.capitalize()} is better." if row.better else ""
    return f"{row.meaning[0].upper()}{row.meaning[1:].replace('`', '')}.{good}"


def _validation(histories: dict[Found, History]) -> Chart | None:
    at = sorted({r.step for history in histories.values() for r in history.validations})
    series: list[Series] = []
    colour = 0
    for found, history in histories.items():
        records = {record.step: record for record in history.validations}
        first = history.validations[0] if history.validations else None
        for i, accuracy in enumerate(first.measured if first else ()):
            if len(histories) > 1 and first and i < len(first.measured) - 1:
                continue  # with several runs, show only the temperature of evaluation
            values = [
                rounded(r.measured[i].mean(r.trained)) if (r := records.get(step)) else None
                for step in at
            ]
            label = f"temperature {accuracy.temperature:g}"
            label = label if len(histories) == 1 else f"{found.name}, {label}"
            series.append(Series(label, values, colour=colour, points=True))
            colour += 1
    if not series:
        return None
    return Chart(
        title="Accuracy on test problems",
        x=[float(step) for step in at],
        along="step",
        series=series,
        scale="share",
        note="Mean over environments and levels; always the same problems.",
    )


def _levels(histories: dict[Found, History]) -> Drawing | None:
    at = _steps_of(histories)
    x = [float(step) for step in at]
    if len(histories) > 1:
        series = [
            Series(
                found.name,
                _aligned(
                    history,
                    at,
                    lambda s: rounded(fmean(h for _, h in s.bounds.values())) if s.bounds else None,
                ),
                colour=colour,
                stairs=True,
            )
            for colour, (found, history) in enumerate(histories.items())
            if history.environments
        ]
        title = "Mean highest difficulty h"
        return Chart(title=title, x=x, along="step", series=series, scale="level")
    (history,) = histories.values()
    names = history.environments
    if not names:
        return None
    high = {name: [step.bounds[name][1] for step in history.steps] for name in names}
    title = "Highest difficulty h"
    if len(names) <= STAIRS_AT_MOST:
        series = [
            Series(name, list(high[name]), colour=colour, stairs=True)
            for colour, name in enumerate(names)
        ]
        return Chart(title=title, x=x, along="step", series=series, scale="level")
    order = sorted(names, key=lambda name: (-sum(high[name]), name))  # far and early first
    return HeatMap(
        title=title,
        x=x,
        along="step",
        names=order,
        rows=[high[name] for name in order],
        note=f"{len(names)} environments, the most advanced first.",
    )


def _lengths(history: History) -> Chart | None:
    at = [step.step for step in history.steps]
    series: list[Series] = []
    curves: dict[str, Callable[[StepMetrics], float | None]] = {
        "mean": lambda s: s.response_tokens,
        "median": lambda s: s.response_quantiles.get("p50"),
        "p90": lambda s: s.response_quantiles.get("p90"),
    }
    for colour, (name, value) in enumerate(curves.items()):
        values = _aligned(history, at, value)
        if any(measured is not None for measured in values):
            series.append(noisy(name, values, colour)[1])
    if not series:
        return None
    return Chart(
        title="Response length, tokens", x=[float(s) for s in at], along="step", series=series
    )


def _time(histories: dict[Found, History]) -> Chart | None:
    if len(histories) > 1:
        return None
    (history,) = histories.values()
    spent = {phase: values for phase, values in phases(history.steps).items() if any(values)}
    if not spent:
        return None
    return Chart(
        title="Seconds per step, by phase",
        x=[float(step.step) for step in history.steps],
        along="step",
        series=[noisy(name, values, i)[1] for i, (name, values) in enumerate(spent.items())],
    )


def accuracy_by_level(run: RunFolder, name: str) -> list[Curve]:
    """A run's accuracy at the levels of one environment: before training, and latest."""
    records = [r for r in run.validations.read() if name in r.measured[-1].by_level]
    ends = records if len(records) < 2 else [records[0], records[-1]]
    return [
        (f"{run.found.name}, step {record.step:,}", record.measured[-1].by_level[name])
        for record in ends
    ]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
