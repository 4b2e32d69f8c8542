"""Worker processes that generate problems and judge outputs, each item under a deadline.

    with Pool(workers=8, deadline=10) as pool:
        problems = pool.generate(Request(Sorting, difficulty=3, seed=seed) for seed in range(100))
        verdicts = pool.judge((problem, output) for ...)

An item that hangs, runs out of memory or kills its process affects nothing else: its worker is
killed and replaced, and the item becomes a Failure, which says what happened and is counted in
`failures`. A failure is not a verdict: the caller decides what it is worth.

local.py is the pool of one machine, ray.py that of a cluster. dispatcher.py is what a pool gives
its items to, pending.py holds them for the caller. local_dispatcher.py hands them to the workers of
one machine, process.py is a worker seen from outside, and worker.py is what runs in it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rlve.pool.worker import Failure, FailureKind, Request, Shown

if TYPE_CHECKING:
    from rlve.pool.local import Pool, shared_pool, usable_cores
    from rlve.pool.pending import Pending

__all__ = [
    "Failure",
    "FailureKind",
    "Pending",
    "Pool",
    "Request",
    "Shown",
    "shared_pool",
    "usable_cores",
]

# Imported on first use: a worker imports this package as well, and must start quickly.
_MODULE_OF = {"Pending": "pending"} | dict.fromkeys(
    ("Pool", "shared_pool", "usable_cores"), "local"
)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'rlve.pool' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"rlve.pool.{_MODULE_OF[name]}"), name)
    return value
