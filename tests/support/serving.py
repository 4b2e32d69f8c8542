"""A server in a thread of the test, on a port of its own."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from rlve.server.listener import Server, address, open_socket


@contextmanager
def serving(app: Any) -> Generator[str]:
    """The URL under which the app is served while the block runs."""
    ready = threading.Event()
    listener = open_socket("127.0.0.1", 0)
    server = Server(app, ready.set)
    thread = threading.Thread(target=server.run, args=[[listener]], daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield address(listener)
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
