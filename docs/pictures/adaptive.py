"""Draws README's picture of adaptive against static difficulty from the records of its page.

python docs/pictures/adaptive.py
"""

import json
from itertools import accumulate
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure

HERE = Path(__file__).parent
RECORDS = HERE.parent / "results" / "adaptive-vs-static"
ARMS = {
    "adaptive": ("adaptive", "#0072B2"),
    "static-0-1": ("static [0, 1]", "#E69F00"),
    "static-0-20": ("static [0, 20]", "#009E73"),
    "static-0-100": ("static [0, 100]", "#D55E00"),
}


def read(name: str, **keys: object) -> list[dict]:
    rows = map(json.loads, (RECORDS / name).read_text().splitlines())
    return [row for row in rows if keys.items() <= row.items()]


def curve(environment: str, arm: str, seed: int) -> dict[int, tuple[float, float]]:
    """Tokens sampled so far, in millions, and accuracy, at each step that was measured."""
    keys = {"trained_on": environment, "setting": arm, "seed": seed}
    steps = read("metrics.jsonl", **keys)
    totals = dict(
        zip([row["step"] for row in steps], accumulate(row["tokens"] for row in steps), strict=True)
    )
    return {
        row["step"]: (
            totals.get(row["step"], 0) / 1e6,
            fmean(row["measured"][0]["by_level"][environment].values()),
        )
        for row in read("validation.jsonl", **keys)
    }


def main() -> None:
    figure = Figure(figsize=(9, 3.1), layout="constrained")
    places = figure.subplots(1, 2)
    for axes, environment in zip(places, ("Sorting", "ABProgramSimulation"), strict=True):
        axes.set_title(environment, loc="left", fontweight="bold", fontsize=10)
        axes.set_xlabel("million tokens sampled in training")
        axes.yaxis.set_major_formatter("{x:.0%}")
        axes.grid(color="#e4e4e4")
        axes.spines[["top", "right"]].set_visible(False)
        for arm, (name, colour) in ARMS.items():
            runs = [curve(environment, arm, seed) for seed in range(3)]
            points = [
                [run[step] for run in runs] for step in sorted(set(runs[0]).intersection(*runs))
            ]
            x = [fmean(tokens for tokens, _ in at) for at in points]
            shares = [[share for _, share in at] for at in points]
            width = 2.6 if arm == "adaptive" else 1.6
            axes.plot(x, list(map(fmean, shares)), color=colour, label=name, linewidth=width)
            axes.fill_between(
                x, list(map(min, shares)), list(map(max, shares)), color=colour, alpha=0.15, lw=0
            )
    places[0].set_ylabel("accuracy, d = 0 to 19")
    figure.legend(
        *places[0].get_legend_handles_labels(), loc="outside upper right", ncols=4, frameon=False
    )
    figure.savefig(HERE / "adaptive.png", dpi=130)


if __name__ == "__main__":
    main()
