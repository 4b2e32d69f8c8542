"""Draws what an experiment found: curves of training, and accuracy by level.

    python -m experiments.pictures FOLDER         writes curves.png, and levels-RECORD.png beside it

Curves are means over seeds, and the bands reach from the lowest to the highest. Accuracy by level
is what `rlve compare` says of the records. FOLDER is that of an experiment, or what is published of
one; of results published by version 0.2 it draws what their records have. It needs matplotlib.
"""

# matplotlib leaves many of its types unknown.
# pyright: reportUnknownMemberType=false

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.folders import effective, highest, read_lines, read_metrics

# The colours of Okabe and Ito, which can be told apart with any colour vision.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#999999")
Curve: TypeAlias = dict[int, float]
"""A value for each step."""


class Run(NamedTuple):
    """What a run recorded: its steps, and its measurements on test problems."""

    steps: dict[int, dict[str, Any]]
    measured: list[dict[str, Any]]


Arms: TypeAlias = dict[str, list[Run]]


def read_experiment(folder: Path) -> dict[str, Arms]:
    """The runs that have begun, by what they were trained on where that differs, and by arm."""
    file = folder / "plan.json"
    plan: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    if "trained_on" in plan:
        return read_earlier(folder)
    if "arms" not in plan:
        sys.exit(f"{folder} has no plan.json of an experiment: its records cannot be drawn")
    arms: Arms = {}
    for arm in plan["arms"]:
        places = [folder / "runs" / arm / str(seed) for seed in plan["seeds"]]
        runs = [Run(read_metrics(run), read_lines(run / "validation.jsonl")) for run in places]
        if begun := [run for run in runs if run.steps]:
            arms[arm] = begun
    return {"": arms}


def read_earlier(folder: Path) -> dict[str, Arms]:
    """The runs in records of version 0.2, in which all are in one file."""
    found: dict[str, dict[str, dict[int, Run]]] = {}

    def of(row: Mapping[str, Any]) -> Run:
        arms = found.setdefault(row["trained_on"], {})
        return arms.setdefault(row["setting"], {}).setdefault(row["seed"], Run({}, []))

    for row in read_lines(folder / "metrics.jsonl"):
        of(row).steps[row["step"]] = row
    for row in read_lines(folder / "validation.jsonl"):
        of(row).measured.append(row)
    return {
        names: {arm: [*runs.values()] for arm, runs in arms.items()}
        for names, arms in found.items()
    }


def accuracies(run: Run) -> Curve:
    """The accuracy that a run measured itself, averaged over environments and levels."""
    found: Curve = {}
    for record in run.measured:
        shares: Mapping[str, Mapping[str, float]] = record["measured"][0]["by_level"]
        trained = [levels for name, levels in shares.items() if name not in record["held_out"]]
        found[record["step"]] = fmean(fmean(levels.values()) for levels in trained)
    return found


def million_tokens(run: Run) -> Curve:
    """The tokens that it had sampled after each step, in millions."""
    totals = accumulate(row["tokens"] / 1e6 for row in run.steps.values())
    return {0: 0.0} | dict(zip(run.steps, totals, strict=True))


def curves(experiment: dict[str, Arms]) -> Figure:
    """Accuracy on test problems over steps and over tokens, effective prompts, and h."""
    panels: dict[str, Callable[[Run], Curve]] = {
        "accuracy on test problems": accuracies,
        "effective prompts": lambda run: {n: effective([row]) for n, row in run.steps.items()},
    }
    runs = [run for arms in experiment.values() for runs in arms.values() for run in runs]
    if all("bounds" in row for run in runs for row in run.steps.values()):
        panels["mean h"] = lambda run: {n: highest(row) for n, row in run.steps.items()}
    figure = Figure(figsize=(14, 3.6 * len(experiment)), layout="constrained")
    grid = figure.subplots(len(experiment), len(panels) + 1, squeeze=False)
    for row, (trained_on, arms) in zip(grid, experiment.items(), strict=True):
        for axes, (title, read) in zip(row[:-1], panels.items(), strict=True):
            axes.set(title=title, xlabel="step")
            draw(axes, arms, read)
        row[0].set_ylabel(trained_on)
        row[-1].set(title="accuracy on test problems", xlabel="million tokens sampled")
        draw(row[-1], arms, accuracies, million_tokens)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def draw(
    axes: Axes,
    arms: Arms,
    read: Callable[[Run], Curve],
    over: Callable[[Run], Curve] | None = None,
    widths: Iterable[float] = (1.5,) * len(COLOURS),
) -> None:
    """The mean of an arm's runs at the steps that all have, and how far they are apart.

    over   what stands below, averaged over the runs; by default the step
    """
    for (arm, runs), colour, width in zip(arms.items(), COLOURS, widths, strict=False):
        found = [read(run) for run in runs]
        below = [over(run) if over else {step: step for step in run.steps} | {0: 0} for run in runs]
        steps = sorted(set[int](found[0]).intersection(*found[1:], *below))
        x = [fmean(curve[step] for curve in below) for step in steps]
        rows = [[curve[step] for curve in found] for step in steps]
        axes.plot(x, [fmean(row) for row in rows], color=colour, label=arm, linewidth=width)
        low, high = [min(row) for row in rows], [max(row) for row in rows]
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)


def levels(record: Path) -> Figure:
    """Accuracy by level, with its intervals."""
    command = [sys.executable, "-m", "rlve", "compare", str(record), "--by", "difficulty", "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes: Axes = figure.subplots()
    axes.set(title=f"accuracy by level: {record.stem}", xlabel="difficulty")
    for colour, each in zip(COLOURS, found["evaluations"], strict=False):
        groups: dict[str, Any] = each["groups"]
        x = [int(level) for level in groups]
        axes.plot(
            x, [group["value"] for group in groups.values()], color=colour, label=each["name"]
        )
        low, high = zip(*(group["interval"] for group in groups.values()), strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.legend(frameon=False)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Draw all pictures of an experiment into its folder."""
    parser = argparse.ArgumentParser(description="Draw what an experiment found.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args(argv).folder
    experiment = read_experiment(folder)
    curves(experiment).savefig(folder / "curves.png", dpi=144)
    if "" not in experiment:
        print(
            f"{folder} was published by version 0.2 (commit c6cf312f): its records have neither h "
            "at each step nor marks of evaluations, so curves.png has no h, and levels are not "
            "drawn; table.md, table.json and cells.json are not read"
        )
    for record in sorted((folder / "records").glob("*.json")):
        levels(record).savefig(folder / f"levels-{record.stem}.png", dpi=144)


if __name__ == "__main__":
    main()
