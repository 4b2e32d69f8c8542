"""The frontier of a model in words and tables."""

from pathlib import Path

from rlve.evaluate.frontier.profile import (
    EnvironmentFrontier,
    FrontierProfile,
    Measured,
    read_profile,
)
from rlve.reports.pages import Rows
from rlve.text import quantity

HEADINGS = (
    *("environment", "family", "frontier", "95% interval", "read forgivingly"),
    *("outputs", "truncated", "note"),
)
FAMILY_HEADINGS = ("family", "environments", "frontier", "95% interval", "read forgivingly")

LIMITS = {
    "context": "higher prompts do not fit the context",
    "environment": "the environment's highest",
    "search": "the highest tried",
}


def interval_text(measured: Measured) -> str:
    """For example: 2.1 to 3.0."""
    return f"{measured.interval[0]:.1f} to {measured.interval[1]:.1f}"


def note(each: EnvironmentFrontier) -> str:
    """What a number cannot say: that the frontier is outside of what can be measured."""
    if each.place == "below":
        return "below 0: right less than half of the time at difficulty 0"
    if each.place == "beyond":
        return f"beyond {each.top}, {LIMITS[each.limit]}"
    return f"at most {each.top}: {LIMITS[each.limit]}" if each.limit == "context" else ""


def value(each: EnvironmentFrontier) -> str:
    """For example: 2.5, <0 or >40."""
    shown = {"below": "<0", "beyond": f">{each.top}", "within": f"{each.frontier.value:.1f}"}
    return shown[each.place]


def table(profile: FrontierProfile) -> Rows:
    """A row for each environment, by family and name."""
    ordered = sorted(profile.environments.items(), key=lambda item: (item[1].family, item[0]))
    rows = [
        (
            name,
            each.family,
            value(each),
            interval_text(each.frontier),
            f"{each.forgiving.value:.1f}",
            f"{each.outputs:,}",
            f"{each.truncated:.0%}",
            note(each),
        )
        for name, each in ordered
    ]
    return Rows(HEADINGS, rows)


def family_table(profile: FrontierProfile) -> Rows:
    """A row for each family."""
    rows = [
        _family_row(name, each.environments, each.frontier, each.forgiving)
        for name, each in profile.families.items()
    ]
    return Rows(FAMILY_HEADINGS, rows)


def total(profile: FrontierProfile) -> tuple[str, ...]:
    """The row of all environments."""
    return _family_row("all", len(profile.environments), profile.frontier, profile.forgiving)


def _family_row(name: str, count: int, exact: Measured, forgiving: Measured) -> tuple[str, ...]:
    values = f"{exact.value:.2f}", interval_text(exact), f"{forgiving.value:.2f}"
    return name, str(count), *values


def headline(profile: FrontierProfile) -> str:
    """The profile in a sentence."""
    low, high = profile.frontier.interval
    environments = quantity(len(profile.environments), "environment")
    text = (
        f"{profile.model} on {profile.collection}: frontier {profile.frontier.value:.2f} "
        f"({low:.2f} to {high:.2f}), the mean over {environments} "
        f"from {quantity(profile.outputs, 'output')}"
    )
    places = [each.place for each in profile.environments.values()]
    for place, words in (("below", "below 0"), ("beyond", "beyond what could be asked")):
        if places.count(place):
            text += f"; {places.count(place)} {words}"
    if profile.unheld:
        text += f"; {len(profile.unheld)} left out, whose prompts do not fit the context"
    return text


def tell(folder: Path) -> str:
    """What the measurement in a folder found."""
    return headline(read_profile(folder))
