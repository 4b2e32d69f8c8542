"""Starting a server, and stopping it without losing what it is working on."""

import contextlib
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import uvicorn

from rlve.errors import UserError
from rlve.server.guard import LOCAL

TOKEN = "RLVE_TOKEN"  # noqa: S105  the name of a variable
GRACE: Final = 30  # seconds that requests have to finish when the server stops


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
    listener.listen()
    return listener


def address(listener: socket.socket) -> str:
    """The URL for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def create_server(app: Any) -> uvicorn.Server:
    """A server that finishes its work when it is stopped."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_level="error",  # below that are faults of clients, who could fill the log
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config)


def listen(app: Any, listener: socket.socket, ready: Callable[[], object]) -> None:
    """Serve until the process is asked to stop; from the start, clients can connect."""
    # After the last request uvicorn raises the signal again: treat it as a normal end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        ready()
        create_server(app).run([listener])
