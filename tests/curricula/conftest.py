import pytest

from rlve.registry import registered
from support.curriculum_traces import Low, Other


@pytest.fixture(autouse=True, scope="package")
def environments():
    with registered(Low), registered(Other):
        yield
