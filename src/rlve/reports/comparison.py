"""Evaluations side by side: tables, and a sentence that sums them up."""

from rlve.evaluate.compare import ComparedEvaluation, ComparedValue, Comparison
from rlve.evaluate.results import Endings
from rlve.reports.pages import Rows


def headline(comparison: Comparison) -> str:
    """The comparison in a sentence."""
    others = [e for e in comparison.evaluations if e.name != comparison.baseline]
    if not others:
        only = comparison.evaluations[0]
        return f"{only.name}: {comparison.number} {only.overall.value:.1%}."
    best = max(others, key=lambda evaluation: evaluation.overall.value)
    low, high = best.overall.difference_interval or (0.0, 0.0)
    verdict = (
        "better, by more than chance easily explains"
        if low > 0
        else "worse, by more than chance easily explains"
        if high < 0
        else "which may be chance"
    )
    base = next(e for e in comparison.evaluations if e.name == comparison.baseline)
    return (
        f"{best.name} has {comparison.number} {best.overall.value:.1%}, {base.name} "
        f"{base.overall.value:.1%}: {_points(best.overall.difference or 0.0)} points "
        f"({_points(low)} to {_points(high)}), {verdict}."
    )


def table(comparison: Comparison) -> Rows:
    """All evaluations."""
    rows = [
        (
            _name(evaluation),
            f"{evaluation.samples:,}",
            *_cells(evaluation.overall),
            *_endings(evaluation.endings),
        )
        for evaluation in comparison.evaluations
    ]
    headings = *_headings(comparison, comparison.over), "ill-formed", "cut off", "tokens"
    return Rows(("evaluation", "samples", *headings), rows)


def _endings(endings: Endings | None) -> tuple[str, ...]:
    if endings is None:
        return "", "", ""
    tokens = "" if endings.tokens is None else f"{endings.tokens:,.0f}"
    return f"{endings.ill_formed:.1%}", f"{endings.truncated:.1%}", tokens


def _headings(comparison: Comparison, over: str) -> tuple[str, ...]:
    interval = f"95% interval {over}"
    return comparison.number, interval, f"against {comparison.baseline}", "95% interval"


def _name(evaluation: ComparedEvaluation) -> str:
    several = f" ({evaluation.runs} runs)" if evaluation.runs > 1 else ""
    return evaluation.name + several


def group_table(comparison: Comparison) -> Rows:
    """All evaluations by environment or difficulty, which is named in its first row."""
    rows: list[tuple[str, ...]] = []
    for group in comparison.evaluations[0].groups:
        for index, evaluation in enumerate(comparison.evaluations):
            value = evaluation.groups[group]
            first = (group, f"{value.questions:,}") if not index else ("", "")
            rows.append((*first, _name(evaluation), *_cells(value)))
    return Rows(
        (comparison.by, "questions", "evaluation", *_headings(comparison, comparison.groups_over)),
        rows,
    )


def _cells(value: ComparedValue) -> tuple[str, ...]:
    difference = interval = ""
    if value.difference is not None and value.difference_interval is not None:
        difference = _points(value.difference)
        interval = " to ".join(map(_points, value.difference_interval))
    low, high = value.interval
    return f"{value.value:.1%}", f"{low:.1%} to {high:.1%}", difference, interval


def _points(difference: float) -> str:
    """A difference of percentages, with its sign, in points."""
    return f"{round(100 * difference, 1) + 0.0:+.1f}"  # + 0.0: there is no -0.0
