"""`rlve serve` as a trainer sees it: a pool and a stream on another machine.

    with RemotePool("http://gym:8000", token=...) as pool:
        pool.judge([(problem, output), ...])            and everything else rlve.Pool does

    stream = RemoteStream("http://gym:8000", ["C16"], group=16, seed=0)
    gym = rlve.Gym(group=16, pool=pool, source=stream)  the gym that every trainer uses

A request without an answer is sent again with the same key, so that nothing is lost, drawn twice
or counted twice.
"""

import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from secrets import token_hex
from types import TracebackType
from typing import Any, Final, Self

import httpx
import msgspec

from rlve.answers import Marker
from rlve.contract import Problem, Verdict
from rlve.curricula import Change, CurriculumSettings
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Record, Request
from rlve.pool.dispatch import Dispatcher
from rlve.pool.pending import Pending
from rlve.pool.worker import FailureKind, attempt
from rlve.registry import environment
from rlve.stream import Item

CHUNK: Final = 256  # most items in a request
CHUNK_CHARACTERS: Final = 4_000_000  # about the most characters of outputs in a request
BUSY: Final = frozenset({429, 502, 503, 504})  # the server or a proxy asks to try again later


class Connection:
    """Requests to a server, each repeated until it is answered or `patience` runs out."""

    def __init__(self, url: str, token: str | None, *, patience: float, connections: int = 8):
        self.url = url.rstrip("/")
        self._patience = patience
        headers = {"authorization": f"Bearer {token}"} if token else {}
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        timeout = httpx.Timeout(600.0, connect=10.0)
        self._client = httpx.Client(
            base_url=self.url, headers=headers, limits=limits, timeout=timeout
        )

    def call(
        self, method: str, path: str, content: Any = None, over: Callable[[], bool] | None = None
    ) -> Any:
        """The server's reply as plain JSON; `over` says when to stop waiting."""
        body = None if content is None else msgspec.json.encode(content)
        until, pause = time.monotonic() + self._patience, 0.05
        while True:
            try:
                reply = self._client.request(
                    method, path, content=body, headers={"content-type": "application/json"}
                )
                problem = f"it answered {reply.status_code}: {_detail(reply)}"
                if reply.status_code not in BUSY:
                    break
            except httpx.TransportError as error:
                problem = str(error) or type(error).__name__
            if time.monotonic() > until or (over is not None and over()):
                raise UserError(f"the gym at {self.url} cannot be used: {problem}")
            time.sleep(pause)
            pause = min(2 * pause, 2.0)
        if not reply.is_success:
            raise UserError(f"the gym at {self.url} refused the request: {_detail(reply)}")
        return msgspec.json.decode(reply.content) if reply.content else None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _detail(reply: httpx.Response) -> str:
    try:
        return str(msgspec.json.decode(reply.content)["detail"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return reply.text[:200] or reply.reason_phrase


class RemotePool(Pool):
    """The workers of `rlve serve`, with the interface of Pool.

    url          the server's URL, such as http://gym:8000
    token        the server's token, if it needs one
    connections  how many requests to have under way at once
    patience     how many seconds to keep trying while the server is unreachable or busy

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
        self.workers = int(self._connection.call("GET", "/health")["workers"])
        self._dispatcher = RemoteDispatcher(self._connection, connections, self.failures)
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


class RemoteDispatcher(Dispatcher):
    """Threads that send a pool's items to a server and settle the results."""

    def __init__(
        self, connection: Connection, connections: int, failures: Counter[FailureKind]
    ) -> None:
        super().__init__(connections, 1.0, None, failures)
        self._connection = connection
        self._news = threading.Condition(self.lock)
        self._threads: list[threading.Thread] = []

    def stop(self) -> None:
        """End the threads; the results of what they have sent are dropped."""
        self._over = self._over or UserError("the pool is closed")
        self._wake()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()
        with self.lock:
            for pending in (*self._queue, *self._background):
                pending.fail(self._over)

    def forget(self) -> None:
        """Nothing has to be released in a fork of the owner."""

    def _wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def _open(self) -> None:
        self._threads = [
            threading.Thread(target=self._send_on, name="rlve-remote", daemon=True)
            for _ in range(self._limit)
        ]
        self._thread = self._threads[0]
        for thread in self._threads:
            thread.start()

    def _send_on(self) -> None:
        while True:
            with self._news:
                while self._over is None and (chunk := self._next_chunk()) is None:
                    self._news.wait()
                if self._over is not None:
                    return
            pending, indices, items = chunk  # pyright: ignore[reportPossiblyUnboundVariable]
            try:
                results = self._ask(pending.operation, items, pending.options)
            except Exception as error:  # noqa: BLE001  raised again in the thread that waits
                with self.lock:
                    pending.fail(error)
                continue
            with self.lock:
                for index, result in zip(indices, results, strict=True):
                    if isinstance(result, Failure):
                        self._failures[result.kind] += 1
                    pending.settle(index, result)

    def _next_chunk(self) -> tuple[Pending[Any], list[int], list[Any]] | None:
        for queue in (self._queue, self._background):
            while queue:
                pending = queue[0]
                indices = self._indices(pending)
                if indices:
                    queue.rotate(-1)  # so that no thread waits for another's long batch
                    return pending, indices, [pending.items[i].content for i in indices]
                queue.popleft()
        return None

    def _indices(self, pending: Pending[Any]) -> list[int]:
        """As many as keep all connections busy without making a request too large."""
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
        if operation == "judge":
            wanted = {"items": _answered(items), "marker": options[0], "reading": options[1]}
            reply = self._call("/v1/verify", wanted)["verdicts"]
            return list(map(_verdict, reply))
        wanted = {"requests": [_wanted(r) for r in items], "reference": operation == "solve"}
        reply = self._call("/v1/generate", wanted)["problems"]
        problems = [
            attempt(_problem, r.environment, received)
            for r, received in zip(items, reply, strict=True)
        ]
        if operation == "generate":
            return problems
        return [
            problem if isinstance(problem, Failure) else (problem, received.get("reference"))
            for problem, received in zip(problems, reply, strict=True)
        ]

    def _call(self, path: str, content: Any) -> Any:
        return self._connection.call("POST", path, content, over=lambda: self._over is not None)


def _wanted(request: Request) -> dict[str, Any]:
    return {
        "environment": request.environment.__name__,
        "difficulty": request.difficulty,
        "seed": request.seed,
    }


def _answered(items: Sequence[tuple[Problem | Record, str]]) -> list[dict[str, Any]]:
    return [
        {
            **_sent(problem),
            # Half a surrogate pair cannot be sent as JSON, and is never part of an answer.
            "output": output.encode("utf-8", "replace").decode(),
        }
        for problem, output in items
    ]


def _sent(problem: Problem | Record) -> dict[str, Any]:
    if isinstance(problem, Record):
        return {"environment": problem.environment.__name__, "parameters": problem.parameters}
    return {"environment": type(problem).__name__, "parameters": problem.parameters()}


def _failure(received: dict[str, Any]) -> Failure | None:
    failure = received.get("failure")
    return None if failure is None else msgspec.convert(failure, Failure)


def _verdict(received: dict[str, Any]) -> Verdict | Failure:
    return _failure(received) or Verdict(
        received["reward"], received["correct"], received["well_formed"]
    )


def _problem(cls: Any, received: dict[str, Any]) -> Problem | Failure:
    return _failure(received) or cls.from_parameters(received["parameters"])


class RemoteCurriculum:
    """The curriculum of a session, with the interface of any other curriculum.

    Observations are sent at the end of a step, and before the state is requested.
    """

    def __init__(self, connection: Connection, wanted: dict[str, Any]) -> None:
        self._connection = connection
        self._observed: list[dict[str, Any]] = []
        received = connection.call("POST", "/v1/sessions", wanted)
        self.session = f"/v1/sessions/{received['id']}"
        self._bounds: dict[str, tuple[int, int]] = {}
        self._see(received["bounds"])

    @property
    def names(self) -> Sequence[str]:
        return tuple(self._bounds)

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
        received = self.post("step", {})
        self._see(received["bounds"])
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
        self._observed.clear()
        received = self._connection.call("PUT", f"{self.session}/state", {"state": state})
        self._see(received["bounds"])

    def post(self, what: str, content: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the session; if it has to be sent again, it still counts once."""
        keyed = content | {"key": token_hex(8)}
        return self._connection.call("POST", f"{self.session}/{what}", keyed)

    def _tell(self) -> None:
        if not self._observed:
            return
        groups, self._observed = self._observed, []
        self.post("report", {"groups": groups})

    def _see(self, bounds: dict[str, dict[str, int]]) -> None:
        self._bounds = {name: (ends["low"], ends["high"]) for name, ends in bounds.items()}


class RemoteStream:
    """Problems drawn from a curriculum on the server, with the interface of Stream.

    environments       names of environments and collections
    group              outputs per problem
    curriculum         settings of the curriculum
    max_prompt_length  in characters; problems with longer prompts are replaced
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
        self._connection = Connection(url, token, patience=patience)
        self._remote = RemoteCurriculum(self._connection, wanted)
        self.curriculum = self._remote
        self.position = 0
        self.redrawn: dict[str, dict[str, int]] = {}
        self.avoided: dict[str, list[int]] = {}

    def take(self, count: int) -> list[Item]:
        """The next problems, drawn from the curriculum as it stands now."""
        drawn = self._remote.post("draw", {"count": count})
        self.redrawn, self.avoided = drawn["redrawn"], drawn["avoided"]
        self.position = drawn["position"] + count
        return [
            Item(
                position=position,
                name=problem["environment"],
                difficulty=problem["difficulty"],
                seed=problem["seed"],
                problem=environment(problem["environment"]).from_parameters(problem["parameters"]),
            )
            for position, problem in enumerate(drawn["problems"], drawn["position"])
        ]

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
        self.position = session["position"]
        self.redrawn, self.avoided = session["redrawn"], session["avoided"]

    def close(self) -> None:
        """Delete the session on the server, and close the connection."""
        self._connection.call("DELETE", self._remote.session)
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
