"""The tables that a test file declares are tests of their own, beside those it has as code.

A test that takes a `problem` goes over all that the file has: those of its tables and its SAMPLES.
"""

from inspect import isfunction, signature

import pytest

from support.tables import check_replies, check_rewards, check_samples, check_schedule

CHECKS = {"REWARDS": check_rewards, "REPLIES": check_replies, "SCHEDULE": check_schedule}


def pytest_pycollect_makeitem(collector, name, obj):
    """Collect a table as `test_rewards`, `test_replies` or `test_schedule` of its file."""
    if not isinstance(collector, pytest.Module):
        return None
    if name in CHECKS:

        def test():
            CHECKS[name](collector.obj)

        return pytest.Function.from_parent(collector, name=f"test_{name.lower()}", callobj=test)
    if name.startswith("test_") and isfunction(obj) and "problem" in signature(obj).parameters:

        def test():
            check_samples(collector.obj, obj)

        return pytest.Function.from_parent(collector, name=name, callobj=test)
    return None
