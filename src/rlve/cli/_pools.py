"""The pool of a command: on this machine, or on a Ray cluster."""

# ray is installed only where it is used; its types are unknown elsewhere.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from typing import Annotated, TypeAlias

from tyro.conf import arg

from rlve.pool import Pool

RayAddress: TypeAlias = Annotated[str | None, arg(metavar="ADDRESS", help_behavior_hint="")]
"""Where a Ray cluster is: host:port, or auto for the one of this machine."""


@contextmanager
def open_pool(workers: int | None, deadline: float, ray: str | None) -> Generator[Pool]:
    """A pool, closed when the block ends; open what writes to stdout before."""
    if ray is None:
        with Pool(workers, deadline=deadline) as pool:
            yield pool
        return
    from rlve.pool import ray as engine

    was_connected = engine.ray.is_initialized()
    # Ray prints on stdout what happens to its nodes, until it is disconnected.
    with redirect_stdout(sys.stderr):
        try:
            with engine.RayPool(ray, workers=workers, deadline=deadline) as pool:
                yield pool
        finally:
            if not was_connected:
                engine.ray.shutdown()
