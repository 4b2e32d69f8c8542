"""Starting a server, and stopping it without losing what it is working on."""

import contextlib
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn

from rlve.errors import UserError
from rlve.server.guard import LOCAL

TOKEN = "RLVE_TOKEN"  # noqa: S105  the name of a variable
GRACE = 30  # seconds that requests have to end when the server stops


def token_for(host: str, file: Path | None) -> str | None:
    """The token that the server wants; one is needed wherever others can reach it."""
    token = os.environ.get(TOKEN, "")
    if file is not None:
        try:
            token = file.read_text(encoding="ascii")
        except (OSError, UnicodeError) as error:
            raise UserError(f"cannot read a token from {file}: {error}") from error
    token = token.strip()
    if not token and host not in LOCAL:
        raise UserError(
            f"others can reach {host}: put a token into {TOKEN} or --token-file, which clients "
            "then send"
        )
    if token and (len(token) < 16 or not token.isascii() or not token.isprintable()):
        raise UserError("a token is at least 16 printable ASCII characters")
    return token or None


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, which is how asyncio knows that it must not hold back small replies for 40 ms.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except (OSError, OverflowError) as error:
        found.close()
        raise UserError(
            f"cannot listen at {host}:{port}: {error}; --port chooses another"
        ) from error
    found.listen(1024)
    return found


def address(listener: socket.socket) -> str:
    """The URL under which a browser of this machine finds it."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


class Server(uvicorn.Server):
    """A server that says when it is ready, and ends on Ctrl-C or SIGTERM when its work is done."""

    def __init__(self, app: Any, ready: Callable[[], object] = lambda: None) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                lifespan="on",
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def listen(app: Any, listener: socket.socket, ready: Callable[[], object]) -> None:
    """Serve until the process is asked to stop."""
    # When all requests have ended uvicorn passes the signal on: that is no more than an end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        Server(app, ready).run([listener])
