"""Draws README's picture of adaptive against static difficulty from the records of its page.

python -m experiments.readme_picture
"""

# matplotlib leaves many of its types unknown.
# pyright: reportUnknownMemberType=false

from pathlib import Path

from matplotlib.figure import Figure

from experiments.commands import ROOT
from experiments.pictures import accuracies, draw, million_tokens, read_experiment

NAMES = {
    "adaptive": "adaptive",
    "static-0-1": "static [0, 1]",
    "static-0-20": "static [0, 20]",
    "static-0-100": "static [0, 100]",
}


def main(out: Path = ROOT / "docs" / "pictures" / "adaptive.png") -> None:
    """Draw it."""
    published = read_experiment(ROOT / "docs" / "results" / "adaptive-vs-static")
    figure = Figure(figsize=(9, 3.1), layout="constrained")
    places = figure.subplots(1, 2)
    for axes, environment in zip(places, ("Sorting", "ABProgramSimulation"), strict=True):
        axes.set_title(environment, loc="left", fontweight="bold", fontsize=10)
        axes.set_xlabel("million tokens sampled in training")
        axes.yaxis.set_major_formatter("{x:.0%}")
        axes.grid(color="#e4e4e4")
        axes.spines[["top", "right"]].set_visible(False)
        arms = {name: published[environment][arm] for arm, name in NAMES.items()}
        draw(axes, arms, accuracies, million_tokens, widths=(2.6, 1.6, 1.6, 1.6))
    places[0].set_ylabel("accuracy, d = 0 to 19")
    figure.legend(
        *places[0].get_legend_handles_labels(), loc="outside upper right", ncols=4, frameon=False
    )
    figure.savefig(out, dpi=130)


if __name__ == "__main__":
    main()
