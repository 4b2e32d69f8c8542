"""Starting a server, and stopping it without losing what it is working on.

Connections are few, and anybody may open them. One that waits for its client is closed after a
while, and at once if there is no room for another: those that have waited longest go first.
"""

import asyncio
import contextlib
import errno
import logging
import os
import resource
import signal
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from rlve.errors import UserError
from rlve.server.guard import LOCAL, READING

TOKEN = "RLVE_TOKEN"  # noqa: S105  the name of a variable
GRACE = 30  # seconds that requests have to finish when the server stops
CONNECTIONS: Final = 1024  # at once, if there may be so many open files
SPARE_FILES: Final = 128  # for workers, and for connections that are being closed
BACKLOG: Final = 1024  # connections that the system keeps until they are accepted
ACCEPTED: Final = 16  # connections accepted at once: there may be as many too many
HEAD_SECONDS: Final = 10.0  # for the head of a request to arrive, or some of a reply to be read
QUIET_SECONDS: Final = 60.0  # between two lines of the log about connections that were not accepted

_log = logging.getLogger(__name__)


def token_for(host: str, file: Path | None) -> str | None:
    """The server's token; one is required if other machines can reach the server."""
    token = os.environ.get(TOKEN, "")
    if file is not None:
        try:
            token = file.read_text(encoding="ascii")
        except (OSError, UnicodeError) as error:
            raise UserError(f"cannot read a token from {file}: {error}") from error
    token = token.strip()
    if not token and host not in LOCAL:
        raise UserError(
            f"other machines can reach {host}: set a token with {TOKEN} or --token-file, for "
            "clients to send"
        )
    if token and (len(token) < 16 or not token.isascii() or not token.isprintable()):
        raise UserError("a token must have at least 16 printable ASCII characters")
    return token or None


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 means any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only if the protocol is named as TCP does asyncio send small replies without a 40 ms delay.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise UserError(
            f"cannot listen on {host}:{port}: {error}; choose another port with --port"
        ) from error
    listener.listen(BACKLOG)
    return listener


def address(listener: socket.socket) -> str:
    """The URL for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def most_connections() -> int:
    """How many connections there may be at once; the limit of open files is raised for them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/dev/fd"))
    wanted = CONNECTIONS + SPARE_FILES + opened
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(ACCEPTED, soft - opened - SPARE_FILES)
    return CONNECTIONS


class ClientConnection(H11Protocol):
    """A connection that makes room for others while it waits for its client."""

    def __init__(self, most: int, **parts: Any) -> None:
        super().__init__(**parts)
        self._served = cast(ASGIApp, self.app)
        self.app = cast(Any, self._answer)
        self._most = most
        self._since: float | None = None  # when it began to wait for its client
        self._deadline: asyncio.TimerHandle | None = None
        self._unread = 0  # bytes of a reply

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._wait(HEAD_SECONDS)
        others = cast("set[ClientConnection]", self.connections)
        if len(others) > self._most:
            longest = min(others, key=lambda other: other._since or self.loop.time())
            longest._drop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def arriving() -> Message:
            message = await receive()
            if not message.get("more_body", False):
                self._arrived()
            return message

        if scope["method"] in READING:
            self._arrived()
        else:
            self._wait(None)  # the guard has the deadline for bodies
        request = self.cycle
        try:
            await self._served(scope, arriving, send)
        finally:
            if self.cycle is request:  # otherwise the next has arrived already
                self._wait(HEAD_SECONDS)

    def _wait(self, seconds: float | None) -> None:
        """Wait for the client: for the rest of a request, for the next, or to read the reply."""
        self._arrived()
        self._since = self.loop.time()
        self._unread = self.transport.get_write_buffer_size()
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self._give_up)

    def _arrived(self) -> None:
        self._since = None
        if self._deadline is not None:
            self._deadline.cancel()

    def _give_up(self) -> None:
        if self.transport.get_write_buffer_size() < self._unread:
            self._wait(HEAD_SECONDS)  # it still reads
        else:
            self._drop()

    def _drop(self) -> None:
        self._arrived()  # nobody else need make it go
        self.transport.abort()


class Server(uvicorn.Server):
    """A server that says when it is ready, and finishes its work after Ctrl-C or SIGTERM."""

    def __init__(self, app: Any, ready: Callable[[], object] = lambda: None) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=cast("type[asyncio.Protocol]", partial(ClientConnection, most_connections())),
                ws="none",
                backlog=ACCEPTED,
                log_level="error",  # below that are faults of clients, who could fill the log
                access_log=False,
                server_header=False,
                lifespan="on",
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._ready = ready
        self._complained = -QUIET_SECONDS  # when connections could not be accepted

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(self._complain)
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # uvicorn has set it to what is accepted at once
        if self.started:
            self._ready()

    def _complain(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log an error of the event loop; if no connection can be accepted, not each time."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
        elif loop.time() >= self._complained + QUIET_SECONDS:
            self._complained = loop.time()
            _log.warning("connections wait, since too many files are open: %s", error.strerror)


def listen(app: Any, listener: socket.socket, ready: Callable[[], object]) -> None:
    """Serve until the process is asked to stop."""
    # After the last request uvicorn raises the signal again: treat it as a normal end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        Server(app, ready).run([listener])
