"""`rlve serve` as a trainer sees it: a pool and a stream on another machine.

    with RemotePool("http://gym:8000", token=...) as pool:
        pool.judge([(problem, output), ...])            and everything else rlve.Pool does

    stream = RemoteStream("http://gym:8000", ["C16"], group=16, seed=0)
    gym = rlve.Gym(group=16, pool=pool, source=stream)  the gym that every trainer uses

A request without an answer is sent again with the same key, so that nothing is lost, drawn twice
or counted twice.
"""

import itertools
import logging
import os
import threading
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from queue import SimpleQueue
from random import Random
from secrets import token_hex
from time import monotonic
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import msgspec

from rlve.answers import Marker
from rlve.contract import Problem, Verdict
from rlve.curricula import Change, CurriculumSettings
from rlve.errors import UserError
from rlve.pool import Failure, Identity, Pool, Record, Request, Shown
from rlve.pool.dispatch import Dispatcher
from rlve.pool.pending import Pending
from rlve.pool.worker import FailureKind, attempt, identity
from rlve.registry import environment
from rlve.server.connection import Connection, Health, Refused, in_requests
from rlve.stream import Item

CHUNK: Final = 256  # items that a thread takes at once
CHUNK_CHARACTERS: Final = 4_000_000  # about the most characters of their outputs
GONE: Final = 404  # a session that is deleted, if only by a request whose reply was lost
ENDING_SECONDS: Final = 1.0  # for the threads to end; one that is connecting ends later, by itself

_log = logging.getLogger(__name__)


class RemotePool(Pool):
    """The workers of `rlve serve`, with the interface of Pool.

    url          the server's URL, such as http://gym:8000
    token        the server's token, if it needs one
    connections  how many requests to have under way at once
    patience     how many seconds to keep trying once the server is unreachable or busy

    Deadlines are the server's. An environment of your own must also be known to the server.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        connections: int = 8,
        patience: float = 60.0,
    ) -> None:
        super().__init__(connections)
        self._finalizer.detach()  # it is for the local dispatcher, which has started nothing
        self._connection = Connection(url, token, patience=patience, connections=connections)
        health = self._connection.health()
        self.workers = health.workers
        self._dispatcher = RemoteDispatcher(self._connection, health, connections, self.failures)
        self._finalizer = weakref.finalize(self, self._dispatcher.stop)

    def explain(
        self, problem: Problem, output: str, *, marker: Marker = "any"
    ) -> tuple[Verdict, str | None] | Failure:
        """The verdict; the server does not send why an answer could not be read."""
        (result,) = self.judge([(problem, output)], marker=marker)
        return result if isinstance(result, Failure) else (result, None)

    def close(self) -> None:
        """Abandon what is under way, and close the connections."""
        super().close()
        self._connection.close()


class _Chunk(NamedTuple):
    """Items of one batch that a thread sends together."""

    pending: Pending[Any]
    indices: list[int]
    items: list[Any]


class RemoteDispatcher(Dispatcher):
    """Threads that send a pool's items to a server and settle the results."""

    def __init__(
        self,
        connection: Connection,
        health: Health,
        connections: int,
        failures: Counter[FailureKind],
    ) -> None:
        super().__init__(connections, 1.0, None, failures)
        self._connection = connection
        self._health = health
        self._bells = SimpleQueue[None]()
        self._threads: list[threading.Thread] = []

    def stop(self) -> None:
        """End the threads and their requests. Takes no lock: a finalizer may run at any point."""
        if os.getpid() != self._owner:
            return
        self._over = self._over or UserError("the pool is closed")
        self._connection.abort()
        self._wake()
        until = monotonic() + ENDING_SECONDS
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - monotonic()))

    def forget(self) -> None:
        """Nothing has to be released in a fork of the owner."""

    def _wake(self) -> None:
        for _ in range(self._limit):
            self._bells.put(None)  # reentrant, unlike a condition or an event

    def _open(self) -> None:
        for _ in range(self._limit):
            thread = threading.Thread(target=self._send_on, name="rlve-remote", daemon=True)
            thread.start()
            self._threads.append(thread)
        self._thread = self._threads[0]

    def _send_on(self) -> None:
        try:
            while self._over is None:
                with self.lock:
                    chunk = self._next_chunk()
                if chunk is None:
                    self._bells.get()
                else:
                    self._send(chunk)
        except Exception as error:  # noqa: BLE001  it is raised in the threads that wait
            self._over = self._over or error
            self._wake()
        finally:
            with self.lock:
                over = self._over or UserError("the pool is closed")
                for pending in (*self._queue, *self._background):
                    pending.fail(over)

    def _send(self, chunk: _Chunk) -> None:
        pending, indices, items = chunk
        try:
            results = self._ask(pending.operation, items, pending.options)
            with self.lock:
                for index, result in zip(indices, results, strict=True):
                    if isinstance(result, Failure):
                        self._failures[result.kind] += 1
                    pending.settle(index, result)
        except Exception as error:  # noqa: BLE001  raised again in the thread that waits
            with self.lock:
                pending.fail(self._over or error)

    def _next_chunk(self) -> _Chunk | None:
        for queue in (self._queue, self._background):
            while queue:
                pending = queue[0]
                indices = self._indices(pending)
                if indices:
                    queue.rotate(-1)  # so that no thread waits for another's long batch
                    return _Chunk(pending, indices, [pending.items[i].content for i in indices])
                queue.popleft()
        return None

    def _indices(self, pending: Pending[Any]) -> list[int]:
        """As many as keep all connections busy without making a request too large."""
        pending.drop_abandoned()
        most = min(CHUNK, max(8, -(-len(pending.waiting) // self._limit)))
        indices: list[int] = []
        characters = 0
        while pending.waiting and len(indices) < most and characters < CHUNK_CHARACTERS:
            index = pending.waiting.popleft()
            if item := pending.items.get(index):  # it has not been discarded
                indices.append(index)
                characters += len(item.content[1]) if pending.operation == "judge" else 0
        return indices

    def _ask(self, operation: str, items: list[Any], options: tuple[Any, ...]) -> list[Any]:
        how = _EXCHANGES[operation]
        # Only judging has options.
        wanted = how.options | dict(zip(("marker", "reading"), options, strict=False))
        received: list[dict[str, Any]] = []
        for portion in in_requests(map(how.write, items), self._health):
            reply = self._connection.call("POST", how.path, {how.sent: portion, **wanted})
            received += reply[how.received]
        if len(received) != len(items):
            raise UserError(
                f"the gym at {self._connection.url} sent {len(received)} results for "
                f"{len(items)} items"
            )
        return [
            _failure(each) or how.read(item, each)
            for item, each in zip(items, received, strict=True)
        ]


def _failure(received: dict[str, Any]) -> Failure | None:
    failure = received.get("failure")
    return None if failure is None else msgspec.convert(failure, Failure)


class _Exchange(NamedTuple):
    """How the items of an operation are sent, and what comes back."""

    path: str
    sent: str  # where the items are in the request
    received: str  # and in the reply
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any, dict[str, Any]], Any]  # the item and what came back for it
    options: dict[str, Any]


def _wanted(request: Request) -> dict[str, Any]:
    return {
        "environment": request.environment.__name__,
        "difficulty": request.difficulty,
        "seed": request.seed,
    }


def _answered(item: tuple[Problem | Record, str]) -> dict[str, Any]:
    problem, output = item
    cls = problem.environment if isinstance(problem, Record) else type(problem)
    return {
        "environment": cls.__name__,
        "parameters": problem.parameters if isinstance(problem, Record) else problem.parameters(),
        # Half a surrogate pair cannot be sent as JSON, and is never part of an answer.
        "output": output.encode("utf-8", "replace").decode(),
    }


def _recorded(record: Record, *, prompt: bool = False) -> dict[str, Any]:
    return {
        "environment": record.environment.__name__,
        "parameters": record.parameters,
        "prompt": prompt or record.prompted,
    }


def _verdict(_: Any, received: dict[str, Any]) -> Verdict:
    return Verdict(received["reward"], received["correct"], received["well_formed"])


def _problem(item: Request | Record, received: dict[str, Any]) -> Problem:
    return item.environment.from_parameters(received["parameters"])


def _solved(request: Request, received: dict[str, Any]) -> tuple[Problem, str | None]:
    return _problem(request, received), received["reference"]


def _shown(request: Request, received: dict[str, Any]) -> Shown:
    level = request.environment.level(request.difficulty)
    return Shown(_problem(request, received), level, received["prompt"], received["reference"])


def _loaded(record: Record, received: dict[str, Any]) -> tuple[Problem, str]:
    return _problem(record, received), received["prompt"] or ""


def _identified(record: Record, received: dict[str, Any]) -> Identity:
    return identity(_problem(record, received), received["prompt"])


def _valid(_: Record, received: dict[str, Any]) -> None:
    """Nothing more: what the server could load is valid."""


def _generating(read: Callable[..., Any], *, reference: bool = True) -> _Exchange:
    options = {"reference": reference}
    reading = partial(attempt, read)  # makes problems, which runs other people's code
    return _Exchange("/v1/generate", "requests", "problems", _wanted, reading, options)


def _loading(read: Callable[..., Any], *, prompt: bool = False) -> _Exchange:
    writing, reading = partial(_recorded, prompt=prompt), partial(attempt, read)
    return _Exchange("/v1/load", "records", "problems", writing, reading, {})


_EXCHANGES: Final = {
    "judge": _Exchange("/v1/verify", "items", "verdicts", _answered, _verdict, {}),
    "generate": _generating(_problem, reference=False),
    "solve": _generating(_solved),
    "show": _generating(_shown),
    "load": _loading(_loaded),
    "check": _loading(_valid),
    "identify": _loading(_identified, prompt=True),
}


class RemoteCurriculum:
    """The curriculum of a session, with the interface of any other curriculum.

    Observations are sent at the end of a step, and before the state is requested. What could not be
    sent is kept: the next call sends it again, with the same key.
    """

    def __init__(self, connection: Connection, wanted: dict[str, Any]) -> None:
        self._connection = connection
        self.health = connection.health()
        self._observed: list[dict[str, Any]] = []
        self._reports: deque[dict[str, Any]] = deque()  # the first may have been counted already
        self._step_key = token_hex(8)
        received = connection.call("POST", "/v1/sessions", wanted | {"key": token_hex(8)})
        self.session = f"/v1/sessions/{received['id']}"
        self._bounds: dict[str, tuple[int, int]] = {}
        self._see(received)

    @property
    def names(self) -> Sequence[str]:
        return tuple(self._bounds)

    @property
    def resting(self) -> list[str]:
        """The environments that are rarely drawn at present."""
        return self._resting

    def draw(self, rng: Random) -> tuple[str, int]:
        raise UserError("the server draws: take problems from the RemoteStream")

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        self.bounds(name)
        results = {"correct": list(map(bool, correct)), "rewards": list(rewards)}
        self._observed.append({"environment": name, "difficulty": difficulty, **results})

    def step(self) -> list[Change]:
        self._tell()
        received = self.post("step", {"key": self._step_key})
        self._step_key = token_hex(8)
        self._see(received)
        return [msgspec.convert(change, Change) for change in received["changes"]]

    def bounds(self, name: str) -> tuple[int, int]:
        try:
            return self._bounds[name]
        except KeyError:
            raise UserError(f"the curriculum has no environment named {name!r}") from None

    def state_dict(self) -> dict[str, Any]:
        self._tell()
        return self._connection.call("GET", f"{self.session}/state")["state"]

    def load_state_dict(self, state: dict[str, Any]) -> None:
        received = self._connection.call("PUT", f"{self.session}/state", {"state": state})
        self._observed.clear()
        self._reports.clear()
        self._see(received)

    def post(self, what: str, content: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the session; its key lets it be sent again without counting twice."""
        return self._connection.call("POST", f"{self.session}/{what}", content)

    def _tell(self) -> None:
        for groups in in_requests(self._observed, self.health):
            self._reports.append({"groups": groups, "key": token_hex(8)})
        self._observed.clear()
        while self._reports:
            try:
                self.post("report", self._reports[0])
            except Refused:  # sent again it would be refused again, and so would all after it
                self._reports.popleft()
                raise
            self._reports.popleft()

    def _see(self, received: dict[str, Any]) -> None:
        bounds = received["bounds"].items()
        self._bounds = {name: (ends["low"], ends["high"]) for name, ends in bounds}
        self._resting: list[str] = received["resting"]


class RemoteStream:
    """Problems drawn from a curriculum on the server, with the interface of Stream.

    environments       names of environments and collections
    group              outputs per problem
    curriculum         settings of the curriculum
    max_prompt_length  in characters; problems with longer prompts are replaced
    patience           how many seconds to keep trying once the server is unreachable or busy
    """

    def __init__(
        self,
        url: str,
        environments: Iterable[str],
        *,
        group: int,
        seed: int = 0,
        curriculum: CurriculumSettings = CurriculumSettings(),  # noqa: B008  frozen
        max_prompt_length: int | None = None,
        token: str | None = None,
        patience: float = 60.0,
    ) -> None:
        wanted = {
            "environments": list(environments),
            "seed": seed,
            "group": group,
            **curriculum.options(),
            "max_prompt_length": max_prompt_length,
        }
        self.group = group
        self._connection = Connection(url, token, patience=patience)
        self._remote = RemoteCurriculum(self._connection, wanted)
        self.curriculum = self._remote
        self.position = 0  # of the next problem
        self._drawn = 0  # the position of the next problem on the server
        self._arrived: list[Item] = []  # in a take() that failed before it had all
        self.redrawn: dict[str, dict[str, int]] = {}
        self.avoided: dict[str, list[int]] = {}

    def take(self, count: int) -> list[Item]:
        """The next problems, drawn from the curriculum as it stands now."""
        if count < 0:
            raise UserError(f"the number of problems must be at least 0, not {count!r}")
        while len(self._arrived) < count:
            portion = min(count - len(self._arrived), self._remote.health.batch)
            # Named after its place, so that a take() that fails can be repeated.
            wanted = {"count": portion, "key": f"{portion} from {self._drawn}"}
            drawn = self._remote.post("draw", wanted)
            self._arrived += map(_item, itertools.count(drawn["position"]), drawn["problems"])
            self._drawn = drawn["position"] + portion
            self.redrawn, self.avoided = drawn["redrawn"], drawn["avoided"]
        items, self._arrived = self._arrived[:count], self._arrived[count:]
        self.position += count
        return items

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Item:
        return self.take(1)[0]

    def look_ahead(self) -> None:
        """Do nothing: the server looks ahead anyway."""

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to continue exactly from here, even in another session."""
        return self._remote.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self._remote.load_state_dict(state)
        session = self._connection.call("GET", self._remote.session)
        self.position = self._drawn = session["position"]
        self._arrived = []
        self.redrawn, self.avoided = session["redrawn"], session["avoided"]

    def close(self) -> None:
        """Delete the session on the server, and close the connection."""
        self._close()

    def _close(self, patience: float | None = None) -> None:
        if self._connection.closed:
            return
        try:
            self._connection.call("DELETE", self._remote.session, patience=patience)
        except Refused as refusal:
            if refusal.status != GONE:
                raise
        finally:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
            return
        try:
            self._close(patience=0.0)
        except UserError as other:  # the error that ends the block matters more
            _log.warning("the session could not be deleted: %s", other)


def _item(position: int, drawn: dict[str, Any]) -> Item:
    name = drawn["environment"]
    problem = environment(name).from_parameters(drawn["parameters"])
    return Item(position, name, drawn["difficulty"], drawn["seed"], problem)
