"""What `rlve train` makes of the embedded policy with several seeds: the table in docs/train.md.

    python benchmarks/seeds.py                        seeds 0, 1 and 2, one after another
    python benchmarks/seeds.py --seeds 3 4 --folder runs/others

A run that is finished is not run again, and one that was interrupted is resumed. Accuracies are
before and after, in per cent: on all test problems at both temperatures; on those that did not come
up in training; and by environment, at the levels up to its final h, at the first temperature.
"""

import subprocess
import sys
from pathlib import Path
from statistics import fmean

import tyro

from rlve.foundation.run_folders import CONFIG
from rlve.train.history import Accuracy, ValidationRecord, read_steps, read_validations


def main(seeds: tuple[int, ...] = (0, 1, 2), folder: Path = Path("runs/seeds")) -> None:
    """Train with each of the seeds, and print the table."""
    for seed in seeds:
        run = folder / f"seed-{seed}"
        how = ["--resume", run] if (run / CONFIG).exists() else ["--run.folder", run]
        seeded = [] if how[0] == "--resume" else ["--run.seed", str(seed)]
        subprocess.run([sys.executable, "-m", "rlve", "train", *how, *seeded], check=True)
    print(table({str(seed): folder / f"seed-{seed}" for seed in seeds}))


def table(runs: dict[str, Path]) -> str:
    """The table of these finished runs, by their labels."""
    rows = [_cells(label, folder) for label, folder in runs.items()]
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([row[name] for name in head] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(label: str, folder: Path) -> dict[str, str]:
    first, *_, last = read_validations(folder)
    bounds = read_steps(folder)[-1].bounds
    cells = {"seed": label}
    pairs = list(zip(first.measured, last.measured, strict=True))
    for was, now in pairs:
        cells[f"T = {now.temperature:g}"] = _change(was.mean(), now.mean())
    for was, now in pairs:
        before, after = (_unseen(accuracy, last) for accuracy in (was, now))
        cells[f"T = {now.temperature:g}, not seen in training"] = (
            f"{_change(fmean(before), fmean(after))} ({len(after)})" if after else ""
        )
    was, now = pairs[0]
    for name in last.trained:
        levels = [d for d in now.by_level[name] if d <= bounds[name][1]]
        before, after = (fmean(each.by_level[name][d] for d in levels) for each in (was, now))
        cells[f"{name} up to h"] = f"{_change(before, after)} (h {bounds[name][1]})"
    return cells


def _change(before: float, after: float) -> str:
    return f"{100 * before:.1f} -> {100 * after:.1f}"


def _unseen(accuracy: Accuracy, last: ValidationRecord) -> list[int]:
    """For each test problem that had not come up in training by the end: whether it was solved."""
    if not isinstance(last.seen, dict):
        return []
    return [
        int(mark)
        for name, levels in last.seen.items()
        for level, seen in levels.items()
        for mark, came_up in zip(accuracy.solved[name][level], seen, strict=True)
        if came_up == "0"
    ]


if __name__ == "__main__":
    tyro.cli(main)
