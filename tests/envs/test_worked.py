"""Every worked solution keeps the rule, on many problems; see docs/environments.md."""

import pytest

from rlve.catalogue import CATALOGUE
from rlve.contract import has_work
from rlve.registry import environment
from rlve.rules import check

SOLVED = [name for name in sorted(CATALOGUE) if has_work(environment(name))]


@pytest.mark.parametrize("name", SOLVED)
def test_worked_solutions(name):
    found = check(environment(name), rules=["worked"], levels=[*range(7), 10, 14, 20], seeds=30)
    assert [str(complaint) for _, complaint in found] == []
