"""How a comparison of frontiers is shown: tables, and a page with the differences as bars."""

from rlve.evaluate.frontier.compare import ComparedFrontier, FrontierComparison
from rlve.reports.figures import frontier as pictures
from rlve.reports.figures import png
from rlve.reports.frontier import interval_text
from rlve.reports.pages import render


def headings(comparison: FrontierComparison) -> tuple[str, ...]:
    against = f"against {comparison.baseline}"
    return "model", "outputs", "frontier", "95% interval", against, "95% interval"


def rows(comparison: FrontierComparison) -> list[tuple[str, ...]]:
    """A row for each model."""
    return [
        (each.name, f"{each.outputs:,}", *_cells(each.overall, 2)) for each in comparison.profiles
    ]


def environment_headings(comparison: FrontierComparison) -> tuple[str, ...]:
    against = f"against {comparison.baseline}"
    return "environment", "model", "frontier", "95% interval", against, "95% interval"


def environment_rows(comparison: FrontierComparison) -> list[tuple[str, ...]]:
    """A row for each environment and model."""
    return [
        (name if first else "", each.name, *_cells(each.environments[name], 1))
        for name in comparison.profiles[0].environments
        for first, each in zip((True, *[False] * 99), comparison.profiles, strict=False)
    ]


def headline(comparison: FrontierComparison) -> str:
    """Which models differ from the baseline beyond chance."""
    sentences: list[str] = []
    for each in comparison.profiles:
        change = each.overall.difference
        if change is None:
            continue
        clear = change.estimate().clear
        words = "farther" if change.value >= 0 else "less far"
        amount = f"{abs(change.value):.2f} levels {words} than {comparison.baseline}"
        kept = [
            found.difference.estimate()
            for found in each.environments.values()
            if found.difference is not None
        ]
        up, down = (
            sum(interval.clear and (interval.estimate > 0) == sign for interval in kept)
            for sign in (True, False)
        )
        doubt = "" if clear else ", which chance may explain"
        sentences.append(
            f"{each.name} gets {amount}{doubt}; beyond chance it is ahead in {up} environments and "
            f"behind in {down} of {len(kept)}."
        )
    return " ".join(sentences)


def page(comparison: FrontierComparison) -> str:
    """One HTML file with the tables and pictures; names are escaped."""
    drawn: dict[str, bytes] = {}
    for each in comparison.profiles:
        changes = {
            name: found.difference
            for name, found in each.environments.items()
            if found.difference is not None
        }
        if changes:
            words = f"{each.name} against {comparison.baseline}"
            drawn[words] = png(pictures.differences(changes))
    return render(
        "frontier_comparison.html",
        title="Frontiers of " + ", ".join(each.name for each in comparison.profiles),
        headline=headline(comparison),
        headings=headings(comparison),
        rows=rows(comparison),
        notes=comparison.notes,
        pictures=drawn,
        environment_headings=environment_headings(comparison),
        environment_rows=environment_rows(comparison),
    )


def _cells(compared: ComparedFrontier, digits: int) -> tuple[str, str, str, str]:
    change = compared.difference
    return (
        f"{compared.frontier.value:.{digits}f}",
        interval_text(compared.frontier),
        "" if change is None else f"{change.value:+.{digits}f}",
        "" if change is None else "{:+.1f} to {:+.1f}".format(*change.interval),
    )
