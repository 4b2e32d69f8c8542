"""Frontiers side by side: tables, and a sentence that sums them up."""

from rlve.evaluate.frontier.compare import ComparedFrontier, FrontierComparison
from rlve.reports.frontier import interval_text
from rlve.reports.pages import Rows


def table(comparison: FrontierComparison) -> Rows:
    """A row for each model."""
    rows = [
        (each.name, f"{each.outputs:,}", *_cells(each.overall, 2)) for each in comparison.profiles
    ]
    return Rows(("model", "outputs", *_headings(comparison)), rows)


def environment_table(comparison: FrontierComparison) -> Rows:
    """A row for each environment and model; an environment is named in its first row."""
    rows = [
        ("" if index else name, each.name, *_cells(each.environments[name], 1))
        for name in comparison.profiles[0].environments
        for index, each in enumerate(comparison.profiles)
    ]
    return Rows(("environment", "model", *_headings(comparison)), rows)


def _headings(comparison: FrontierComparison) -> tuple[str, ...]:
    return "frontier", "95% interval", f"against {comparison.baseline}", "95% interval"


def headline(comparison: FrontierComparison) -> str:
    """Which models differ from the baseline beyond chance."""
    sentences: list[str] = []
    for each in comparison.profiles:
        change = each.overall.difference
        if change is None:
            continue
        levels = round(change.value, 2)
        words = "farther" if levels > 0 else "less far"
        doubt = "" if change.estimate().clear else ", which chance may explain"
        gets = f"{abs(levels):.2f} levels {words} than {comparison.baseline}{doubt}"
        if not levels:
            gets = f"as far as {comparison.baseline}"
        kept = [
            found.difference.estimate()
            for found in each.environments.values()
            if found.difference is not None
        ]
        up, down = (
            sum(interval.clear and (interval.estimate > 0) == sign for interval in kept)
            for sign in (True, False)
        )
        sentences.append(
            f"{each.name} gets {gets}; beyond chance it is ahead in {up} environments and "
            f"behind in {down} of {len(kept)}."
        )
    return " ".join(sentences)


def _cells(compared: ComparedFrontier, digits: int) -> tuple[str, str, str, str]:
    change = compared.difference
    return (
        f"{compared.frontier.value:.{digits}f}",
        interval_text(compared.frontier),
        "" if change is None else f"{change.value:+.{digits}f}",
        "" if change is None else "{:+.1f} to {:+.1f}".format(*change.interval),
    )
