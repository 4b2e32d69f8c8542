"""Draws what an experiment found: curves of training, and accuracy by level.

    python -m experiments.pictures FOLDER         writes curves.png, and levels-RECORD.png beside it

Curves are means over seeds, and the bands reach from the lowest to the highest. Accuracy by level
is what `rlve compare` says of the records. It needs matplotlib.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.folders import effective, highest, read_metrics, sampled_tokens

# The colours of Okabe and Ito, which can be told apart with any colour vision.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#999999")
Curve = dict[int, float]
"""A value for each step."""


def curves(folder: Path) -> Figure:
    """Accuracy on test problems over steps and over tokens, effective prompts, and h."""
    arms = runs_of(folder)
    panels: dict[str, Callable[[Path], Curve]] = {
        "accuracy on test problems": accuracies,
        "effective prompts": lambda run: {
            step: effective([row]) for step, row in read_metrics(run).items()
        },
        "mean h": lambda run: {step: highest(row) for step, row in read_metrics(run).items()},
    }
    figure = Figure(figsize=(14, 3.6), layout="constrained")
    places: Sequence[Axes] = figure.subplots(1, len(panels) + 1)
    for axes, (title, read) in zip(places, panels.items(), strict=False):
        axes.set(title=title, xlabel="step")
        for colour, (arm, runs) in zip(COLOURS, arms.items(), strict=False):
            draw_band(axes, arm, colour, [read(run) for run in runs])
    over_tokens = places[-1]
    over_tokens.set(title="accuracy on test problems", xlabel="million tokens sampled")
    for colour, runs in zip(COLOURS, arms.values(), strict=False):
        for run in runs:
            measured, totals = accuracies(run), {0: 0} | sampled_tokens(run)
            steps = [step for step in measured if step in totals]
            x, y = [totals[step] / 1e6 for step in steps], [measured[step] for step in steps]
            over_tokens.plot(x, y, color=colour)
    figure.legend(*places[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def runs_of(folder: Path) -> dict[str, list[Path]]:
    """The runs that have begun, by arm, in the order of the plan."""
    plan = json.loads((folder / "plan.json").read_text())
    places = {
        arm: [folder / "runs" / arm / str(seed) for seed in plan["seeds"]] for arm in plan["arms"]
    }
    begun = {arm: [run for run in runs if read_metrics(run)] for arm, runs in places.items()}
    return {arm: runs for arm, runs in begun.items() if runs}


def accuracies(run: Path) -> Curve:
    """The accuracy that a run measured itself, averaged over environments and levels."""
    file = run / "validation.jsonl"
    found: Curve = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        record = json.loads(line)
        shares: Mapping[str, Mapping[str, float]] = record["measured"][0]["by_level"]
        trained = [levels for name, levels in shares.items() if name not in record["held_out"]]
        found[record["step"]] = fmean(fmean(levels.values()) for levels in trained)
    return found


def draw_band(axes: Axes, name: str, colour: str, runs: Sequence[Curve]) -> None:
    """The mean of the runs at the steps that all have, and how far they are apart."""
    steps = sorted(set[int](runs[0]).intersection(*runs[1:]))
    rows = [[run[step] for run in runs] for step in steps]
    axes.plot(steps, [fmean(row) for row in rows], color=colour, label=name)
    low, high = [min(row) for row in rows], [max(row) for row in rows]
    axes.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)


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
    curves(folder).savefig(folder / "curves.png", dpi=144)
    for record in sorted((folder / "records").glob("*.json")):
        levels(record).savefig(folder / f"levels-{record.stem}.png", dpi=144)


if __name__ == "__main__":
    main()
