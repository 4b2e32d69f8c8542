"""Counts how many different problems the levels of the environments have.

It writes docs/results/gym/variety.json, which `make catalogue` reads.

python docs/variety.py                for all environments; it takes a minute
python docs/variety.py CRT LCM        for these, and leaves the others as they are
"""

import json
import sys
from pathlib import Path

from rlve.catalogue import CATALOGUE
from rlve.registry import environment

FILE = Path(__file__).parent / "results" / "gym" / "variety.json"
LEVELS = (0, 3, 9)
PROBLEMS = 100
FEW = 50  # different ones of these


def stored() -> dict[str, list[int]]:
    """For each environment, the different prompts among the problems of each level."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def measure(name: str) -> list[int]:
    """How many prompts differ, at the levels that the environment has."""
    cls = environment(name)
    levels = [d for d in LEVELS if cls.max_difficulty is None or d <= cls.max_difficulty]
    return [
        len({cls.generate(difficulty=d, seed=seed).prompt() for seed in range(PROBLEMS)})
        for d in levels
    ]


def main(names: list[str]) -> None:
    table = stored() | {name: measure(name) for name in names or sorted(CATALOGUE)}
    rows = (f"{json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table))
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
