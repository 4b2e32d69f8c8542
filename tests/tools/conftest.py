"""The programs of tools/, as modules."""

import pytest

from support.programs import load


@pytest.fixture(scope="session")
def release():
    return load("tools/release.py")


@pytest.fixture(scope="session")
def maker():
    return load("tools/site.py")
