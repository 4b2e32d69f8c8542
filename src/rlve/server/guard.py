"""The checks every request must pass before it reaches an app.

Host      another site can point its own name at 127.0.0.1 (DNS rebinding), but a browser then
          sends that name; only names of this machine are accepted
Origin    another site can post a form here, but a browser then says where the form comes from
token     if one is set, a request without it learns nothing
crowd     if too many requests are under way, the next is asked to try again later
size      a body over the limit is refused; open paths have none
"""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from secrets import compare_digest
from typing import Final
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlve.foundation.limits import AtLeastOne

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

    body: AtLeastOne = 32 * 2**20
    """Largest request, in bytes."""
    batch: AtLeastOne = 4096
    """Most problems, outputs or conversations in one request."""
    concurrency: AtLeastOne = 64
    """Most requests at once; the next is asked to try again later (429)."""


class Guard:
    """An ASGI app that passes on to another only the requests that may pass."""

    def __init__(
        self,
        app: ASGIApp,
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
        headers = dict(scope["headers"])
        try:
            self._check(scope, headers)
            self.in_flight += 1
            try:
                if scope["method"] not in READING:
                    receive = _replay(await self._body(headers, receive), receive)
                await self._app(scope, receive, _with_headers(send))
            finally:
                self.in_flight -= 1
        except Refusal as refusal:
            await _answer(refusal)(scope, receive, send)

    def _check(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Raise a Refusal of a request that may not pass, whatever its body."""
        host = headers.get(b"host", b"").decode("latin-1")
        if self._hosts is not None and _name(host) not in self._hosts:
            raise Refusal(421, "this server only answers to the names of its own machine")
        is_open = scope["path"] in self._open_paths
        if scope["method"] not in READING:
            site = headers.get(b"sec-fetch-site", b"none")
            if not _is_own(headers.get(b"origin"), host) or site not in (b"none", b"same-origin"):
                raise Refusal(403, "this request was sent by a page of another site")
            if is_open:
                raise Refusal(405, "this path can only be read")
        if self._token is not None and not is_open:
            given = headers.get(b"authorization", b"")
            if not compare_digest(given, b"Bearer " + self._token.encode()):
                raise Refusal(401, "this server needs its token: Authorization: Bearer TOKEN")
        most = self._limits.concurrency
        if self.in_flight >= most and not is_open:
            raise Refusal(429, f"{most} requests are already under way; try again")

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        """The body; a Refusal if it is too large.

        More of a body that is too large is read and thrown away, since a client that is still
        sending does not see the answer.
        """
        most = self._limits.body
        declared = headers.get(b"content-length", b"0")
        fits = declared.isdigit() and int(declared[:20]) <= most
        body = bytearray()
        size = 0
        more = True
        while more and size <= PATIENCE * most:
            message = await receive()
            if message["type"] != "http.request":
                raise Refusal(400, "the request broke off")
            part = message.get("body", b"")
            size += len(part)
            fits = fits and size <= most
            if fits:
                body += part
            more = message.get("more_body", False)
        if not fits:
            raise Refusal(413, f"a request may have at most {most:,} bytes")
        return bytes(body)


class Refusal(Exception):
    """The answer to a request that may not pass."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?", re.ASCII)


def _name(host: str) -> str | None:
    """A Host header without its port; None if it names no host."""
    found = _HOST.fullmatch(host.lower())
    return found and (found[1] or found[2])


def _is_own(origin: bytes | None, host: str) -> bool:
    """Whether a request comes from no page, or from a page of this server."""
    if origin is None:
        return True
    with contextlib.suppress(ValueError):  # it is no origin
        return urlsplit(origin.decode("latin-1")).netloc == host
    return False


def _replay(body: bytes, receive: Receive) -> Receive:
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


def _answer(refusal: Refusal) -> JSONResponse:
    # The rest of a refused body is not read, so the connection cannot be used again.
    later = {"retry-after": "1"} if refusal.status == 429 else {}
    headers = {"connection": "close"} | later
    answer = JSONResponse({"detail": str(refusal)}, refusal.status, headers)
    answer.raw_headers.extend(HEADERS)
    return answer
