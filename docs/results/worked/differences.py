"""Prints the differences on the page that `rlve compare` does not, from the records beside it."""

import json
from pathlib import Path

from rlve.foundation.intervals import over_runs

HERE = Path(__file__).parent
Runs = list[list[float]]


def show(of: str, runs: Runs, baseline: Runs, names: list[str]) -> None:
    """The mean difference, with its 95% interval over environments and runs."""
    change, low, high = (100 * value for value in over_runs(runs, baseline, names))
    print(f"{of}: {change:+.1f} ({low:+.1f} to {high:+.1f})")


record = json.loads((HERE / "third-c16.json").read_text())
taught = [i for i, (_, _, d) in enumerate(record["questions"]) if d < 2]
marks: dict[str, Runs] = {"worked": [], "answers": []}
for evaluation in record["evaluations"]:
    marks[evaluation["run"]].append([float(evaluation["marks"][i]) for i in taught])
names = [record["questions"][i][1] for i in taught]
show("worked against answers at d = 0 and 1", marks["worked"], marks["answers"], names)

solved: dict[tuple[str, int], list[float]] = {}
environments: dict[str, list[str]] = {}
for line in map(json.loads, (HERE / "validation.jsonl").open()):
    bits = {(n, i): b for n, row in line["measured"][0]["solved"].items() for i, b in row.items()}
    solved[line["run"], line["step"]] = [float(bit) for row in bits.values() for bit in row]
    environments[line["run"].split("/")[0]] = [name for (name, _), row in bits.items() for _ in row]
for first, step, second, then in (
    ("rl-light", 40, "rl-light", 0),
    ("rl-light", 60, "rl-light", 0),
    ("rl-thorough", 40, "rl-thorough", 0),
    ("hints", 60, "no-hints", 60),
):
    runs, baseline = (
        [solved[f"{way}/{seed}", at] for seed in (0, 1)]
        for way, at in ((first, step), (second, then))
    )
    label = f"{first} at step {step} against {second} at step {then}"
    show(label, runs, baseline, environments[first])
