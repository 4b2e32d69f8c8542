"""A server in a thread of the test, on a port of its own."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from rlve.server.listener import address, create_server, open_socket


@contextmanager
def serving(app: Any) -> Generator[str]:
    """The URL under which the app is served while the block runs."""
    listener = open_socket("127.0.0.1", 0)
    server = create_server(app)
    thread = threading.Thread(target=server.run, args=[[listener]], daemon=True)
    thread.start()
    try:
        yield address(listener)
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
