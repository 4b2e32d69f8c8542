"""The pictures of a frontier."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rlve.evaluate.frontier.profile import FrontierProfile, Measured
from rlve.reports.figures import NAMES_AT_MOST, PALETTE, in_style, name_rows, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRONTIER = "difficulty at which half of the answers are right"


@in_style
def families(profile: FrontierProfile) -> "Figure":
    """A bar for each family, the farthest at the top."""
    return _bars({name: each.frontier for name, each in profile.families.items()}, FRONTIER)


@in_style
def environments(profile: FrontierProfile) -> "Figure":
    """A bar for each environment, the farthest at the top."""
    found = {name: each.frontier for name, each in profile.environments.items()}
    return _bars(found, FRONTIER)


@in_style
def differences(found: Mapping[str, Measured]) -> "Figure":
    """A bar for each environment, the greatest gain at the top."""
    return _bars(found, "difference of the frontiers, in levels")


def _bars(found: Mapping[str, Measured], label: str) -> "Figure":
    ordered = sorted(found.items(), key=lambda item: (item[1].value, item[0]))
    named = len(ordered) <= NAMES_AT_MOST
    figure = new_figure(9, 1.0 + (0.22 if named else 0.02) * len(ordered), [])
    axes = figure.subplots()
    places = range(len(ordered))
    values = [each.value for _, each in ordered]
    below = [max(0.0, each.value - each.interval[0]) for _, each in ordered]
    above = [max(0.0, each.interval[1] - each.value) for _, each in ordered]
    axes.barh(
        places,
        values,
        xerr=(below, above),
        color=PALETTE[0],
        height=0.65,
        error_kw={"ecolor": PALETTE[1], "elinewidth": 1.6},
    )
    axes.set(xlabel=label)
    if min(values) >= 0:
        axes.set_xlim(left=0)
    axes.grid(visible=False, axis="y")
    name_rows(axes, [name for name, _ in ordered], "farthest")
    return figure
