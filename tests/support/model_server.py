"""A server of OpenAI's protocol that answers as a test wants it to, and misbehaves on demand."""

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Reply(NamedTuple):
    """What the model says, or how the server fails to say it."""

    text: str = "four"
    finish: str | None = "stop"
    status: int = 200
    message: Any = None  # the body of an error, or text that is no JSON
    headers: tuple[tuple[str, str], ...] = ()
    drop: bool = False  # hang up instead
    drip: bool = False  # send a byte now and then, for ever
    prompt_tokens: int = 7  # that the server counts


def said(body: dict[str, Any]) -> str:
    """The prompt of a request, in whichever form it came."""
    return body["prompt"] if "prompt" in body else body["messages"][-1]["content"]


class ModelServer:
    """answer    a request's body -> what it is replied
    troubles  replies that the next generations get instead, whatever they ask
    """

    def __init__(
        self, answer: Callable[[dict[str, Any]], Reply] = lambda body: Reply(), **model: Any
    ) -> None:
        self.answer = answer
        self.models: list[dict[str, Any]] | Reply = [{"id": "tiny", **model}]
        self.troubles: deque[Reply] = deque()
        self.requests: list[tuple[str, dict[str, Any]]] = []  # path and body of generations
        self.headers: list[dict[str, str]] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self.port = 0
        self.server: ThreadingHTTPServer | None = None
        self.connections: set[socket.socket] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> "ModelServer":
        """Listen; after a stop, where it listened before."""
        owner = self

        class Handler(_Handler):
            model_server = owner

        self.server = _Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()
        return self

    def stop(self) -> None:
        """Die: whoever waits for an answer is hung up on."""
        if self.server is None:
            return
        server, self.server = self.server, None
        server.shutdown()
        server.server_close()
        with self.lock:
            for connection in self.connections:
                _hang_up(connection)
            self.connections.clear()

    def __enter__(self) -> "ModelServer":
        return self.start()

    def __exit__(self, *rest: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model_server: ModelServer

    def setup(self) -> None:
        super().setup()
        with self.model_server.lock:
            self.model_server.connections.add(self.connection)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        models = self.model_server.models
        if isinstance(models, Reply):
            self.fail(models)
        else:
            self.send(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        owner = self.model_server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with owner.lock:
            owner.requests.append((self.path, body))
            owner.headers.append(dict(self.headers))
            owner.at_once += 1
            owner.most_at_once = max(owner.most_at_once, owner.at_once)
            trouble = owner.troubles.popleft() if owner.troubles else None
        try:
            reply = trouble or owner.answer(body)
        finally:
            with owner.lock:
                owner.at_once -= 1
        if reply.drop:
            self.close_connection = True
            _hang_up(self.connection)
        elif reply.drip:
            self.close_connection = True
            self.drip()
        elif reply.status != 200 or reply.message is not None:
            self.fail(reply)
        else:
            choice: dict[str, Any] = {"index": 0, "finish_reason": reply.finish}
            if "messages" in body:
                choice["message"] = {"role": "assistant", "content": reply.text}
            else:
                choice["text"] = reply.text
            words = len(reply.text.split())
            usage = {
                "prompt_tokens": reply.prompt_tokens,
                "completion_tokens": words,
                "total_tokens": reply.prompt_tokens + words,
            }
            about = {"id": "reply", "object": "chat.completion", "created": 0, "model": "tiny"}
            self.send(200, about | {"choices": [choice], "usage": usage})

    def drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        with suppress(OSError):  # until the other side has had enough
            while True:
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.05)

    def fail(self, reply: Reply) -> None:
        body = reply.message if isinstance(reply.message, str) else {"error": reply.message}
        self.send(reply.status, body, reply.headers)

    def send(self, status: int, body: Any, headers: tuple[tuple[str, str], ...] = ()) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # the other side was faster
        connection.shutdown(socket.SHUT_RDWR)
