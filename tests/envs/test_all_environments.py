"""Every environment keeps every rule, at a few levels; `rlve check --all` looks at all of them.

What holds for each of them is tested here and not in its own test file: its references are right,
its near misses are wrong, and its highest level can be written and read.
"""

import pytest

from rlve.catalogue import CATALOGUE
from rlve.registry import environment
from rlve.rules import RULES, check

LEVELS = (0, 3, 9)
TOP = 20  # the levels up to it are those of the paper's schedules
# A test measures no time, which `rlve check` does; and test_worked.py looks at more problems.
ELSEWHERE = {"quick", "worked"}
# At their highest level, the paper's, a prompt is too long.
BEYOND = {"ABProgramSimulation", "Sorting"}


def complaints(cls, **options):
    found = check(cls, **options)
    return [f"{rule}: {complaint}" for rule, complaint in found if not complaint.excused]


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_rules(name):
    cls = environment(name)
    levels = {min(d, cls.max_difficulty or d) for d in LEVELS}
    assert complaints(cls, rules=set(RULES) - ELSEWHERE, levels=levels, seeds=2) == []


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_references_are_right(name):
    """What is planted and what solvers construct; small problems have the most special cases."""
    cls = environment(name)
    for d in range(min(TOP, cls.max_difficulty or TOP) + 1):
        for seed in range(20 if d < 6 else 3):
            problem = cls.generate(difficulty=d, seed=seed)
            assert problem.verify(f"<answer>{problem.reference()}</answer>").correct, problem


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_the_highest_level_can_be_written_and_read(name):
    """There, an answer that is off by one is wrong as well, and has up to thousands of digits."""
    cls = environment(name)
    highest = TOP if name in BEYOND else cls.max_difficulty or TOP
    rules = ["generates", "prompt", "reference", "wrong_answers"]
    assert complaints(cls, rules=rules, levels={min(TOP, highest), highest}, seeds=1) == []
