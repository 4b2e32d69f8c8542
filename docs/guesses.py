"""Measures what thoughtless strategies earn.

It writes docs/results/gym/guesses.json and .md, and src/rlve/rules/baselines.json.

python docs/guesses.py                for all environments; it takes three minutes
python docs/guesses.py CRT LCM        for these, and leaves the others as they are
"""

import json
import sys
from pathlib import Path
from typing import Any

from rlve.catalogue import CATALOGUE
from rlve.registry import environment
from rlve.rules import baselines
from rlve.rules.strategies import LEVELS, PROBLEMS, Earnings

FILE = Path(__file__).parent / "results" / "gym" / "guesses.json"
BASELINES = Path(baselines.__file__).with_suffix(".json")
OFTEN = 1 / 3

HEAD = """# What thoughtless strategies earn

A panel of strategies that look at the prompt and solve nothing (a constant that was right for other
problems of the level, a copied number, sums, differences and products of two, the input sorted or
reversed, 1 to n, ones, a checkerboard, a token, a median) is tried on {problems} problems of each
level. The best one is chosen on one half of them and measured on the other. `right` is how often
the strategy that is most often right is right; `reward` is the mean reward of the strategy with the
highest one, where -1 is the least and 1 the most.

    python docs/guesses.py

{summary}
| environment | d | right | by | reward | by |
| --- | --- | --- | --- | --- | --- |
"""


def stored() -> dict[str, dict[str, Any]]:
    """The table, by environment and difficulty ("CRT/3")."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def measure(name: str) -> dict[str, Earnings]:
    """What the best strategies earn at the levels that an environment has."""
    cls = environment(name)
    return {f"{name}/{d}": baselines.measure(cls, d) for d in baselines.levels(cls)}


def page(table: dict[str, dict[str, Any]]) -> str:
    """The table as a page."""
    rows: list[str] = []
    counts = dict.fromkeys(map(str, LEVELS), 0)
    for key, row in table.items():
        name, _, difficulty = key.partition("/")
        share = row["wins"] / row["tried"]
        counts[difficulty] += share > OFTEN
        rows.append(
            f"| {name} | {difficulty} | {share:.0%} | {row['strategy']} | {row['reward']:.2f} | "
            f"{row['shaped']} |\n"
        )
    summary = "".join(
        f"At d = {difficulty}, {count} environments have a strategy that is right in more than a "
        "third.\n"
        for difficulty, count in counts.items()
    )
    return HEAD.format(problems=PROBLEMS, summary=summary) + "".join(rows)


def main(names: list[str]) -> None:
    table = stored()
    for name in names or sorted(CATALOGUE):
        table |= {key: best._asdict() for key, best in measure(name).items()}
    table = {key: table[key] for key in sorted(table, key=_order)}
    _write(FILE, table)
    _write(BASELINES, rewards(table))
    FILE.with_suffix(".md").write_text(page(table))


def rewards(table: dict[str, dict[str, Any]]) -> dict[str, list[float]]:
    """What guessing earns, as it is stored in the package."""
    found: dict[str, list[Earnings]] = {}
    for key, row in table.items():
        found.setdefault(key.partition("/")[0], []).append(Earnings(**row))
    return {name: baselines.rewards(levels) for name, levels in found.items()}


def _write(file: Path, table: dict[str, Any]) -> None:
    lines = (f"{json.dumps(key)}: {json.dumps(row)}" for key, row in table.items())
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _order(key: str) -> tuple[str, int]:
    name, _, difficulty = key.partition("/")
    return name, int(difficulty)


if __name__ == "__main__":
    main(sys.argv[1:])
