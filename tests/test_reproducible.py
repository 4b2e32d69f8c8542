"""The same environment, difficulty and seed give the same problem, everywhere and for ever."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from support import problem_hashes

HASHES = problem_hashes.stored()
REMEDY = "run `make hashes`, or tests/support/problem_hashes.py NAME if the change is wanted"


def different(found):
    """The problems that are not what they were."""
    return sorted(key for key in HASHES if found.get(key) != HASHES[key])


def test_the_file_has_all_environments():
    expected = sorted(key for name in problem_hashes.NAMES for key in problem_hashes.keys(name))
    assert list(HASHES) == expected, REMEDY


def test_each_line_of_the_file_is_one_problem():
    lines = problem_hashes.FILE.read_text().splitlines()
    assert lines[1:-1] == [
        line for line in sorted(lines[1:-1]) if line.removesuffix(",").count('"') == 4
    ]
    assert len(lines) == len(HASHES) + 2


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_in_a_process_with_another_hash_seed(hash_seed):
    run = subprocess.run(
        [sys.executable, problem_hashes.__file__, "--print"],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert different(json.loads(run.stdout)) == [], REMEDY


def test_in_threads():
    keys = list(HASHES)
    Random(0).shuffle(keys)
    with ThreadPoolExecutor(8) as threads:
        found = dict(zip(keys, threads.map(problem_hashes.hash_of, keys), strict=True))
    assert different(found) == [], REMEDY
