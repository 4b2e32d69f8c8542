"""The leaderboard: a static page that ranks profiles, and says how each was measured."""

from collections.abc import Sequence
from typing import Any

from rlve.evaluate.frontier.profile import FrontierProfile
from rlve.reports.frontier import family_table, headline, interval_text
from rlve.reports.pages import Rows, render

TITLE = "The frontiers of models"
HEADINGS = (
    *("model", "frontier", "95% interval", "read forgivingly", "environments"),
    *("below 0", "beyond", "outputs", "tokens", "collection", "seed"),
)


def text_table(profiles: Sequence[FrontierProfile]) -> Rows:
    """A row for each profile."""
    return Rows(HEADINGS, [[text for text, _ in _cells(profile)] for profile in profiles])


def page(profiles: Sequence[FrontierProfile]) -> str:
    """One HTML file; names are escaped."""
    return render("leaderboard.html", title=TITLE, **_values(profiles))


def table(profiles: Sequence[FrontierProfile]) -> str:
    """The same as a part of another page, which needs script() to sort it."""
    return render("leaderboard_table.html", **_values(profiles))


def script() -> str:
    """What sorts the table."""
    return render("sortable.js")


def _values(profiles: Sequence[FrontierProfile]) -> dict[str, Any]:
    return {
        "headings": HEADINGS,
        "rows": [_cells(profile) for profile in profiles],
        "profiles": [
            {"profile": each, "headline": headline(each), "families": family_table(each)}
            for each in profiles
        ],
    }


def _cells(profile: FrontierProfile) -> list[tuple[str, str | float]]:
    """What is shown, and what it is sorted by."""
    places = [each.place for each in profile.environments.values()]
    tokens = profile.tokens
    return [
        (profile.model, profile.model),
        (f"{profile.frontier.value:.2f}", profile.frontier.value),
        (interval_text(profile.frontier), profile.frontier.interval[0]),
        (f"{profile.forgiving.value:.2f}", profile.forgiving.value),
        (f"{len(places):,}", len(places)),
        (f"{places.count('below'):,}", places.count("below")),
        (f"{places.count('beyond'):,}", places.count("beyond")),
        (f"{profile.outputs:,}", profile.outputs),
        ("" if tokens is None else f"{tokens:,}", tokens or 0),
        (profile.collection, profile.collection),
        (str(profile.seed), profile.seed),
    ]
