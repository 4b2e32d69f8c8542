"""Settings for all tests."""

import gc
import os
from importlib.util import find_spec

# Threads of torch that wait for each other on cores they share with other tests take many times
# the work of one.
os.environ.setdefault("OMP_NUM_THREADS", "1")

if find_spec("hypothesis"):  # the virtual environments of other libraries lack it
    from hypothesis import settings

    # How long an example takes says nothing about it on a machine that does other things, too.
    settings.register_profile("rlve", deadline=None)
    settings.load_profile("rlve")


def pytest_collection_finish() -> None:
    """Leave the many objects that were made so far out of every later garbage collection."""
    gc.collect()
    gc.freeze()
