"""The page that compares evaluations: tables, pictures, and what they say in a sentence."""

from html import escape

from rlve.evaluate.compare import ComparedValue, Comparison
from rlve.reports import comparison_figures as pictures
from rlve.reports.figures import png
from rlve.reports.pages import count, details, document, picture, table


def page(comparison: Comparison) -> str:
    """One HTML file with the tables and pictures; names are escaped."""
    questions = comparison.evaluations[0].overall.questions
    groups = comparison.evaluations[0].groups
    title = f"{count(len(comparison.evaluations), 'evaluation')} on {comparison.suite}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="headline">{escape(headline(comparison))}</p>',
        picture(png(pictures.overview(comparison)), f"{comparison.number} of all evaluations"),
        table(headings(comparison), rows(comparison)),
        f"<p>The same {count(questions, 'question')} were asked. Differences are in percentage "
        "points. Intervals, also the bands and bars in the pictures, are 95% bootstrap intervals; "
        "those of differences resample questions in pairs.</p>",
        *(f"<p>Mind: {escape(note)}.</p>" for note in comparison.notes),
    ]
    if len(groups) > 1:
        body.append(f"<h2>By {comparison.by}</h2>")
        drawn = pictures.by_group(comparison)
        if drawn is not None:
            body.append(picture(png(drawn), f"{comparison.number} by {comparison.by}"))
        numbers = table(group_headings(comparison), group_rows(comparison))
        body.append(details("Numbers", numbers))
    return document(title, body)


def headline(comparison: Comparison) -> str:
    """What the comparison says, in a sentence."""
    others = [e for e in comparison.evaluations if e.name != comparison.baseline]
    if not others:
        only = comparison.evaluations[0]
        return f"{only.name}: {comparison.number} {only.overall.value:.1%}."
    best = max(others, key=lambda each: each.overall.value)
    low, high = best.overall.difference_interval or (0.0, 0.0)
    verdict = (
        "more than chance explains easily"
        if low > 0
        else "less, by more than chance explains easily"
        if high < 0
        else "which chance can explain"
    )
    base = next(e for e in comparison.evaluations if e.name == comparison.baseline)
    return (
        f"{best.name} has {comparison.number} {best.overall.value:.1%}, {base.name} "
        f"{base.overall.value:.1%}: {_points(best.overall.difference or 0.0)} points "
        f"({_points(low)} to {_points(high)}), {verdict}."
    )


def headings(comparison: Comparison) -> tuple[str, ...]:
    """Of the table of all evaluations."""
    against = f"against {comparison.baseline}"
    return ("evaluation", "samples", comparison.number, "95% interval", against, "95% interval")


def rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """All evaluations."""
    return [
        (each.name, f"{each.samples:,}", *_cells(each.overall)) for each in comparison.evaluations
    ]


def group_headings(comparison: Comparison) -> tuple[str, ...]:
    """Of the table by environment or difficulty."""
    return (comparison.by, "questions", "evaluation", *headings(comparison)[2:])


def group_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """All evaluations in each of the groups; a group is named in its first row."""
    found: list[tuple[str, ...]] = []
    for group in comparison.evaluations[0].groups:
        for index, each in enumerate(comparison.evaluations):
            value = each.groups[group]
            first = (group, f"{value.questions:,}") if not index else ("", "")
            found.append((*first, each.name, *_cells(value)))
    return found


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
