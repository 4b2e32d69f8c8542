"""Every worked solution keeps the rule, on many problems; see docs/environments.md."""

import pytest

from rlve.catalogue import CATALOGUE
from rlve.contract import has_work
from rlve.registry import environment
from rlve.rules import check

SOLVED = [name for name in sorted(CATALOGUE) if has_work(environment(name))]


@pytest.mark.parametrize("name", SOLVED)
def test_worked_solutions(name):
    found = check(environment(name), rules=["worked"], levels=[0, 1, 2, 4, 6, 10, 20])
    assert [str(complaint) for _, complaint in found] == []
