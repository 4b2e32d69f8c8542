"""What runs of `rlve train` left in their folders: checkpoints and metrics."""

import json
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any

SIZE = "checkpoint_bytes"
"""A file of a run: how large its checkpoints are."""


def checkpoints(run: Path) -> list[int]:
    """The steps after which a run has checkpoints."""
    return [int(place.name[5:]) for place in run.glob("checkpoints/step-*")]


def read_metrics(run: Path) -> dict[int, dict[str, Any]]:
    """The metrics of each step so far."""
    return {row["step"]: row for row in read_lines(run / "metrics.jsonl")}


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The records of a file, if it is there; the last line may be half written."""
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def sampled_tokens(run: Path) -> dict[int, int]:
    """The tokens that a run had sampled after each step."""
    steps = read_metrics(run)
    totals = accumulate(row["tokens"] for row in steps.values())
    return dict(zip(steps, totals, strict=True))


def effective(rows: Iterable[dict[str, Any]]) -> float:
    """The share of prompts whose rewards differ; 0 if there were no prompts."""
    return fmean(row["effective_prompt_ratio"] or 0.0 for row in rows)


def highest(row: dict[str, Any]) -> float:
    """h after a step, averaged over environments."""
    return fmean(high for _, high in row["bounds"].values())


def step_at(run: Path, tokens: int) -> int:
    """The checkpoint at which a run had sampled the nearest to so many tokens."""
    totals = sampled_tokens(run)
    return min(sorted(checkpoints(run)), key=lambda step: abs(totals.get(step, 0) - tokens))


def comes_to(run: Path, tokens: int) -> bool:
    """Whether the step that a run is in is the one nearest to so many tokens, and is not saved."""
    totals = sampled_tokens(run)
    if not totals:
        return False
    so_far = max(totals.values())
    size = so_far / len(totals)
    saved = max((totals.get(step, 0) for step in checkpoints(run)), default=0)
    return so_far > tokens - 1.5 * size and saved < tokens - 2 * size


def training_table(runs: Iterable[tuple[str, int, Path]]) -> str:
    """What training took, for each arm and seed whose run has begun."""
    lines = [
        "| arm | seed | steps | tokens | accuracy in training, by quarter | effective prompts, "
        "last tenth | h, mean | tokens an output | update, s | checkpoint, MB |",
        f"| --- |{' ---: |' * 9}",
    ]
    for arm, seed, run in runs:
        if rows := [*read_metrics(run).values()]:
            ends = [len(rows) * quarter // 4 for quarter in range(5)]
            parts = [rows[a:b] for a, b in pairwise(ends) if a < b]
            accuracy = (fmean(row["accuracy"] for row in part) for part in parts)
            late = effective(rows[-max(1, len(rows) // 10) :])
            update = median(row["seconds"]["update"] for row in rows)
            cells = [
                f"{arm} | {seed} | {len(rows)} | {sum(row['tokens'] for row in rows):,}",
                ", ".join(f"{share:.1%}" for share in accuracy),
                f"{late:.0%} | {highest(rows[-1]):.1f}",
                f"{fmean(row['response_tokens'] for row in rows):,.0f} | {update:.2f}",
                saved_size(run),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def note_size(run: Path) -> None:
    """Keep the size of the latest checkpoint, which may be removed."""
    latest = run / "checkpoints" / f"step-{max(checkpoints(run)):06d}"
    (run / SIZE).write_text(f"{weigh(latest)}\n")


def saved_size(run: Path) -> str:
    file = run / SIZE
    return f"{int(file.read_text()) / 1e6:,.1f}" if file.exists() else ""


def weigh(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def needed_checkpoints(experiment: Path) -> Iterator[Path]:
    """The checkpoints from which runs in a folder go on, and those evaluated at equal tokens."""
    plan = experiment / "plan.json"
    tokens = json.loads(plan.read_text())["tokens"] if plan.exists() else None
    for place in experiment.rglob("checkpoints"):
        there = checkpoints(place.parent)
        steps = {max(there)} if there else set[int]()
        if there and tokens:
            steps.add(step_at(place.parent, tokens))
        yield from (place / f"step-{step:06d}" for step in steps)
