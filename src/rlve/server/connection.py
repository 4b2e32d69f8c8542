"""Requests to `rlve serve`, each repeated until it is answered."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated, Any, Final
from weakref import WeakValueDictionary

import httpx
import msgspec

from rlve.errors import UserError

BUSY: Final = frozenset({429, 502, 503, 504})  # the server or a proxy asks to try again later
ENVELOPE: Final = 256  # bytes of a request besides its items, at most


class Health(msgspec.Struct, frozen=True):
    """What a server says about itself."""

    workers: int
    batch: Annotated[int, msgspec.Meta(ge=1)]  # most items in a request
    body: int  # most bytes in a request


class Refused(UserError):
    """The server has answered, but does not do what was requested."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Connection:
    """Requests to a server, each repeated until it is answered.

    A request is sent at least twice, and again until it has failed for `patience` seconds; how
    long the server worked on it before it first failed does not count.
    """

    def __init__(self, url: str, token: str | None, *, patience: float, connections: int = 8):
        self.url = url.rstrip("/")
        self._patience = patience
        self._owner = os.getpid()
        self._aborted = False
        self._lock = threading.Lock()
        self._failing = 0  # requests that are being repeated
        self._since = 0.0  # when the first of them failed
        self._lost = 0.0  # seconds, before that
        self._sockets = WeakValueDictionary[int, socket.socket]()  # by id
        headers = {"authorization": f"Bearer {token}"} if token else {}
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        timeout = httpx.Timeout(600.0, connect=10.0)
        self._client = httpx.Client(
            base_url=self.url, headers=headers, limits=limits, timeout=timeout
        )

    def call(
        self, method: str, path: str, content: Any = None, *, patience: float | None = None
    ) -> Any:
        """The server's reply as plain JSON."""
        body = None if content is None else msgspec.json.encode(content)
        patience = self._patience if patience is None else patience
        with ExitStack() as outage:
            reply = self._request(method, path, body, patience, outage)
        if not reply.is_success:
            refusal = f"the gym at {self.url} refused the request: {_detail(reply)}"
            raise Refused(refusal, reply.status_code)
        try:
            return msgspec.json.decode(reply.content) if reply.content else None
        except msgspec.DecodeError as error:
            raise UserError(f"{self.url} does not answer like a gym: {error}") from None

    def _request(
        self, method: str, path: str, body: bytes | None, patience: float, outage: ExitStack
    ) -> httpx.Response:
        until, pause = None, 0.05
        while True:
            try:
                reply = self._client.request(
                    method,
                    path,
                    content=body,
                    headers={"content-type": "application/json"},
                    extensions={"trace": self._watch},
                )
                if reply.status_code not in BUSY:
                    return reply
                problem = f"it answered {reply.status_code}: {_detail(reply)}"
            except httpx.TransportError as error:
                problem = str(error) or type(error).__name__
            now = time.monotonic()
            if self._aborted or (until is not None and now > until):
                raise UserError(f"the gym at {self.url} cannot be used: {problem}")
            if until is None:
                until = now + patience
                outage.enter_context(self._outage())
            time.sleep(pause)
            pause = min(2 * pause, 2.0)

    def clock(self) -> float:
        """Seconds on a clock that stands still while any request is being repeated."""
        with self._lock:
            return (self._since if self._failing else time.monotonic()) - self._lost

    @contextmanager
    def _outage(self) -> Generator[None]:
        """While the block runs, a request is being repeated."""
        with self._lock:
            self._since = self._since if self._failing else time.monotonic()
            self._failing += 1
        try:
            yield
        finally:
            with self._lock:
                self._failing -= 1
                self._lost += 0.0 if self._failing else time.monotonic() - self._since

    def health(self) -> Health:
        """The server's workers and limits."""
        try:
            return msgspec.convert(self.call("GET", "/health"), Health)
        except msgspec.ValidationError as error:
            raise UserError(f"{self.url} does not answer like a gym: {error}") from None

    def abort(self) -> None:
        """Make all requests fail now. Takes no lock: a finalizer may run at any point."""
        self._aborted = True
        for reference in self._sockets.valuerefs():
            if (found := reference()) is not None:
                _shut(found)

    def close(self) -> None:
        """Close the connections; in a fork of the owner they are left to it."""
        if os.getpid() == self._owner:
            self._client.close()

    @property
    def closed(self) -> bool:
        """Whether nothing more can be sent."""
        return self._client.is_closed

    def _watch(self, event: str, info: dict[str, Any]) -> None:
        """Remember the socket of a new connection: to close a client does not end its reads."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            opened: socket.socket = info["return_value"].get_extra_info("socket")
            self._sockets[id(opened)] = opened
            if self._aborted:
                _shut(opened)


def in_requests(items: Iterable[Any], health: Health) -> Iterator[list[msgspec.Raw]]:
    """The items, as JSON, in portions that a request to the server may have.

    An item that is too large is a portion of its own, which the server refuses in its own words.
    """
    portion: list[msgspec.Raw] = []
    size = ENVELOPE
    for item in items:
        encoded = msgspec.json.encode(item)
        grown = size + len(encoded) + 1
        if portion and (len(portion) == health.batch or grown > health.body):
            yield portion
            portion, grown = [], ENVELOPE + len(encoded) + 1
        portion.append(msgspec.Raw(encoded))
        size = grown
    if portion:
        yield portion


def _shut(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already
        # Not the method of an SSLSocket, which also takes its TLS from the thread that reads.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


def _detail(reply: httpx.Response) -> str:
    try:
        return str(msgspec.json.decode(reply.content)["detail"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return reply.text[:200] or reply.reason_phrase
