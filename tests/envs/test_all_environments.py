"""Every environment keeps every rule, at a few levels; `rlve check --all` looks at all of them."""

import pytest

from rlve.catalogue import CATALOGUE
from rlve.registry import environment
from rlve.rules import RULES, check

LEVELS = (0, 3, 9)
# A test measures no time, which `rlve check` does; and test_worked.py looks at more problems.
ELSEWHERE = {"quick", "worked"}


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_rules(name):
    cls = environment(name)
    highest = cls.max_difficulty if cls.max_difficulty is not None else max(LEVELS)
    levels = {min(d, highest) for d in LEVELS}
    found = check(cls, rules=set(RULES) - ELSEWHERE, levels=levels, seeds=2)
    assert [f"{rule}: {complaint}" for rule, complaint in found if not complaint.excused] == []
