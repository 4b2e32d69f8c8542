"""A pool on a Ray cluster: what rlve.pool.Pool does, but on all nodes.

    with RayPool("10.0.0.1:6379") as pool:
        problems = pool.generate(Request(Sorting, difficulty=3, seed=seed) for seed in range(10**6))

Every node has actors, each with its own dispatcher and isolated workers, so that deadlines, limits
and kills work as in the local pool. This side sends them chunks of items, a few at a time. Results
come in the order of the items, whichever node they come from.

If an actor is lost, or a node with all its actors, the chunks it had are tried again. An item still
gets exactly one result: only unsettled items are tried again. Nodes that join later are used as
well.
"""

import contextlib
import logging
import math
import os
import pickle  # noqa: TID251  both ends are this program
import platform
import socket
import sys
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from rlve import __version__
from rlve.errors import UserError, require
from rlve.foundation.limits import Positive, check_limit
from rlve.pool import worker
from rlve.pool.dispatcher import Dispatcher
from rlve.pool.local import MEMORY, Pool, check_settings
from rlve.pool.local_dispatcher import LocalDispatcher
from rlve.pool.pending import Batch, Pending, Task

require("ray", extra="ray", at_least="2.60", below="3")

import ray  # noqa: E402  now that we know it is there
from ray.exceptions import RayTaskError  # noqa: E402
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402

ACTOR_CORES: Final = 8  # most cores per actor, so that even a busy node has room for one
CHUNK: Final = 16  # items per worker of an actor
IN_FLIGHT: Final = 4  # chunks that an actor has at a time
IN_BACKGROUND: Final = 2  # how many of them may be background work
LOSSES: Final = 5  # how many actors may be lost with a chunk before it fails
STARTS: Final = 3  # how often an actor may die on a node before it is ready
CROWDED: Final = 60.0  # seconds without a start before an actor is replaced by smaller ones
LOOK_AROUND: Final = 5.0  # seconds between checks of nodes and actors
SILENCE: Final = 120.0  # seconds without a sign of life before an actor counts as lost

_log = logging.getLogger("rlve.pool")


class RayPool(Pool):
    """Workers on all nodes of a Ray cluster, with the interface and the promises of Pool.

    address   host:port of the cluster; by default the one this process is connected to, or else
              the one running on this machine. "local" starts one here
    workers   how many in total; by default one per CPU of the cluster
    deadline  seconds allowed for an item
    memory    bytes a worker may use, or None for no limit
    patience  seconds to wait for CPUs while the cluster has none to spare

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
        patience: float = 300.0,
    ) -> None:
        check_settings(workers, deadline, memory)
        check_limit("patience", patience, Positive)
        _connect(address)
        limit = workers or sys.maxsize
        super().__init__(
            min(limit, max(1, sum(_cores().values()))),
            deadline=deadline,
            memory=memory,
            dispatcher=RayDispatcher(limit, deadline, memory, patience),
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


def _cores() -> dict[str, int]:
    """The number of CPUs of every living node, by id."""
    return {
        node["NodeID"]: int(node["Resources"].get("CPU", 0))
        for node in cast("list[dict[str, Any]]", ray.nodes())
        if node["Alive"]
    }


# What runs on the nodes.


class Settings(NamedTuple):
    """The settings of an actor."""

    workers: int
    deadline: float
    memory: int | None
    path: list[str]  # where the driver finds modules


Version: TypeAlias = tuple[str, str]  # of rlve, and of Python


def _version() -> Version:
    return __version__, ".".join(platform.python_version_tuple()[:2])


class Crew:
    """The workers of one actor."""

    def __init__(self, settings: Settings) -> None:
        sys.path += [place for place in settings.path if place not in sys.path]
        logging.getLogger("rlve.pool").setLevel(logging.ERROR)  # the owner reports failures
        workers, deadline, memory, _ = settings
        self._dispatcher = LocalDispatcher(workers, deadline, memory)

    def version(self) -> Version:
        """The versions here; the answer shows that the actor has started."""
        return _version()

    def alive(self) -> None:
        """Answer, to show that the actor is still running."""

    def work(self, message: bytes) -> bytes:
        """The results of a chunk in order, or, as text, why it cannot be loaded."""
        try:
            operation, options, background, tasks = pickle.loads(message)  # noqa: S301
        except Exception as error:  # noqa: BLE001  loading imports other people's modules
            return pickle.dumps(f"{worker.describe(error)} on node {socket.gethostname()}")
        pending = Pending[Any](self._dispatcher, operation, options, background)
        pending.add(Task(*task) for task in tasks)
        return pickle.dumps(pending.take_all(), pickle.HIGHEST_PROTOCOL)


# What runs in the process that owns the pool.


class Chunk(Batch):
    """Items given to one actor together."""

    def __init__(self, pending: Pending[Any], indices: list[int], losses: int = 0) -> None:
        super().__init__(pending, indices)
        self.losses = losses  # actors that were lost with it

    def message(self) -> bytes:
        """One pickle for all, so that a problem shared by several outputs travels once."""
        pending, tasks = self.pending, list(map(tuple, self.tasks))
        message = pending.operation, pending.options, pending.background, tasks
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


@dataclass(eq=False)
class Actor:
    """An actor as this side sees it."""

    handle: Any
    node: str
    workers: int
    started: float
    attempt: int  # how many were started on this node since the last one that became ready
    ready: bool = False
    chunks: set[Chunk] = field(default_factory=set[Chunk])
    asked: float | None = None  # when it was asked for a sign of life

    def has_room(self, *, background: bool = False) -> bool:
        waiting = sum(chunk.pending.background for chunk in self.chunks)
        enough = len(self.chunks) >= IN_FLIGHT or (background and waiting >= IN_BACKGROUND)
        return self.ready and not enough


Matter: TypeAlias = "Chunk | Literal['version', 'alive']"


class Answer(NamedTuple):
    """An actor's answer, or Ray's error about the actor."""

    actor: Actor
    matter: Matter
    future: "Future[Any]"


class RayDispatcher(Dispatcher):
    """The thread that hands out items to actors and replaces lost actors."""

    name = "rlve-ray-pool"

    def __init__(self, limit: int, deadline: float, memory: int | None, patience: float) -> None:
        super().__init__()
        self._limit = limit
        self._deadline = deadline
        self._memory = memory
        self._longest_wait = patience
        self._events: SimpleQueue[Answer | None] = SimpleQueue()  # None: there is new work
        self._actors: list[Actor] = []
        self._largest: dict[str, int] = {}  # workers that an actor may have on a crowded node
        self._failed_on: dict[str, int] = {}  # actors that died before they were ready, by node
        self._again: deque[Chunk] = deque()  # chunks whose actor was lost
        self._looked_around = -math.inf
        self._alone_since = math.inf  # since when there has been work but no actor

    def wake(self) -> None:
        self._events.put(None)

    def dispatch(self) -> None:
        while self.over is None:
            if monotonic() - self._looked_around >= LOOK_AROUND:
                self._look_around()
            self._assign()
            with contextlib.suppress(Empty):
                if (answer := self._events.get(timeout=LOOK_AROUND)) is not None:
                    self._receive(answer)

    def close(self, over: Exception) -> None:
        chunks = [chunk for actor in self._actors for chunk in actor.chunks]
        with self.lock:
            for chunk in (*self._again, *chunks):
                chunk.pending.fail(over)
        for actor in self._actors:
            _kill(actor)

    def _look_around(self) -> None:
        """Replace actors that are silent or too large, and start new ones where there are cores."""
        if not ray.is_initialized():
            raise UserError("the connection to the Ray cluster was closed while a pool used it")
        self._looked_around = now = monotonic()
        for actor in list(self._actors):
            if actor.asked is not None and now - actor.asked > SILENCE:
                self._give_up(actor, f"it gave no sign of life for {SILENCE:g} s")
            elif actor.ready and actor.asked is None:
                actor.asked = now
                self._ask(actor, "alive", "alive")
            elif not actor.ready and actor.workers > 1 and now - actor.started > CROWDED:
                self._largest[actor.node] = actor.workers // 2
                self._actors.remove(actor)
                _kill(actor)
        self._recruit(_cores())
        with self.lock:
            idle = not self._again and not any(self.queued)
        if idle or any(actor.ready for actor in self._actors):
            self._alone_since = math.inf
            return
        self._alone_since = min(self._alone_since, now)
        if now - self._alone_since > self._longest_wait:
            there, free = ray.cluster_resources(), ray.available_resources()
            raise UserError(
                f"the Ray cluster started no actor for the pool within {self._longest_wait:g} s: "
                f"{free.get('CPU', 0):g} of its {there.get('CPU', 0):g} CPUs are free"
            )

    def _recruit(self, free: dict[str, int]) -> None:
        """Start missing actors, spread evenly over the nodes that have cores for them."""
        for actor in self._actors:
            if actor.node in free:
                free[actor.node] -= actor.workers
        missing = self._limit - sum(actor.workers for actor in self._actors)
        while missing > 0 and (open_nodes := [node for node in free if free[node] > 0]):
            node = max(open_nodes, key=lambda node: free[node])
            # Rounded up without floats: the limit may be sys.maxsize.
            share = -(-missing // len(open_nodes))
            workers = min(self._largest.get(node, ACTOR_CORES), free[node], share)
            free[node] -= workers
            missing -= workers
            self._start_actor(node, workers)

    def _start_actor(self, node: str, workers: int) -> None:
        path = [os.path.abspath(place) for place in sys.path]
        settings = Settings(workers, self._deadline, self._memory, path)
        options = {
            "num_cpus": workers,
            "max_concurrency": IN_FLIGHT + 1,  # one more thread for signs of life
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node_id=node, soft=False),
            # Ray must not retry anything: retries are decided here.
            "max_restarts": 0,
            "max_task_retries": 0,
        }
        handle = ray.remote(Crew).options(**options).remote(settings)
        attempt = self._failed_on.get(node, 0) + 1
        actor = Actor(handle, node, workers, monotonic(), attempt)
        self._actors.append(actor)
        self._ask(actor, "version", "version")

    def _ask(self, actor: Actor, method: str, matter: Matter, *values: Any) -> None:
        events = self._events
        future: Future[Any] = getattr(actor.handle, method).remote(*values).future()
        future.add_done_callback(lambda done: events.put(Answer(actor, matter, done)))

    def _receive(self, answer: Answer) -> None:
        actor, matter, future = answer
        if actor not in self._actors:
            return  # too late: its chunks are being tried again
        error = future.exception()
        # Environments run in the workers, so an exception in the actor itself is a bug.
        if error is not None and isinstance(error, RayTaskError):
            raise error
        if error is not None:
            self._give_up(actor, str(error))
        elif matter == "version":
            self._welcome(actor, future.result())
        elif matter == "alive":
            actor.asked = None
        else:
            actor.chunks.remove(matter)
            self._credit_chunk(matter, pickle.loads(future.result()))  # noqa: S301

    def _welcome(self, actor: Actor, version: Version) -> None:
        if tuple(version) != _version():
            raise UserError(
                "a node of the Ray cluster has rlve {} and Python {}, but this machine has rlve {} "
                "and Python {}: install the same versions everywhere".format(*version, *_version())
            )
        actor.ready = True
        self._failed_on.pop(actor.node, None)

    def _assign(self) -> None:
        """Give every actor as many chunks as it has room for."""
        handed = True
        while handed:
            handed = False
            for actor in sorted(self._actors, key=lambda actor: len(actor.chunks)):
                with self.lock:
                    chunk = self._next_chunk(actor) if actor.has_room() else None
                if chunk is not None:
                    self._hand_over(actor, chunk)
                    handed = True

    def _next_chunk(self, actor: Actor) -> Chunk | None:
        while self._again:
            lost = self._again.popleft()
            wanted = [index for index in lost.indices if index in lost.pending.tasks]
            if wanted:
                return Chunk(lost.pending, wanted, lost.losses)
        return self.next_batch(
            partial(self._cut_for, actor), background=actor.has_room(background=True)
        )

    def _cut_for(self, actor: Actor, pending: Pending[Any]) -> Chunk:
        """Enough items to keep the actor busy for a while, but not all of them."""
        workers = sum(each.workers for each in self._actors if each.ready)
        share = len(pending.waiting) * actor.workers // (2 * workers)
        most = min(CHUNK * actor.workers, max(actor.workers, share))
        return Chunk(pending, pending.cut(most))

    def _hand_over(self, actor: Actor, chunk: Chunk) -> None:
        try:
            message = chunk.message()
        except Exception as error:  # noqa: BLE001  pickling runs other people's code
            refusal = UserError(f"a problem cannot be sent to a node: {worker.describe(error)}")
            with self.lock:
                chunk.pending.fail(refusal)
            return
        actor.chunks.add(chunk)
        self._ask(actor, "work", chunk, message)

    def _credit_chunk(self, chunk: Chunk, results: list[Any] | str) -> None:
        with self.lock:
            if isinstance(results, str):
                chunk.pending.fail(UserError(f"a node cannot load a problem: {results}"))
                return
            for position, result in zip(range(len(chunk.indices)), results, strict=True):
                self.settle(chunk, position, result)

    def _give_up(self, actor: Actor, reason: str) -> None:
        """Remove a lost actor; others, or its replacement, try its chunks again."""
        reason = " ".join(reason.split())
        self._actors.remove(actor)
        _kill(actor)
        self._looked_around = -math.inf  # to replace it at once
        if not actor.ready:
            self._failed_on[actor.node] = actor.attempt
            if actor.attempt >= STARTS and actor.node in _cores():
                raise UserError(f"an actor of the pool cannot start on a node: {reason}")
            return
        _log.warning("a node or an actor of the Ray cluster was lost: %s", reason)
        with self.lock:
            for chunk in actor.chunks:
                chunk.losses += 1
                if chunk.losses < LOSSES:
                    self._again.append(chunk)
                else:
                    chunk.pending.fail(
                        UserError(
                            f"{LOSSES} actors in a row were lost while working on the same items; "
                            f"the last reason: {reason}"
                        )
                    )


def _kill(actor: Actor) -> None:
    if ray.is_initialized():
        ray.kill(actor.handle)
