"""Keeps tests/support/problem_hashes.json, the hashes that guard that problems stay what they are.

    problem_hashes.py              add the environments that are not in the file yet
    problem_hashes.py Sorting ...  replace the hashes of these, after a wanted change
    problem_hashes.py --print      print what this process computes

The file has one line for each problem, "environment/difficulty/seed": "hash".
"""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from rlve.catalogue import CATALOGUE
from rlve.registry import environment
from rlve.rules.records import fingerprint

FILE = Path(__file__).with_suffix(".json")
DIFFICULTIES = (0, 3, 9)
SEEDS = 3
NAMES = sorted(CATALOGUE)


def keys(name: str) -> list[str]:
    """The problems of an environment that are in the file."""
    highest = environment(name).max_difficulty
    levels = sorted({d if highest is None else min(d, highest) for d in DIFFICULTIES})
    return [f"{name}/{difficulty}/{seed}" for difficulty in levels for seed in range(SEEDS)]


def hash_of(key: str) -> str:
    name, difficulty, seed = key.split("/")
    return fingerprint(environment(name).generate(difficulty=int(difficulty), seed=int(seed)))


def hashes(names: Iterable[str]) -> dict[str, str]:
    return {key: hash_of(key) for name in names for key in keys(name)}


def stored() -> dict[str, str]:
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def renew(names: Iterable[str]) -> None:
    """Replace the hashes of these environments, and leave those of the others as they are."""
    names = set(names)
    known = {
        key: value
        for key, value in stored().items()
        if (name := key.partition("/")[0]) not in names and name in NAMES
    }
    text = json.dumps(dict(sorted((known | hashes(sorted(names))).items())), indent=0)
    temporary = FILE.with_suffix(f".{os.getpid()}")
    temporary.write_text(text + "\n")
    temporary.replace(FILE)


def main(arguments: list[str]) -> None:
    if arguments == ["--print"]:
        print(json.dumps(hashes(NAMES)))
        return
    known = {key.partition("/")[0] for key in stored()}
    renew(arguments or set(NAMES) - known)


if __name__ == "__main__":
    main(sys.argv[1:])
