"""The checks every request must pass before it reaches an app.

Host      another site can point its own name at 127.0.0.1 (DNS rebinding), but a browser then
          sends that name; only names of this machine are accepted
Origin    another site can post a form here, but a browser then says where the form comes from
token     if one is set, a request without it learns nothing
size      a body over the limit is refused
crowd     if too many requests are under way, the next is asked to try again later
"""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from secrets import compare_digest
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
PATIENCE: Final = 8  # how many times the limit to read of a body that is too large
# Nothing loaded from other hosts, no inline scripts, no frames.
HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


@dataclass(frozen=True)
class Limits:
    """How much one server accepts."""

    body: int = 32 * 2**20
    """Largest request, in bytes."""
    batch: int = 4096
    """Most problems, outputs or groups in one request."""
    concurrency: int = 64
    """Most requests at once; the next is asked to try again later (429)."""
    sessions: int = 64
    """Most curricula kept at once."""


class Guard:
    """An ASGI app that passes on to another only the requests that may pass."""

    def __init__(
        self,
        app: App,
        *,
        hosts: Iterable[str] | None = LOCAL,
        token: str | None = None,
        limits: Limits = Limits(),  # noqa: B008  frozen
        open_paths: Iterable[str] = (),
    ) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)  # None: any, if a token is set
        self._token = token
        self._limits = limits
        self._open_paths = frozenset(open_paths)
        self.in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {key.lower(): value for key, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        if self.in_flight >= self._limits.concurrency and scope["path"] not in self._open_paths:
            await _answer(
                send,
                429,
                f"{self._limits.concurrency} requests are already under way; try again",
                (b"retry-after", b"1"),
            )
            return
        self.in_flight += 1
        try:
            body = b"" if scope["method"] in READING else await self._body(headers, receive)
            if body is None:
                await _answer(send, 413, f"a request may have at most {self._limits.body:,} bytes")
                return
            await self._app(scope, _replaying(body, receive), _with_headers(send))
        finally:
            self.in_flight -= 1

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        host = headers.get(b"host", b"").decode("latin-1")
        if self._hosts is not None and _name(host) not in self._hosts:
            return 421, "this server only answers to the names of its own machine"
        if scope["method"] not in READING:
            origin = headers.get(b"origin")
            site = headers.get(b"sec-fetch-site", b"none")
            elsewhere = origin is not None and urlsplit(origin.decode("latin-1")).netloc != host
            if elsewhere or site not in (b"none", b"same-origin"):
                return 403, "this request was sent by a page of another site"
        if self._token is not None and scope["path"] not in self._open_paths:
            given = headers.get(b"authorization", b"")
            if not compare_digest(given, b"Bearer " + self._token.encode()):
                return 401, "this server needs its token: Authorization: Bearer TOKEN"
        return None

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
        """The body, or None if it is too large.

        More of a body that is too large is read and thrown away, since a client that is still
        sending does not see the answer.
        """
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit():
            return None
        fits = int(declared[:20]) <= self._limits.body
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            part = message.get("body", b"")
            size += len(part)
            fits = fits and size <= self._limits.body
            if fits:
                parts.append(part)
            over = message["type"] != "http.request" or not message.get("more_body", False)
            if over or size > PATIENCE * self._limits.body:
                return b"".join(parts) if fits else None


def _name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _replaying(body: bytes, receive: Receive) -> Receive:
    """The body that was already read, then whatever comes next."""
    read = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return sending


async def _answer(send: Send, status: int, detail: str, *headers: tuple[bytes, bytes]) -> None:
    body = json.dumps({"detail": detail}).encode()
    kind = (b"content-type", b"application/json")
    length = (b"content-length", str(len(body)).encode())
    # The rest of a refused body is not read, so the connection cannot be used again.
    closing = (b"connection", b"close")
    start = {"type": "http.response.start", "status": status}
    await send(start | {"headers": [kind, length, closing, *headers, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
