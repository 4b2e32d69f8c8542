"""Runs of training and teaching as their pages show them, even while they are running."""

import threading
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean, median
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from rlve.errors import UserError
from rlve.foundation.files import last_lines, read_record
from rlve.foundation.intervals import Interval, change_interval, over_shares, wilson
from rlve.foundation.metrics import (
    TEACHING,
    Table,
    read_metric,
    read_metrics,
    step_table,
    write_mean,
)
from rlve.foundation.run_folders import (
    CONFIG,
    EXAMPLES,
    GROUPS,
    METRICS,
    ROLLOUTS,
    VALIDATION,
    worked_in,
)
from rlve.gym import mean
from rlve.reports import teaching as teaching_report
from rlve.reports import training as training_report
from rlve.reports.accuracy import by_level, problems_turned
from rlve.reports.concerns import alarms, concerns
from rlve.reports.live import RECENT, time_left
from rlve.reports.pages import Rows, duration
from rlve.reports.training import model_name
from rlve.server.studio.charts import Share, Shares, share_of
from rlve.server.studio.folders import Found
from rlve.server.studio.group_rows import GroupRow, SampleHead, row_of_group
from rlve.server.studio.tails import Tail
from rlve.train.history import (
    Accuracy,
    GroupRecord,
    History,
    RunHistory,
    StepMetrics,
    ValidationRecord,
    step_seconds,
)
from rlve.train.teaching.history import TaughtSample, TeachingHistory, TeachingMetrics

State: TypeAlias = Literal["running", "stalled", "finished", "stopped"]
NAMED = 3  # environments in a row of the table
STALLED = 600.0  # seconds without a word, at least, before a live run is called stalled;
STALLED_STEPS = 10  # and as long as so many of its steps took


class RunFolder:
    """A run whose files are read as they grow."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.teaches = found.kind == "teach"
        self.record: type[Any] = TeachingMetrics if self.teaches else StepMetrics
        self.steps: Tail[Any] = Tail(found.file(METRICS), self.record)
        self.validations: Tail[ValidationRecord] = Tail(found.file(VALIDATION), ValidationRecord)
        self.groups: Tail[GroupRow] = Tail(found.file(GROUPS), GroupRecord, row_of_group)
        self.samples: Tail[SampleHead] = Tail(found.file(ROLLOUTS), SampleHead)
        self.examples: Tail[TaughtSample] = Tail(found.file(EXAMPLES), TaughtSample)

    @cached_property
    def shaped(self) -> bool:
        """Whether the shaped rewards are what it trains on."""
        return trained_on(self.config()) == SIGNALS["reward"]

    def trained_rewards(self) -> dict[int, float]:
        """What the outputs of each step were trained on, on average."""
        rewards: dict[int, list[float]] = {}
        for row in self.groups.read():
            rewards.setdefault(row.step, []).append(row.reward)
        return {step: fmean(found) for step, found in rewards.items()}

    @property
    def table(self) -> Table:
        """What its metrics are."""
        return TEACHING if self.teaches else step_table()

    def history(self) -> RunHistory[Any, Any]:
        """What the run has recorded so far, without its samples."""
        kind = TeachingHistory if self.teaches else History
        validations = self.validations.read()
        return kind(self.found.folder, self.config(), self.steps.read(), [], validations)

    def config(self) -> dict[str, Any]:
        path = self.found.file(CONFIG)
        try:
            return read_record(path, dict[str, Any], missing=f"{path} has disappeared")
        except OSError as error:
            raise UserError(f"{self.found.name}: {CONFIG} cannot be read: {error}") from error

    def damage(self) -> list[str]:
        """Lines that cannot be read, of what has been read so far."""
        files = (self.steps, self.validations, self.groups, self.samples, self.examples)
        return [text for file in files for text in file.damage]

    def stamp(self) -> str:
        """A text that changes whenever there is something new."""
        sizes = (size for _, size in self.found.stamp(METRICS, VALIDATION, GROUPS))
        return "-".join(map(str, (*sizes, int(self.live()))))

    def live(self) -> bool:
        """Whether a process is working in the folder."""
        return worked_in(self.found.folder)


SIGNALS: Mapping[str, str] = {
    "reward": "the shaped reward",
    "correct": "1 if correct, otherwise 0",
    "form": "1 if readable, otherwise 0",
}
"""What rollout.signal chooses, in words."""


def trained_on(config: Mapping[str, Any]) -> str:
    """What a run is trained on, in words."""
    rollout = config.get("rollout", {})
    less = ", less what is taken off for length" if rollout.get("overlong") == "penalise" else ""
    return SIGNALS.get(rollout.get("signal") or "reward", "a reward of its own") + less


class RunBook:
    """The runs opened so far, so that each line of their files is read once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Path, RunFolder] = {}
        self._rows: dict[Path, tuple[object, RunRow]] = {}

    def open(self, found: Found) -> RunFolder:
        """The run in a folder."""
        with self._lock:
            if found.folder not in self._open:
                self._open[found.folder] = RunFolder(found)
            run = self._open[found.folder]
            run.found = found  # its name grows longer when another run has the same
            return run

    def row(self, found: Found) -> "RunRow":
        """The run as a row of the table; it is read again only if its files have changed."""
        stamp = found, found.stamp(CONFIG, METRICS, VALIDATION)
        live = worked_in(found.folder)
        known = self._rows.get(found.folder)
        row = known[1] if known is not None and known[0] == stamp else read_row(found)
        self._rows[found.folder] = stamp, row
        return msgspec.structs.replace(row, state=state_of(row, live))


def accuracy_on(accuracy: Accuracy, names: Sequence[str], level: int | None = None) -> Share:
    """Accuracy on the problems of these environments, at one of the levels or at all."""
    levels = [
        (share, accuracy.solved.get(name, {}).get(each, ""))
        for name in names
        for each, share in accuracy.by_level.get(name, {}).items()
        if level is None or each == level
    ]
    strata = [(share, len(marks)) for share, marks in levels]
    if not all(number for _, number in strata):  # an early run, which did not store its marks
        return Share(fmean(share for share, _ in strata), temperature=accuracy.temperature)
    problems = sum(number for _, number in strata)
    return Share(*over_shares(strata, len(names)), problems, accuracy.temperature)


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the table, read from its settings and the ends of its files."""

    id: str
    name: str
    kind: str
    model: str
    seed: int | None
    environments: str
    steps: int
    planned: int | None
    state: State = "stopped"
    high: float | None
    accuracy_at_high: Share | None
    before: Share | None
    after: Share | None
    change: Interval | None
    seconds: float
    written: float  # when its metrics were last written, in seconds since 1970
    pace: float  # seconds that a step takes
    warnings: list[str] = []  # signs that it is not learning
    damage: list[str] = []  # lines that cannot be read
    settings: dict[str, str] = {}  # by section and name
    metrics: dict[str, float] = {}  # of the last step


def accuracy_at_high(steps: Sequence[StepMetrics]) -> Share | None:
    """Accuracy at h over some steps, as the terminal has it."""
    share = mean(step.accuracy_at_high for step in steps if step.accuracy_at_high is not None)
    problems = training_report.problems_at_high(steps)
    if share is None:
        return None
    return Share(*wilson(share, problems), problems) if problems else Share(share)


def state_of(row: RunRow, live: bool) -> State:
    """What the run is doing."""
    if live:
        patience = max(STALLED, STALLED_STEPS * row.pace)
        return "stalled" if time.time() - row.written > patience else "running"
    return "finished" if row.planned and row.steps >= row.planned else "stopped"


def read_row(found: Found) -> RunRow:
    """Read the row of a run: its settings, and the ends of its files."""
    run = RunFolder(found)
    config, teaches = run.config(), run.teaches
    steps: list[StepMetrics] = last_lines(run.steps.path, run.record, RECENT)
    validations = run.validations.read()
    last = steps[-1] if steps else None
    highs = [] if teaches or last is None else [h for _, h in last.bounds.values()]
    on_dataset = _setting(config, "data", "dataset") is not None
    paces = step_seconds(steps)[1:]
    first, now = (validations[0], validations[-1]) if validations else (None, None)
    return RunRow(
        id=found.id,
        name=found.name,
        kind=found.kind,
        model=model_name(config),
        seed=_setting(config, "run", "seed"),
        environments=_environments(config),
        steps=last.step if last else 0,
        planned=_setting(config, "run", "steps"),
        high=fmean(highs) if highs and not on_dataset else None,
        accuracy_at_high=None if teaches else accuracy_at_high(steps),
        before=accuracy_on(first.measured[-1], first.trained) if first else None,
        after=accuracy_on(now.measured[-1], now.trained) if now and len(validations) > 1 else None,
        change=_change(first, now) if first and now and len(validations) > 1 else None,
        seconds=last.seconds.get("in all", 0.0) if last else 0.0,
        written=found.written(),
        pace=median(paces) if paces else 0.0,
        warnings=[] if teaches else list(alarms(steps, validations).values()),
        damage=run.damage(),
        settings=_flat(config),
        metrics={
            name: value
            for name in (run.table if last else ())
            if run.table[name].format and (value := read_metric(run.table, name, last)) is not None
        },
    )


def _setting(config: dict[str, Any], section: str, name: str) -> Any:
    return config.get(section, {}).get(name)


def _environments(config: dict[str, Any]) -> str:
    if dataset := _setting(config, "data", "dataset"):
        return Path(dataset).name
    names = _setting(config, "data", "environments") or ()
    some = ", ".join(names[:NAMED])
    return f"{some} and {len(names) - NAMED} more" if len(names) > NAMED else some


def _change(first: ValidationRecord, last: ValidationRecord) -> Interval | None:
    """The change on the problems of the environments trained on, and its 95% interval."""
    was, now = first.measured[-1], last.measured[-1]
    change = now.mean(last.trained) - was.mean(first.trained)
    if not was.solved or not now.solved:
        return None
    turned = problems_turned(was, now, last.trained)
    return Interval(change, *change_interval(*turned, last.trained_problems))


class RunSummary(NamedTuple):
    """What the page of a run says above its charts."""

    row: RunRow
    headline: str
    concerns: list[str]
    numbers: dict[str, str]
    damage: list[str]


def summary(run: RunFolder, row: RunRow) -> RunSummary:
    history = run.history()
    report = teaching_report if run.teaches else training_report
    return RunSummary(
        row=row,
        headline=cast(Any, report).headline(history)
        if history.steps
        else "No step has finished yet.",
        concerns=[] if run.teaches else concerns(cast(History, history)),
        numbers=_strip(run, row, history),
        damage=run.damage(),
    )


def _strip(run: RunFolder, row: RunRow, history: RunHistory[Any, Any]) -> dict[str, str]:
    """A run at a glance, in a few numbers."""
    shown = {"step": f"{row.steps:,} of {row.planned:,}" if row.planned else f"{row.steps:,}"}
    if row.state == "running":
        every, last = _measured_every(history), row.planned or 0
        left = time_left(history.steps, history.validations, last, every)
        shown["time left, about"] = duration(left) if left else "-"
        due = min((row.steps // every + 1) * every, last) if every else last
        shown["next measurement"] = f"step {due:,}" if due and history.validations else "-"
    else:
        shown["time"] = duration(history.seconds)
    tokens = sum(step.tokens for step in history.steps[-RECENT:])
    spent = sum(step_seconds(history.steps)[-RECENT:])
    shown["tokens per second"] = f"{tokens / spent:,.0f}" if spent else "-"
    if run.teaches:
        losses = read_metrics(run.table, "loss", history.steps[-RECENT:])
        shown[f"loss, last {RECENT} steps"] = write_mean(losses, run.table["loss"].format)
    else:
        shown["mean difficulty h"] = "-" if row.high is None else f"{row.high:.1f}"
        shown[f"accuracy at h, last {RECENT} steps"] = str(row.accuracy_at_high or "-")
    if row.before is not None:
        known = row.before.temperature
        at = "" if known is None else f" at temperature {known:g}"
        shown[f"test accuracy{at}"] = result(row)
    return shown


def result(row: RunRow) -> str:
    """Accuracy on the test problems before and now, such as 61.5 → 67.2% (62.0 to 72.4), n = 90."""
    if row.before is None:
        return "-"
    return str(row.before) if row.after is None else f"{100 * row.before.value:.1f} → {row.after}"


def _measured_every(history: RunHistory[Any, Any]) -> int | None:
    """After every how many steps accuracy is measured, as the settings or the first two times say.

    Otherwise a run chooses it, and before the second time only the last one is known.
    """
    at = [record.step for record in history.validations]
    return _setting(history.config, "validation", "every") or (at[1] - at[0] if at[1:] else None)


def warnings(run: RunFolder) -> list[str]:
    """Signs that a live run is not learning."""
    if run.teaches:
        return []
    return list(alarms(run.steps.read(), run.validations.read()).values())


LEADS: Mapping[str, tuple[str, str]] = {
    "same answer": ("Answers given again and again", "/failures"),
    "signal": ("Prompts without it", "/rollouts?signal=no&order=latest"),
    "readable answer": ("Ill-formed outputs", "/rollouts?outcome=ill-formed"),
    "response limit": ("Outputs cut off", "/rollouts?outcome=cut-off"),
    "not be judged": ("Outputs not judged", "/rollouts?outcome=failed"),
    "hardly vary": ("Entropy", "#chart-entropy"),
    "ccuracy": ("Accuracy on test problems", "#chart-validation"),
    "come up before": ("Difficulties drawn", "#chart-drawn"),
    "too long": ("Prompts", "#chart-prompts"),
    "by an older policy": ("Staleness", "#chart-staleness"),
    "sampler": ("Sampler gap", "#chart-sampler_gap"),
}
"""Where to look further into warnings (reports/templates/concerns.txt), by words that they have."""


def lead(warning: str) -> tuple[str, str] | None:
    """Where to look further into a warning: what is there, and where it is on the run's page."""
    return next((found for words, found in LEADS.items() if words in warning), None)


def differences(configs: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """The settings in which runs differ, with the value of each run."""
    flat = [_flat(config) for config in configs]
    names = sorted({name for settings in flat for name in settings} - UNIMPORTANT)
    table = {name: [settings.get(name, "-") for settings in flat] for name in names}
    return {name: values for name, values in table.items() if len(set(values)) > 1}


UNIMPORTANT = frozenset({"run.folder"})


def _flat(value: Any, prefix: str = "") -> dict[str, str]:
    if not isinstance(value, dict) or not value:
        return {prefix: _words(value)}
    return {
        name: text
        for key, inner in cast("dict[str, Any]", value).items()
        for name, text in _flat(inner, f"{prefix}.{key}" if prefix else key).items()
    }


def _words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, cast("list[Any]", value))) or "none"
    if value is None or value == {}:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def alike(config: dict[str, Any]) -> str:
    """What runs that differ in nothing but their seed have in common."""
    run = {
        key: value
        for key, value in config.get("run", {}).items()
        if key not in ("seed", "folder", "workers", "hours")
    }
    return msgspec.json.encode(config | {"run": run}, order="sorted").decode()


class RunTables(NamedTuple):
    """What the page of a run has below its charts; None if there is nothing to say."""

    climbs: Rows | None  # how far each environment has come,
    curriculum: str  # and by which rules
    levels: Rows | None  # test accuracy before and after
    left_out: Rows | None  # what could not be taught


def tables(run: RunFolder) -> RunTables:
    history = run.history()
    begun = bool(history.steps)
    climbs = left_out = None
    curriculum = ""
    if begun and isinstance(history, History) and history.environments:
        climbs = training_report.climbs(history)
        curriculum = history.curriculum.explained()
    if begun and isinstance(history, TeachingHistory):
        left_out = teaching_report.left_out(history)
    levels = by_level(history.validations) if history.validations else None
    taught = left_out if left_out and left_out.rows else None
    return RunTables(climbs, curriculum, levels, taught)


def accuracy_by_level(run: RunFolder, name: str) -> list[Shares]:
    """A run's accuracy at the levels of one environment: before training, and latest."""
    records = [r for r in run.validations.read() if name in r.measured[-1].solved]
    ends = records if len(records) < 2 else [records[0], records[-1]]
    return [
        (
            f"{run.found.name}, step {record.step:,}",
            {
                level: share_of(list(map(float, marks)))
                for level, marks in record.measured[-1].solved[name].items()
            },
        )
        for record in ends
    ]
