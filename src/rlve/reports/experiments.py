"""The page that shows an experiment, with its tables and pictures beside it.

write_report() writes these into the experiment's folder:

    table.md, table.json
    curves.png           accuracy, its cost, effective prompt ratio and h over the steps
    changes.png          how far accuracy changed, with intervals
    levels.png           accuracy by difficulty
    spread.png           the spread of h over environments, if it adapts to several
    report.html          everything on one page
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev

from rlve.errors import UserError
from rlve.files import pretty, write_whole
from rlve.reports import findings
from rlve.reports.figures import experiments as pictures
from rlve.reports.figures import png
from rlve.reports.findings import cost, notes, points, sentences
from rlve.reports.pages import Rows, render, write_page
from rlve.run_folders import TABLE, TABLE_PAGE
from rlve.studies.comparison import Outcome, Summary, summarise
from rlve.studies.experiments import brief
from rlve.studies.index import STUDIES
from rlve.studies.records import Results, read_results, write_results
from rlve.studies.settings import label

HEADINGS = (
    "trained on",
    "setting",
    "seeds",
    "steps",
    "trained: start",
    "end",
    "change (95%)",
    "at equal tokens",
    "held out: start",
    "end",
    "change (95%)",
    "at equal tokens",
    "ill-formed",
    "cut off",
    "tokens in an output",
    "effective prompts",
    "in the last tenth",
    "h",
    "groups trained on",
    "rollouts",
    "tokens",
    "prompts dropped",
)
SHORT_HEADINGS = ("trained on", "setting", "trained", "held out", "effective", "h")
CAPTIONS = {
    "curves": "Means over seeds; shaded, from the lowest to the highest. The effective prompt "
    "ratio is a moving average.",
    "changes": "Points are means over seeds with their 95% intervals, crosses are seeds.",
    "levels": "Dotted: at the start.",
    "spread": "The share of environments by the highest difficulty h they have reached.",
}


def write_report(folder: Path) -> Path:
    """Write the tables, the pictures and the page for the results so far, and collect these."""
    results = _read_measured(folder)
    summaries = summarise(results)
    drawn = {
        "curves": pictures.curves(results),
        "changes": pictures.changes(results, summaries),
        "levels": pictures.levels(results),
        "spread": pictures.spread(results),
    }
    images = {name: png(figure) for name, figure in drawn.items() if figure is not None}
    write_results(results, folder)
    write_whole(folder / TABLE, pretty(summaries))
    write_whole(folder / TABLE_PAGE, markdown(summaries).encode())
    return write_page(folder, page(results, summaries, images), **images)


def tell(folder: Path) -> str:
    """What the experiment in a folder found, and what a reader needs to know about it."""
    results = _read_measured(folder)
    summaries = summarise(results)
    rows = [row for row in findings.table(results, summaries).rows if row[2]]
    compared = [
        f"{', '.join(row[:2])}, against {row[2]}: {'; '.join(_with_headings(row[3:]))}"
        for row in rows
    ]
    parts = [*sentences(results, summaries), "\n".join(compared)]
    parts += [findings.EXPLANATION] if rows else []
    parts += [*notes(results), cost(results)]
    return "\n\n".join(filter(None, parts))


def _with_headings(cells: Sequence[str]) -> list[str]:
    headings = findings.HEADINGS[-len(cells) :]
    return [
        f"{head} {cell}"
        for head, cell in zip(headings, cells, strict=True)
        if cell not in ("", "-")
    ]


def _read_measured(folder: Path) -> Results:
    results = read_results(folder)
    if not results.measured:
        raise UserError(f"{folder} has no measured run yet")
    return results


def page(results: Results, summaries: Sequence[Summary], images: Mapping[str, bytes]) -> str:
    """The page as text."""
    plan = results.plan
    return render(
        "experiment.html",
        title=STUDIES[plan.study].title,
        plan=plan,
        sentences=sentences(results, summaries),
        table=table(summaries),
        findings=findings.table(results, summaries),
        explanation=findings.EXPLANATION,
        notes=notes(results),
        images=images,
        captions=CAPTIONS,
        cost=cost(results),
    )


def table(summaries: Sequence[Summary]) -> Rows:
    """Every way of training: means over seeds, +- their standard deviation."""
    return Rows(HEADINGS, [*map(_row, summaries)])


def _row(summary: Summary) -> tuple[str, ...]:
    start, end = summary.form_at_start, summary.form
    return (
        brief(summary.trained_on),
        label(summary.setting),
        str(len(summary.seeds)),
        f"{summary.step:,}",
        *_cells(summary.trained),
        *(("-",) * 4 if summary.held_out is None else _cells(summary.held_out)),
        f"{100 * start.ill_formed:.1f} to {end.ill_formed:.1%}",
        f"{100 * start.truncated:.1f} to {end.truncated:.1%}",
        f"{start.tokens:,.0f} to {end.tokens:,.0f}",
        _spread(summary.effective_prompt_ratio),
        _spread(summary.effective_in_last_tenth),
        "-" if summary.high is None else f"{fmean(summary.high):.1f}",
        f"{fmean(summary.trained_groups):,.0f}",
        f"{fmean(summary.rollouts):,.0f}",
        f"{fmean(summary.tokens):,.0f}",
        f"{fmean(summary.dropped):,.0f}",
    )


def short_table(summaries: Sequence[Summary]) -> Rows:
    """The same for a terminal."""
    return Rows(SHORT_HEADINGS, [*map(_short_row, summaries)])


def _short_row(summary: Summary) -> tuple[str, ...]:
    return (
        brief(summary.trained_on),
        label(summary.setting),
        _from_to(summary.trained),
        "-" if summary.held_out is None else _from_to(summary.held_out),
        f"{fmean(summary.effective_prompt_ratio):.0%}",
        "-" if summary.high is None else f"{fmean(summary.high):.1f}",
    )


def _from_to(outcome: Outcome) -> str:
    return f"{100 * fmean(outcome.start):.1f} -> {fmean(outcome.end):.1%}"


def _cells(outcome: Outcome) -> tuple[str, ...]:
    return (
        f"{fmean(outcome.start):.1%}",
        _spread(outcome.end),
        points(outcome.change),
        _spread(outcome.at_equal_tokens),
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
        *(f"| {' | '.join(row)} |" for row in table(summaries).rows),
    ]
    return "\n".join(lines) + "\n"
