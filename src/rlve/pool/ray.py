"""A pool on a Ray cluster: what rlve.pool.Pool does, but on all nodes.

    with RayPool("10.0.0.1:6379") as pool:
        problems = pool.generate(Request(Sorting, difficulty=3, seed=seed) for seed in range(10**6))

Items travel in chunks. Each chunk is a task of Ray's that takes one CPU: Ray runs it wherever one
is free, and again if the process or the node it ran on is lost. On its node the items go to an
isolated worker, so that deadlines, limits and kills work as in the local pool. Results come in the
order of the items, whichever node they come from.
"""

import contextlib
import logging
import math
import os
import pickle  # noqa: TID251  both ends are this program
import socket
import sys
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final, NamedTuple

from rlve import __version__
from rlve.errors import UserError, require
from rlve.pool import worker
from rlve.pool.dispatcher import Dispatcher
from rlve.pool.local import MEMORY, Pool, check_settings
from rlve.pool.local_dispatcher import LocalDispatcher
from rlve.pool.pending import Batch, Pending, Task
from rlve.pool.worker import Failure

require("ray", extra="ray", at_least="2.60", below="3")

import ray  # noqa: E402  now that we know it is there
from ray.exceptions import (  # noqa: E402
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    WorkerCrashedError,
)

CHUNK: Final = 64  # items, at most
IN_FLIGHT: Final = 2  # chunks for each CPU, so that none has to wait for its next one
RETRIES: Final = 4  # how often Ray runs a chunk again before its items are failures
LOOK_AROUND: Final = 5.0  # seconds between looks at the size of the cluster

LOST: Final = (NodeDiedError, ObjectLostError, OutOfMemoryError, WorkerCrashedError)
"""What Ray raises if it has lost a task for good."""


class RayPool(Pool):
    """Workers on all nodes of a Ray cluster, with the interface and the promises of Pool.

    address   host:port of the cluster; by default the one this process is connected to, or else
              the one running on this machine. "local" starts one here
    workers   how many at a time; by default one per CPU of the cluster
    deadline  seconds allowed for an item
    memory    bytes a worker may use, or None for no limit

    The nodes need the same versions of Python and rlve, and the modules of your own environments:
    modules on this process's path are found if a node has the same files.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        workers: int | None = None,
        deadline: float = 10.0,
        memory: int | None = MEMORY,
    ) -> None:
        check_settings(workers, deadline, memory)
        _connect(address)
        limit = workers or sys.maxsize
        super().__init__(
            min(limit, _cores()),
            deadline=deadline,
            memory=memory,
            dispatcher=RayDispatcher(limit, deadline, memory),
        )


def _connect(address: str | None) -> None:
    """Connect this process to the cluster; it stays connected when the pool is closed."""
    if ray.is_initialized():
        known = ray.get_runtime_context().gcs_address
        if address not in (None, "auto", known):
            raise UserError(
                f"this process is already connected to the Ray cluster at {known}, not {address}; "
                "leave out the address, or call ray.shutdown() first"
            )
        return
    address = address or "auto"
    if "://" in address:
        raise UserError(
            f"a Ray pool cannot work through {address}: start it on a node of the cluster, with "
            "host:port (6379, unless the cluster was started with another port) or auto"
        )
    if address not in ("auto", "local"):
        _check_reachable(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"cannot connect to a Ray cluster at {address}: {reason}") from error


def _check_reachable(address: str) -> None:
    """Check that something is listening there: Ray itself would keep trying for minutes."""
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal()):
        raise UserError(
            f"the address of a Ray cluster must be host:port, auto or local, not {address}"
        )
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise UserError(f"there is no Ray cluster at {address}: {error}") from error


def _cores() -> int:
    """The number of CPUs of the cluster, and at least one."""
    return max(1, int(ray.cluster_resources().get("CPU", 0)))


# What runs on the nodes.


class Settings(NamedTuple):
    """What a node is told about a pool."""

    version: str
    deadline: float
    memory: int | None
    path: tuple[str, ...]  # where the owner of the pool finds modules


def work(settings: Settings, message: bytes) -> bytes:
    """The results of a chunk in order, or, as text, why there are none."""
    node = f"node {socket.gethostname()} of the Ray cluster"
    if settings.version != __version__:
        return pickle.dumps(
            f"{node} has rlve {__version__}, but this machine has rlve {settings.version}: install "
            "the same version everywhere"
        )
    try:
        dispatcher = _dispatcher_here(settings)
        operation, options, background, tasks = pickle.loads(message)  # noqa: S301
        pending = Pending[Any](dispatcher, operation, options, background)
        pending.add(Task(*task) for task in tasks)
        return pickle.dumps(pending.take_all(), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001  loading imports other people's modules
        return pickle.dumps(f"{node} cannot work on a problem: {worker.describe(error)}")


_here: dict[Settings, LocalDispatcher] = {}


def _dispatcher_here(settings: Settings) -> LocalDispatcher:
    """The one worker of this process of Ray's, which does several chunks one after another."""
    if settings not in _here or _here[settings].over:
        while _here:  # of a pool before
            _here.popitem()[1].stop()
        logging.getLogger("rlve.pool").setLevel(logging.ERROR)  # the owner reports failures
        sys.path += [place for place in settings.path if place not in sys.path]
        _here[settings] = LocalDispatcher(1, settings.deadline, settings.memory)
    return _here[settings]


# What runs in the process that owns the pool.


class Chunk(Batch):
    """Items given to one task of Ray's."""

    reference: Any = None  # Ray's, to their results

    def message(self) -> bytes:
        """One pickle for all, so that a problem shared by several outputs travels once."""
        pending, tasks = self.pending, list(map(tuple, self.tasks))
        message = pending.operation, pending.options, pending.background, tasks
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


class Answer(NamedTuple):
    """The answer to a chunk, or Ray's error."""

    chunk: Chunk
    future: "Future[bytes]"


class RayDispatcher(Dispatcher):
    """The thread that hands chunks to Ray, a few at a time."""

    name = "rlve-ray-pool"

    def __init__(self, limit: int, deadline: float, memory: int | None) -> None:
        super().__init__()
        self._limit = limit
        self._deadline = deadline
        self._memory = memory
        self._task = ray.remote(work).options(num_cpus=1, max_retries=RETRIES)
        self._events: SimpleQueue[Answer | None] = SimpleQueue()  # None: there is new work
        self._under_way: set[Chunk] = set()
        self._room = 0  # for so many chunks
        self._looked_around = -math.inf

    def wake(self) -> None:
        self._events.put(None)

    def dispatch(self) -> None:
        while self.over is None:
            if not ray.is_initialized():
                raise UserError("the connection to the Ray cluster was closed while a pool used it")
            if monotonic() - self._looked_around >= LOOK_AROUND:
                self._looked_around = monotonic()
                self._room = min(self._limit, IN_FLIGHT * _cores())
            self._hand_out()
            with contextlib.suppress(Empty):
                if (answer := self._events.get(timeout=LOOK_AROUND)) is not None:
                    self._credit(answer)

    def close(self, over: Exception) -> None:
        with self.lock:
            for chunk in self._under_way:
                chunk.pending.fail(over)
        if ray.is_initialized():
            for chunk in self._under_way:
                if chunk.reference is not None:
                    ray.cancel(chunk.reference, force=True)

    def _hand_out(self) -> None:
        while len(self._under_way) < self._room:
            with self.lock:
                chunk = self.next_batch(self._cut)
            if chunk is None:
                return
            try:
                message = chunk.message()
            except Exception as error:  # noqa: BLE001  pickling runs other people's code
                refusal = UserError(f"a problem cannot be sent to a node: {worker.describe(error)}")
                with self.lock:
                    chunk.pending.fail(refusal)
                continue
            self._send(chunk, message)

    def _cut(self, pending: Pending[Any]) -> Chunk:
        """Enough items to make the journey worthwhile, but not all of them."""
        share = len(pending.waiting) // (2 * self._room)
        return Chunk(pending, pending.cut(min(CHUNK, max(1, share))))

    def _send(self, chunk: Chunk, message: bytes) -> None:
        events, path = self._events, tuple(map(os.path.abspath, sys.path))
        settings = Settings(__version__, self._deadline, self._memory, path)
        self._under_way.add(chunk)
        chunk.reference = self._task.remote(settings, message)
        chunk.reference.future().add_done_callback(lambda done: events.put(Answer(chunk, done)))

    def _credit(self, answer: Answer) -> None:
        chunk, future = answer
        error = future.exception()
        if isinstance(error, LOST):
            reason = f"Ray gave it up: {' '.join(str(error).split())}"
            results: list[Any] | str = [Failure("crash", reason)] * len(chunk.indices)
        elif error is not None:  # environments run in the workers, so this is a bug
            raise error
        else:
            results = pickle.loads(future.result())  # noqa: S301
        self._under_way.remove(chunk)
        with self.lock:
            if isinstance(results, str):
                chunk.pending.fail(UserError(results))
                return
            for position, result in enumerate(results):
                self.settle(chunk, position, result)
