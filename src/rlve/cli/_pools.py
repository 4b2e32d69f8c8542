"""A pool for a command: on this machine or on a Ray cluster."""

import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from typing import Annotated, TypeAlias

from rlve.cli._options import metavar
from rlve.pool import Pool

RayAddress: TypeAlias = Annotated[str | None, metavar("ADDRESS")]
"""The address of a Ray cluster: host:port, or auto for the one on this machine."""


@contextmanager
def open_pool(workers: int | None, deadline: float, ray: str | None) -> Generator[Pool]:
    """Open a pool, and close it when the block ends; open anything that writes to stdout first."""
    if ray is None:
        with Pool(workers, deadline=deadline) as pool:
            yield pool
        return
    from rlve.pool import ray as engine

    was_connected = engine.ray.is_initialized()
    # Ray prints news of its nodes on stdout until it is disconnected.
    with redirect_stdout(sys.stderr):
        try:
            with engine.RayPool(ray, workers=workers, deadline=deadline) as pool:
                yield pool
        finally:
            if not was_connected:
                engine.ray.shutdown()
