"""What the page on curricula says about levels left behind follows from the published records."""

from pathlib import Path
from statistics import fmean

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.intervals import over_problems
from rlve.studies.experiments import Cell
from rlve.studies.records import Results, read_results

FOLDER = Path(__file__).parents[2] / "docs/results/curricula"
ALONE, REHEARSED = "adaptive", "adaptive+rehearsal-20"


def left_behind(results: Results, seed: int) -> list[tuple[str, int]]:
    """The pairs of environment and level below the range that both ways end with."""
    window = results.plan.training.data.window
    lows: dict[str, list[int]] = {}
    for cell in results.cells():
        if cell.setting in (ALONE, REHEARSED) and cell.seed == seed:
            high: dict[str, int] = {}
            for row in results.steps[cell]:
                high |= row.raised
            for name in cell.trained_on.split("+"):
                lows.setdefault(name, []).append(high.get(name, 0) - window + 1)
    return [(name, level) for name, values in lows.items() for level in range(min(values))]


def marks(results: Results, cell: Cell, step: int, pair: tuple[str, int]) -> list[int]:
    name, level = pair
    return [int(bit) for bit in results.at(cell, step).measured[0].solved[name][level]]


def row(results: Results) -> str:
    """The line of the page's table for one experiment."""
    last = results.plan.steps
    shares: dict[str, list[float]] = {"start": [], ALONE: [], REHEARSED: []}
    differences: list[list[float]] = []
    pairs = 0
    for seed in results.plan.seeds:
        cells = {
            setting: next(c for c in results.cells(setting=setting) if c.seed == seed)
            for setting in (ALONE, REHEARSED)
        }
        for pair in left_behind(results, seed):
            pairs += 1
            alone, rehearsed = (marks(results, cells[s], last, pair) for s in (ALONE, REHEARSED))
            shares["start"].append(fmean(marks(results, cells[ALONE], 0, pair)))
            shares[ALONE].append(fmean(alone))
            shares[REHEARSED].append(fmean(rehearsed))
            differences.append([b - a for a, b in zip(alone, rehearsed, strict=True)])
    interval = over_problems(differences)
    assert interval is not None
    numbers = [f"{100 * fmean(values):.1f}%" for values in shares.values()]
    gain, low, high = (f"{100 * value:+.1f}" for value in interval)
    window = results.plan.training.data.window
    return f"| {window} | {pairs} | {' | '.join(numbers)} | {gain} ({low} to {high}) |"


@pytest.mark.parametrize("name", ["nano", "nano-window-1"])
def test_what_became_of_levels_left_behind(name):
    assert row(read_results(FOLDER / name)) in (FOLDER / "README.md").read_text()
