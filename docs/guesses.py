"""Measures what thoughtless strategies earn.

It writes docs/results/gym/guesses.json, which `make catalogue` reads.

python docs/guesses.py                for all environments; it takes three minutes
python docs/guesses.py CRT LCM        for these, and leaves the others as they are
"""

import json
import sys
from pathlib import Path
from typing import Any

from rlve.catalogue import CATALOGUE
from rlve.registry import environment
from rlve.rules.guesses import questions
from rlve.rules.strategies import LEVELS, PROBLEMS, Earnings, earnings
from rlve.rules.subject import Subject

FILE = Path(__file__).parent / "results" / "gym" / "guesses.json"


def stored() -> dict[str, dict[str, Any]]:
    """The table, by environment and difficulty ("CRT/3")."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def measure(name: str) -> dict[str, Earnings]:
    """What the best strategies earn at the levels that an environment has."""
    subject = Subject(environment(name), levels=LEVELS)
    return {f"{name}/{d}": earnings(questions(subject, d, range(PROBLEMS))) for d in subject.levels}


def main(names: list[str]) -> None:
    table = stored()
    for name in names or sorted(CATALOGUE):
        table |= {key: best._asdict() for key, best in measure(name).items()}
    rows = (f"{json.dumps(key)}: {json.dumps(table[key])}" for key in sorted(table, key=_order))
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def _order(key: str) -> tuple[str, int]:
    name, _, difficulty = key.partition("/")
    return name, int(difficulty)


if __name__ == "__main__":
    main(sys.argv[1:])
