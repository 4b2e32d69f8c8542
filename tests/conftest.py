"""Settings for all tests."""

import gc
import os
import sys
from importlib.util import find_spec

import pytest

# Nothing that importing the tests makes is garbage, and looking for some takes a fifth of the time.
gc.disable()

# Images of containers often forbid to write bytecode, and then each of the processes that tests
# start, and each worker that imports the tests, would compile all it imports again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Threads of torch that wait for each other on cores they share with other tests take many times
# the work of one.
os.environ.setdefault("OMP_NUM_THREADS", "1")

if find_spec("hypothesis"):  # the virtual environments of other libraries lack it
    from hypothesis import settings

    # How long an example takes says nothing about it on a machine that does other things, too.
    settings.register_profile("rlve", deadline=None)
    settings.load_profile("rlve")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Leave the many objects that were made so far out of every later garbage collection."""
    gc.collect()
    gc.freeze()
    gc.enable()
