"""The tables that a test file declares are tests of their own, beside those it has as code."""

import pytest

from support.tables import check_replies, check_rewards, check_schedule

CHECKS = {"REWARDS": check_rewards, "REPLIES": check_replies, "SCHEDULE": check_schedule}


def pytest_pycollect_makeitem(collector, name):
    """Collect a table as `test_rewards`, `test_replies` or `test_schedule` of its file."""
    if name not in CHECKS or not isinstance(collector, pytest.Module):
        return None

    def test():
        CHECKS[name](collector.obj)

    return pytest.Function.from_parent(collector, name=f"test_{name.lower()}", callobj=test)
