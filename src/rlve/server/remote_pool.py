"""The workers of `rlve serve` as a pool."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from queue import SimpleQueue
from time import monotonic
from typing import Any, Final, NamedTuple

import msgspec

from rlve.contract import Explanation, Problem, Verdict
from rlve.dialogue import Reply, respond
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Record, Request, Shown
from rlve.pool.dispatcher import Dispatcher
from rlve.pool.local import check_settings
from rlve.pool.pending import Batch, Pending, Task
from rlve.pool.worker import attempt
from rlve.server.connection import Connection, Health, in_requests

CHUNK: Final = 256  # items that a thread takes at once
CHUNK_CHARACTERS: Final = 4_000_000  # about the most characters of their outputs
ENDING_SECONDS: Final = 1.0  # for the threads to end; one that is connecting ends later, by itself


class RemotePool(Pool):
    """The workers of `rlve serve`, with the interface of Pool.

    url          the server's URL, such as http://gym:8000
    token        the server's token, if it needs one
    connections  how many requests to have under way at once
    patience     how many seconds to keep trying once the server is unreachable or busy

    Of functions, call_iter() takes rlve.dialogue.respond alone. Deadlines are the server's. An
    environment of your own must also be known to the server.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        connections: int = 8,
        patience: float = 60.0,
    ) -> None:
        check_settings(connections)
        self._connection = Connection(url, token, patience=patience, connections=connections)
        health = self._connection.health()
        dispatcher = RemoteDispatcher(self._connection, health, connections)
        super().__init__(health.workers, dispatcher=dispatcher)

    def close(self) -> None:
        """Abandon what is under way, and close the connections."""
        super().close()
        self._connection.close()


class RemoteDispatcher(Dispatcher):
    """Threads that send a pool's items to a server and settle the results."""

    def __init__(self, connection: Connection, health: Health, connections: int) -> None:
        super().__init__()
        self._connection = connection
        self._health = health
        self._limit = connections
        self._bells = SimpleQueue[None]()
        self._threads: list[threading.Thread] = []

    def clock(self) -> float:
        """To wait for a server that is being restarted costs no result its place."""
        return self._connection.clock()

    def open(self) -> None:
        for _ in range(self._limit):
            thread = threading.Thread(target=self._send_on, name="rlve-remote", daemon=True)
            thread.start()
            self._threads.append(thread)

    def wake(self) -> None:
        for _ in range(self._limit):
            self._bells.put(None)  # reentrant, unlike a condition or an event

    def stop(self) -> None:
        """End the threads and their requests. Takes no lock: a finalizer may run at any point."""
        if not self.owned:
            return
        self.over = self.over or UserError("the pool is closed")
        self._connection.abort()
        self.wake()
        until = monotonic() + ENDING_SECONDS
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - monotonic()))

    def _send_on(self) -> None:
        try:
            while self.over is None:
                with self.lock:
                    batch = self.next_batch(self._cut)
                if batch is None:
                    self._bells.get()
                else:
                    self._send(batch)
        except Exception as error:  # noqa: BLE001  it is raised in the threads that wait
            self.over = self.over or error
            self.wake()
        finally:
            with self.lock:
                for pending in self.queued:
                    pending.fail(self.over or UserError("the pool is closed"))

    def _send(self, batch: Batch) -> None:
        pending = batch.pending
        try:
            contents = [task.content for task in batch.tasks]
            results = self._ask(pending.operation, contents, pending.options)
            with self.lock:
                for index, result in zip(batch.indices, results, strict=True):
                    if isinstance(result, Failure):
                        self.failures[result.kind] += 1  # the server has logged it
                    pending.settle(index, result)
        except Exception as error:  # noqa: BLE001  raised again in the thread that waits
            with self.lock:
                pending.fail(self.over or error)

    def _cut(self, pending: Pending[Any]) -> Batch:
        """As many as keep all connections busy without making a request too large."""

        def characters(task: Task) -> int:
            return len(task.content[1]) if pending.operation in ("judge", "explain") else 0

        most = min(CHUNK, max(8, -(-len(pending.waiting) // self._limit)))
        return Batch(pending, pending.cut(most, characters, CHUNK_CHARACTERS))

    def _ask(self, operation: str, items: list[Any], options: tuple[Any, ...]) -> list[Any]:
        if operation == "call" and options != (respond,):
            raise UserError("a gym elsewhere cannot call functions: use a Pool of this machine")
        how = _EXCHANGES[operation]
        wanted = how.options
        if operation in ("judge", "explain"):
            wanted = wanted | dict(zip(("marker", "reading"), options, strict=False))
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


def _write_request(request: Request) -> dict[str, Any]:
    return {
        "environment": request.environment.__name__,
        "difficulty": request.difficulty,
        "seed": request.seed,
    }


def _write_output(item: tuple[Problem | Record, str]) -> dict[str, Any]:
    problem, output = item
    return {**_write_problem(problem), "output": _sendable(output)}


def _write_talk(item: tuple[Problem, Sequence[str]]) -> dict[str, Any]:
    problem, messages = item
    return {**_write_problem(problem), "messages": list(map(_sendable, messages))}


def _write_problem(problem: Problem | Record) -> dict[str, Any]:
    cls = problem.environment if isinstance(problem, Record) else type(problem)
    return {
        "environment": cls.__name__,
        "parameters": problem.parameters if isinstance(problem, Record) else problem.parameters(),
    }


def _sendable(text: str) -> str:
    """Half a surrogate pair cannot be sent as JSON, and is never part of an answer."""
    return text.encode("utf-8", "replace").decode()


def _write_record(record: Record) -> dict[str, Any]:
    return {**_write_problem(record), "prompt": record.prompted}


def _read_as(kind: type[Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """What came back is such a record."""
    return lambda _, received: msgspec.convert(received, kind)


def _read_problem(item: Request | Record, received: dict[str, Any]) -> Problem:
    return item.environment.from_parameters(received["parameters"])


def _read_solved(request: Request, received: dict[str, Any]) -> tuple[Problem, str | None]:
    return _read_problem(request, received), received["reference"]


def _read_shown(request: Request, received: dict[str, Any]) -> Shown:
    _, level = request.environment.drawn_level(request.difficulty, request.seed)
    problem = _read_problem(request, received)
    return Shown(problem, level, received["prompt"], received["reference"], problem.worked())


def _read_loaded(record: Record, received: dict[str, Any]) -> tuple[Problem, str]:
    return _read_problem(record, received), received["prompt"] or ""


def _generation(read: Callable[..., Any], *, reference: bool = True) -> _Exchange:
    options = {"reference": reference}
    reading = partial(attempt, read)  # makes problems, which runs other people's code
    return _Exchange("/v1/generate", "requests", "problems", _write_request, reading, options)


_EXCHANGES: Final = {
    "judge": _Exchange("/v1/verify", "items", "verdicts", _write_output, _read_as(Verdict), {}),
    "explain": _Exchange(
        "/v1/verify", "items", "verdicts", _write_output, _read_as(Explanation), {"explain": True}
    ),
    "call": _Exchange("/v1/respond", "items", "replies", _write_talk, _read_as(Reply), {}),
    "generate": _generation(_read_problem, reference=False),
    "solve": _generation(_read_solved),
    "show": _generation(_read_shown),
    "load": _Exchange(
        "/v1/load", "records", "problems", _write_record, partial(attempt, _read_loaded), {}
    ),
}
