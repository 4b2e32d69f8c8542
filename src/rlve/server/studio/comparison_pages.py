"""The pages that `rlve compare` writes: each a file that needs no other."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rlve.evaluate.compare import ComparedEvaluation, Comparison
from rlve.evaluate.frontier.compare import FrontierComparison
from rlve.evaluate.frontier.profile import Measured
from rlve.foundation.intervals import Interval
from rlve.reports import comparison as report
from rlve.reports import frontier_comparison as frontier_report
from rlve.reports.pages import Rows
from rlve.server.studio.charts import Chart, Series, Share, alone, measured, round_off
from rlve.server.studio.pages import Links, render
from rlve.text import quantity


class Table(NamedTuple):
    """A table whose rows are drawn as well, on a scale from one value to another."""

    title: str
    rows: Rows
    reaches: Sequence[Interval | None]
    ends: tuple[float, float]
    drawn: str  # what is drawn


def comparison_page(comparison: Comparison) -> str:
    """Evaluations side by side; the checkpoints of a run are a curve over its steps."""
    many = comparison.evaluations
    by_group = [each.groups[group] for group in many[0].groups for each in many]
    tables = [
        _table("", report.table(comparison), [each.overall for each in many], comparison.number),
        _table(f"By {comparison.by}", report.group_table(comparison), by_group, comparison.number),
    ]
    asked = quantity(many[0].overall.questions, "question")
    return _page(
        title=f"{quantity(len(many), 'evaluation')} on {comparison.suite}",
        headline=report.headline(comparison),
        chart=_over_steps(comparison),
        tables=tables if len(many[0].groups) > 1 else tables[:1],
        notes=comparison.notes,
        explained=f"All evaluations were asked the same {asked}. Differences are in percentage "
        "points. Intervals are 95% intervals over environments, or over questions if "
        "these come from one; differences are resampled in pairs. Where several runs have one "
        "name, how they differ is in the interval.",
    )


def _table(title: str, rows: Rows, values: Sequence[Any], drawn: str) -> Table:
    reaches = [Interval(each.value, *each.interval) for each in values]
    return Table(title, rows, reaches, (0.0, 1.0), f"{drawn}, 0 to 100%")


def _over_steps(comparison: Comparison) -> Chart | None:
    runs: dict[str, list[ComparedEvaluation]] = {}
    for each in comparison.evaluations:
        if each.step is not None:
            runs.setdefault(each.run, []).append(each)
    if not any(len(points) > 1 for points in runs.values()):
        return None
    steps = sorted(
        {each.step for points in runs.values() for each in points if each.step is not None}
    )
    series: list[Series] = []
    for name, points in runs.items():
        found = {each.step: Share(each.overall.value, *each.overall.interval) for each in points}
        series.append(measured(name, [found.get(step) for step in steps], colour=len(series)))
    for each in comparison.evaluations:
        if each.step is None:
            level: list[float | None] = [round_off(each.overall.value)] * len(steps)
            series.append(Series(each.name, level, colour=len(series), dashed=True))
    return Chart(
        title=f"{comparison.suite}: {comparison.number}",
        x=[float(step) for step in steps],
        along="training step",
        series=series,
        scale="share",
        band="95% interval",
    )


def frontier_comparison_page(comparison: FrontierComparison) -> str:
    """Frontiers side by side, overall and by environment."""
    many = comparison.profiles
    names = list(many[0].environments)
    inner = [each.environments[name].difference for name in names for each in many]
    against = f"against {comparison.baseline}"
    return _page(
        title="Frontiers of " + ", ".join(each.name for each in many),
        headline=frontier_report.headline(comparison),
        chart=None,
        tables=[
            _differences(
                "", frontier_report.table(comparison), [e.overall.difference for e in many], against
            ),
            _differences(
                "By environment", frontier_report.environment_table(comparison), inner, against
            ),
        ],
        notes=comparison.notes,
        explained="Differences are in levels of difficulty. Their 95% intervals are over "
        "environments, and for one environment what the answers of both models leave open.",
    )


def _differences(title: str, rows: Rows, found: Sequence[Measured | None], drawn: str) -> Table:
    reaches = [each and Interval(each.value, *each.interval) for each in found]
    far = max((max(-each.low, each.high) for each in reaches if each), default=0.0) or 1.0
    return Table(title, rows, reaches, (-far, far), f"{drawn}, {-far:.1f} to {far:.1f}")


def _page(*, chart: Chart | None, **values: Any) -> str:
    drawn = alone("comparison", chart)
    return render("comparison.html", Links(saved=True), part="evals", drawn=drawn, **values)
