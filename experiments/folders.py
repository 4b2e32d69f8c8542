"""What runs of `rlve train` left in their folders: checkpoints and metrics."""

import json
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from statistics import fmean
from typing import Any


def checkpoints(run: Path) -> list[int]:
    """The steps after which a run has checkpoints."""
    return [int(place.name[5:]) for place in run.glob("checkpoints/step-*")]


def read_metrics(run: Path) -> dict[int, dict[str, Any]]:
    """The metrics of each step so far; a line may be half written."""
    file = run / "metrics.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith("\n")]
    return {row["step"]: row for row in rows}


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
    """The last checkpoint before a run had sampled so many tokens."""
    totals, there = sampled_tokens(run), sorted(checkpoints(run))
    return max((step for step in there if totals.get(step, 0) <= tokens), default=there[0])


def training_table(runs: Iterable[tuple[str, int, Path]]) -> str:
    """What training took, for each arm and seed whose run has begun."""
    lines = [
        "| arm | seed | steps | tokens | effective prompts, last tenth | h, mean |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for arm, seed, run in runs:
        if rows := [*read_metrics(run).values()]:
            late = effective(rows[-max(1, len(rows) // 10) :])
            tokens = sum(row["tokens"] for row in rows)
            last = f"{late:.0%} | {highest(rows[-1]):.1f}"
            lines.append(f"| {arm} | {seed} | {len(rows)} | {tokens:,} | {last} |")
    return "\n".join(lines)


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
