"""What came out of the adaptivity experiment: tables, pictures and a page, of what is there.

Settings are compared after the last step at which all runs of an environment were measured, so
that a part of the cells, or cells that are still under way, can be looked at, too.

collect() writes, into the experiment's folder:

    metrics.jsonl        a line for each step of each run
    evaluations.jsonl    a line for each measurement of accuracy
    cells.json           where the runs were made, and what they drew from
    table.md, table.json
    curves.png           the paper's Figure 3, and h
    levels.png           accuracy by difficulty
    report.html          all of it on one page

Without the folder cells/ it starts from the first three, so that they are all one has to keep.
"""

# Matplotlib leaves its **kwargs untyped, which makes every call to it partially unknown.
# pyright: reportUnknownMemberType=false

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import accumulate
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from rlve.errors import UserError
from rlve.files import write_whole
from rlve.reports.figures import (
    INK,
    LOOK,
    PALETTE,
    array,
    moving_average,
    new_figure,
    png,
    whole_levels,
)
from rlve.reports.pages import count, document, picture, table
from rlve.studies.adaptivity import (
    ADAPTIVE,
    Cell,
    Evaluation,
    Facts,
    Plan,
    cell_folder,
    label,
    read_lines,
    read_plan,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEADINGS = (
    "environment",
    "setting",
    "seeds",
    "steps",
    "accuracy at the start",
    "accuracy at the end",
    "at equal tokens",
    "effective prompts",
    "in the last tenth",
    "h",
    "groups trained on",
    "rollouts",
    "tokens",
    "prompts dropped",
)


class Trained(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a run, as its metrics.jsonl has it, but for what is not needed here."""

    step: int
    prompts: int
    tokens: int
    trained_groups: int
    accuracy: float | None = None
    effective_prompt_ratio: float | None = None
    bounds: dict[str, tuple[int, int]]
    redrawn: dict[str, dict[str, int]] = {}
    seconds: dict[str, float] = {}


class Row(msgspec.Struct, frozen=True, kw_only=True):
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


class Measured(Evaluation, frozen=True, kw_only=True):
    """A line of the collected evaluations."""

    environment: str
    setting: str
    seed: int


class Origin(Facts, frozen=True, kw_only=True):
    """A cell, and what there is to know of it."""

    environment: str
    setting: str
    seed: int


class Results(msgspec.Struct, frozen=True):
    """All that was recorded; cells that have been measured at least once."""

    plan: Plan
    steps: dict[Cell, list[Row]]
    evaluations: dict[Cell, list[Measured]]
    origins: list[Origin]

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
        return max(_common(measured))

    def measured(self, cell: Cell, step: int) -> Measured:
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

    def until(self, cell: Cell, step: int) -> list[Row]:
        return [row for row in self.steps[cell] if row.step <= step]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
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


def collect(folder: Path) -> tuple[Results, list[Summary]]:
    """Write tables, pictures and the page of what is there."""
    results = read_results(folder)
    if not results.evaluations:
        raise UserError(f"{folder} has no measured run yet")
    summaries = summarise(results)
    curves_png, levels_png = png(curves(results)), png(levels(results))
    for name, content in (
        ("metrics.jsonl", _jsonl(row for rows in results.steps.values() for row in rows)),
        ("evaluations.jsonl", _jsonl(e for es in results.evaluations.values() for e in es)),
        ("cells.json", _pretty(results.origins)),
        ("table.json", _pretty(summaries)),
        ("table.md", markdown(summaries).encode()),
        ("curves.png", curves_png),
        ("levels.png", levels_png),
        ("report.html", page(results, summaries, curves_png, levels_png).encode()),
    ):
        write_whole(folder / name, content)
    return results, summaries


def read_results(folder: Path) -> Results:
    """What the cells have recorded; without cells, what was collected from them."""
    plan = read_plan(folder)
    steps: dict[Cell, list[Row]] = {}
    evaluations: dict[Cell, list[Measured]] = {}
    origins: list[Origin] = []
    if (folder / "cells").exists():
        for cell in plan.cells():
            place = cell_folder(folder, cell)
            measured = read_lines(place / "evaluations.jsonl", Evaluation)
            if not measured:
                continue
            named = cell._asdict()
            evaluations[cell] = [
                Measured(**named, **msgspec.structs.asdict(each)) for each in measured
            ]
            steps[cell] = [
                _row(cell, each, plan.training.rollout.group)
                for each in read_lines(place / "metrics.jsonl", Trained)
            ]
            facts = msgspec.json.decode((place / "cell.json").read_bytes(), type=Facts)
            origins.append(Origin(**named, **msgspec.structs.asdict(facts)))
        return Results(plan, steps, evaluations, origins)
    for each in read_lines(folder / "evaluations.jsonl", Measured):
        evaluations.setdefault(Cell(each.environment, each.setting, each.seed), []).append(each)
    for row in read_lines(folder / "metrics.jsonl", Row):
        steps.setdefault(Cell(row.environment, row.setting, row.seed), []).append(row)
    place = folder / "cells.json"
    if place.exists():
        origins = msgspec.json.decode(place.read_bytes(), type=list[Origin])
    return Results(plan, {c: steps.get(c, []) for c in evaluations}, evaluations, origins)


def _row(cell: Cell, each: Trained, group: int) -> Row:
    low, high = each.bounds[cell.environment]
    return Row(
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


def summarise(results: Results) -> list[Summary]:
    """The table, as numbers."""
    found: list[Summary] = []
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
                Summary(
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


def _effective(rows: Sequence[Row]) -> float:
    """The share of all prompts whose group had signal."""
    known = [(r.effective_prompt_ratio, r.prompts) for r in rows]
    prompts = sum(n for ratio, n in known if ratio is not None)
    return sum(ratio * n for ratio, n in known if ratio is not None) / prompts if prompts else 0.0


def table_row(summary: Summary) -> tuple[str, ...]:
    """A line of the table, under HEADINGS; means over seeds, +- their standard deviation."""
    return (
        summary.environment,
        label(summary.setting),
        str(len(summary.seeds)),
        f"{summary.step:,}",
        f"{fmean(summary.accuracy_at_start):.1%}",
        _spread(summary.accuracy),
        _spread(summary.at_equal_tokens),
        _spread(summary.effective_prompt_ratio),
        _spread(summary.effective_in_last_tenth),
        f"{fmean(summary.high):.1f}" if summary.setting == ADAPTIVE else "-",
        f"{fmean(summary.trained_groups):,.0f}",
        f"{fmean(summary.rollouts):,.0f}",
        f"{fmean(summary.tokens):,.0f}",
        f"{fmean(summary.dropped):,.0f}",
    )


def _spread(values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.1%}"
    return f"{fmean(values) * 100:.1f} ± {stdev(values) * 100:.1f}%"


def markdown(summaries: Sequence[Summary]) -> str:
    """The table in Markdown."""
    lines = [
        f"| {' | '.join(HEADINGS)} |",
        f"|{' --- |' * 2}{' ---: |' * (len(HEADINGS) - 2)}",
        *(f"| {' | '.join(table_row(summary))} |" for summary in summaries),
    ]
    return "\n".join(lines) + "\n"


def headlines(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """How adaptive difficulty did against the best static range, a sentence per environment."""
    found: list[str] = []
    for name in results.environments():
        of = {s.setting: s for s in summaries if s.environment == name}
        static = [s for s in of.values() if s.setting != ADAPTIVE]
        if ADAPTIVE not in of or not static:
            continue
        mine, best = of[ADAPTIVE], max(static, key=lambda s: fmean(s.accuracy))
        cheap = max(static, key=lambda s: fmean(s.at_equal_tokens))
        found.append(
            f"{name}, after {count(best.step, 'step')}: {fmean(mine.accuracy):.1%} with adaptive "
            f"difficulty, {fmean(best.accuracy):.1%} with the best static range, "
            f"{_range(best)}; {fmean(mine.accuracy_at_start):.1%} at the start. At equal tokens: "
            f"{fmean(mine.at_equal_tokens):.1%}, and {fmean(cheap.at_equal_tokens):.1%} with the "
            f"best static range, {_range(cheap)}."
        )
    return found


def _range(summary: Summary) -> str:
    return label(summary.setting).removeprefix("static ")


def notes(results: Results) -> list[str]:
    """What a reader of the table has to know of this run of the experiment."""
    plan = results.plan
    found: list[str] = []
    missing = [cell for cell in plan.cells() if cell not in results.evaluations]
    if missing:
        found.append(f"{len(missing)} of {len(plan.cells())} runs are not there yet.")
    short = [c for c, es in results.evaluations.items() if es[-1].step < plan.steps]
    if short:
        found.append(
            f"{count(len(short), 'run')} had not reached step {plan.steps:,}; settings are "
            "compared after the last step that all runs of an environment have reached."
        )
    cut: dict[tuple[str, str], tuple[int, int]] = {}
    for origin in results.origins:
        if origin.drawn_from is not None:
            high = int(origin.setting.split("-")[2])
            if origin.drawn_from[1] < high:
                cut[origin.environment, origin.setting] = origin.drawn_from
    for (name, setting), (low, high) in cut.items():
        found.append(
            f"{name}, {label(setting)}: the prompts above difficulty {high} are several times "
            f"longer than the limit of {plan.training.data.max_prompt_tokens:,} tokens, so only "
            f"[{low}, {high}] was drawn from; what was too long in it was dropped and drawn again."
        )
    too_long = {
        name: results.evaluations[results.cells(name)[0]][-1].too_long
        for name in results.environments()
    }
    for name, number in too_long.items():
        if number:
            found.append(
                f"{name}: {number:,} of the {plan.test.problems:,} problems that accuracy is "
                "measured on are beyond that limit, and count as not solved."
            )
    return found


def curves(results: Results) -> "Figure":
    """The paper's Figure 3, a row for each environment; what it cost; and h, where it adapts."""
    import matplotlib as mpl
    from matplotlib.ticker import EngFormatter, PercentFormatter

    names = results.environments()
    with mpl.rc_context(LOOK):
        figure = new_figure(16, 3.1 * len(names) + 0.3, _handles(results))
        grid = figure.subplots(len(names), 4, squeeze=False)
        for name, (accuracy, cost, ratio, high) in zip(names, grid, strict=True):
            for setting in results.settings(name):
                style = _style(results.plan, setting)
                cells = results.cells(name, setting)
                measured = [
                    {e.step: e.accuracy for e in results.evaluations[cell]} for cell in cells
                ]
                _band(accuracy, measured, style, marker="o")
                totals = [results.sampled(cell) for cell in cells]
                spent = {at: fmean(t[at] for t in totals) for at in _common(totals)}
                _band(cost, measured, style, marker="o", places=spent)
                effective = [
                    {r.step: r.effective_prompt_ratio for r in results.steps[cell]}
                    for cell in cells
                ]
                _band(ratio, effective, style, smooth=True)
                if setting == ADAPTIVE:
                    levels = [{0: 0, **{r.step: r.high for r in results.steps[c]}} for c in cells]
                    _band(high, levels, style)
            accuracy.set_ylabel(name, fontweight="bold")
            accuracy.set(ylim=(0, None))
            cost.set(ylim=(0, None), xlim=(0, None))
            cost.xaxis.set_major_formatter(EngFormatter(sep=""))
            ratio.set(ylim=(-0.02, 1.02))
            high.set(ylim=(-0.2, max(1.2, high.get_ylim()[1])))
            whole_levels(high)
            for axes in (accuracy, cost, ratio):
                axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
            for axes in (accuracy, ratio, high):
                axes.set_xlim(0, max(1, *(e[-1].step for e in results.evaluations.values())))
        step, top = "training step", results.plan.test.levels
        for column, (title, below) in enumerate(
            (
                (f"Accuracy on d in [0, {top})", step),
                ("The same, by its cost", "tokens sampled"),
                ("Effective prompt ratio", step),
                ("Highest difficulty h", step),
            )
        ):
            grid[0][column].set_title(title)
            grid[-1][column].set_xlabel(below)
    return figure


def levels(results: Results) -> "Figure":
    """Accuracy by difficulty, in the end and at the start."""
    import matplotlib as mpl
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    names = results.environments()
    start: dict[str, Any] = {"color": INK, "linestyle": ":", "linewidth": 1.5}
    with mpl.rc_context(LOOK):
        handles = [*_handles(results), Line2D([], [], label="at the start", **start)]
        figure = new_figure(max(9, 6.5 * len(names)), 3.4, handles)
        grid = figure.subplots(1, len(names), squeeze=False)[0]
        for name, axes in zip(names, grid, strict=True):
            step = results.compared_at(name)
            first = results.evaluations[results.cells(name)[0]][0]
            axes.plot(range(len(first.by_level)), first.by_level, **start)
            for setting in results.settings(name):
                by_level = [
                    dict(enumerate(results.measured(cell, step).by_level))
                    for cell in results.cells(name, setting)
                ]
                _band(axes, by_level, _style(results.plan, setting), marker="o")
            axes.set(title=f"{name}: accuracy after step {step:,}", xlabel="difficulty d")
            axes.set_ylim(-0.02, 1.02)
            axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    return figure


Curve: TypeAlias = Mapping[int, float | None]


def _band(
    axes: "Axes",
    runs: Sequence[Curve],
    style: dict[str, Any],
    *,
    smooth: bool = False,
    marker: str = "",
    places: Mapping[int, float] | None = None,
) -> None:
    """The mean over runs, and behind it the range of their values.

    `places` says where steps are on the axis, if not where their numbers are.
    """
    import numpy as np

    at = sorted(_common(runs))
    if not at:
        return
    values = np.array([array([run[step] for step in at]) for run in runs])
    if smooth:
        values = np.array([moving_average(row, 15) for row in values])
    # A step may have had no prompts in any run.
    seen = [index for index in range(len(at)) if not np.isnan(values[:, index]).all()]
    values, at = values[:, seen], [at[index] for index in seen]
    where = at if places is None else [places[step] for step in at]
    if len(runs) > 1:
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        axes.fill_between(where, low, high, color=style["color"], alpha=0.13, linewidth=0)
    axes.plot(where, np.nanmean(values, axis=0), marker=marker, markersize=3.5, **style)


def _common(runs: Sequence[Iterable[int]]) -> set[int]:
    """The steps, or levels, that all runs have."""
    first, *others = map(set, runs)
    return first.intersection(*others)


def _handles(results: Results) -> list[Any]:
    from matplotlib.lines import Line2D

    shown = {s for name in results.environments() for s in results.settings(name)}
    return [
        Line2D([], [], label=label(setting), **_style(results.plan, setting))
        for setting in results.plan.settings
        if setting in shown
    ]


def _style(plan: Plan, setting: str) -> dict[str, Any]:
    index = plan.settings.index(setting)
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": "-" if setting == ADAPTIVE else "--",
        "linewidth": 2.2 if setting == ADAPTIVE else 1.6,
    }


def page(
    results: Results, summaries: Sequence[Summary], curves_png: bytes, levels_png: bytes
) -> str:
    """The page as text."""
    plan = results.plan
    training, test = plan.training, plan.test
    sampling = (
        "the likeliest token at each position"
        if test.temperature == 0
        else f"temperature {test.temperature:g}, top-p {test.top_p:g}"
    )
    devices = sorted({origin.device for origin in results.origins})
    body = [
        "<h1>Adaptive against static difficulty</h1>",
        *(f"<p>{escape(text)}</p>" for text in headlines(results, summaries)),
        table(HEADINGS, map(table_row, summaries)),
        "<p>Means over seeds, with their standard deviation. Accuracy is measured on the same "
        f"{test.problems:,} problems each time, as many of each difficulty from 0 to "
        f"{test.levels - 1}, one output each ({sampling}). The effective prompt ratio is the share "
        "of prompts whose group has non-identical rewards. At equal tokens: the accuracy, taken to "
        "change evenly between measurements, when as many tokens had been sampled as by the "
        "setting that took the fewest. Rollouts and tokens are those that training sampled, "
        "dropped groups included. Prompts dropped are draws that were made "
        f"again because the prompt was longer than {training.data.max_prompt_tokens:,} tokens.</p>",
        *(f"<p>{escape(text)}</p>" for text in notes(results)),
        "<h2>Over the run</h2>",
        picture(curves_png, "accuracy, its cost, effective prompt ratio and h over training steps"),
        "<p>Means over seeds; shaded, from the lowest to the highest. The effective prompt ratio "
        "is a moving average.</p>",
        "<h2>By difficulty</h2>",
        picture(levels_png, "accuracy by difficulty"),
        "<h2>How it was made</h2>",
        f"<p>{escape(training.policy.model)}, {training.rollout.problems:,} problems with "
        f"{training.rollout.group:,} rollouts each in a step, learning rate "
        f"{training.update.learning_rate:g}, on {escape(', '.join(devices) or 'unknown')}. "
        "All runs start from the same weights, and each has one environment.</p>",
        "<details><summary>All settings</summary>",
        f"<pre>{escape(json.dumps(json.loads(_pretty(plan)), indent=2))}</pre></details>",
    ]
    return document("Adaptive against static difficulty", body)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _jsonl(records: Iterable[msgspec.Struct]) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def _pretty(record: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record, enc_hook=str)) + b"\n"
