"""The pictures of an evaluation."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rlve.evaluate.results import Score, StoredEvaluation
from rlve.reports.figures import (
    INK,
    NAMES_AT_MOST,
    PALETTE,
    in_style,
    name_rows,
    new_figure,
    percentages,
    whole_numbers,
    write_beside,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 41


@in_style
def accuracies(scores: Mapping[str, Score]) -> "Figure":
    """The accuracy in each environment, the highest at the top, with its interval."""
    ordered = sorted(scores.items(), key=lambda item: (item[1].accuracy, item[0]))
    named = len(ordered) <= NAMES_AT_MOST
    height = 1.0 + (0.2 * len(ordered) if named else 0.02 * len(ordered))
    figure = new_figure(9, height, [])
    axes = figure.subplots()
    rows = list(range(len(ordered)))
    _with_intervals(axes, rows, [score for _, score in ordered], across=True)
    axes.set(title="Accuracy", xlim=(-0.02, 1.02))
    axes.grid(visible=named, axis="y")
    name_rows(axes, [name for name, _ in ordered], "best")
    percentages(axes.xaxis)
    return figure


@in_style
def levels(scores: Mapping[int, Score]) -> "Figure":
    """The accuracy at each difficulty, with its interval."""
    figure = new_figure(7, 3.4, [])
    axes = figure.subplots()
    at = list(scores)
    axes.plot(at, [s.accuracy for s in scores.values()], color=PALETTE[0], linewidth=1.5)
    _with_intervals(axes, at, list(scores.values()), across=False)
    axes.set(title="Accuracy", xlabel="difficulty", ylim=(-0.02, 1.02))
    whole_numbers(axes.xaxis)
    percentages(axes.yaxis)
    return figure


@in_style
def distributions(evaluation: StoredEvaluation) -> "Figure":
    """The distributions of rewards and lengths, and how outputs end."""
    verdicts, outputs = list(evaluation.verdicts.values()), list(evaluation.outputs.values())
    tokens = [output.tokens for output in outputs if output.tokens is not None]
    counted = len(tokens) == len(outputs)
    lengths = tokens if counted else [len(output.output) for output in outputs]
    figure = new_figure(11, 3.2, [])
    reward, length, ending = figure.subplots(1, 3, width_ratios=(1.2, 1.2, 1))
    rewards = [verdict.reward for verdict in verdicts]
    _histogram(reward, rewards, (-1.0, 1.0))
    title = f"Rewards, median {_median(rewards):.2g}"
    reward.set(title=title, xlabel="reward", ylabel="share of outputs")
    truncated = {output.key: output.finish == "length" for output in outputs}
    _histogram(length, lengths, (0.0, max(1.0, float(max(lengths)))))
    title = f"Lengths, median {_median(lengths):,}"
    length.set(title=title, xlabel="tokens" if counted else "characters")
    shares = {
        "correct": _share(v.correct for v in verdicts),
        "wrong": _share(v.well_formed and not v.correct for v in verdicts),
        "ill-formed": _share(not v.well_formed and not truncated[v.key] for v in verdicts),
        "ill-formed and truncated": _share(
            not v.well_formed and truncated[v.key] for v in verdicts
        ),
        "truncated, in all": _share(truncated.values()),
    }
    colours = (PALETTE[2], PALETTE[3], PALETTE[1], PALETTE[4], PALETTE[7])
    names = list(reversed(shares))
    values = [shares[name] for name in names]
    ending.barh(names, values, color=list(reversed(colours)), height=0.6)
    for row, value in enumerate(values):
        write_beside(ending, f"{value:.1%}", (value, row))
    ending.set(title="Outputs", xlim=(0, 1.25))
    ending.set_xticks([])
    ending.grid(visible=False)
    for axes in (reward, length):
        percentages(axes.yaxis)
    return figure


def _with_intervals(
    axes: "Axes", at: Sequence[int], scores: Sequence[Score], *, across: bool
) -> None:
    values = [score.accuracy for score in scores]
    below = [max(0.0, score.accuracy - score.accuracy_interval[0]) for score in scores]
    above = [max(0.0, score.accuracy_interval[1] - score.accuracy) for score in scores]
    x, y = (values, at) if across else (at, values)
    axes.errorbar(
        x,
        y,
        xerr=(below, above) if across else None,
        yerr=None if across else (below, above),
        fmt="o",
        markersize=4,
        color=PALETTE[0],
        ecolor=PALETTE[5],
        elinewidth=1.6,
    )


def _histogram(axes: "Axes", values: Sequence[float], ends: tuple[float, float]) -> None:
    weights = [1 / len(values)] * len(values)
    axes.hist(values, bins=BINS, range=ends, weights=weights, color=PALETTE[0])
    axes.axvline(_median(values), color=INK, linewidth=0.9, linestyle=":")


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return math.fsum(values) / len(values)
