"""Requests to a server over HTTP, retried for as long as that can help.

    retried         no connection or a broken one, 408, 429, 5xx, an unreadable answer
    fatal at once   everything else, such as 401 (key) and 404 (model, URL)

Between two tries a request waits 1, 2, 4, ... up to 60 seconds, minus up to half of that at random,
or as long as the server's Retry-After asks for, so it survives a restart of the server.

The server is not trusted. Its answers are bounded in time and size, never decompressed, and
stripped of control characters before they are shown to anybody.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import msgspec

from rlve.errors import UserError
from rlve.evaluate.backends import BackendError, Notify
from rlve.foundation.limits import AtLeastOne, AtLeastZero, Positive, check_limit

if TYPE_CHECKING:
    from httpx import AsyncClient, Response

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between two tries
LONGEST_OBEYED = 600.0  # the longest Retry-After to obey, in seconds
FIRST_CONTACT = 3  # retries if the server has never answered: its URL may be mistyped
CONNECTING = 10.0  # seconds
QUIET = 10.0  # seconds between two warnings
LONGEST_MESSAGE = 500  # characters of a server's message
LARGEST_ANSWER = 32 * 2**20  # bytes; the longest outputs have a tenth of that

T = TypeVar("T")


@dataclass(eq=False)
class Connection:
    """A server at a URL such as http://localhost:8000/v1."""

    url: str
    _: KW_ONLY
    key: str | None = field(default=None, repr=False)  # sent as a bearer token, if there is one
    concurrency: int = 64  # requests to send at the same time
    retries: int = 10  # of a request
    timeout: float = 3600.0  # seconds allowed for the full answer to a request
    notify: Notify = lambda text: None

    def __post_init__(self) -> None:
        if not re.match(r"https?://[^/]", self.url):
            raise UserError(f"a URL must begin with http:// or https://, unlike {self.url!r}")
        check_limit("concurrency", self.concurrency, AtLeastOne)
        check_limit("retries", self.retries, AtLeastZero)
        check_limit("timeout", self.timeout, Positive)
        key = (self.key or "").strip()  # a key read from a file often ends with a line break
        if not (key.isascii() and key.isprintable()):  # the error must not repeat it
            raise UserError("the server's key has characters other than printable ASCII")
        self._httpx = _httpx()  # if it is missing, fail before any work
        self.url = self.url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._jitter = Random()
        self._noticed = float("-inf")
        self._client: AsyncClient | None = None
        self._answered = False  # whether the server has ever answered

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Allow requests."""
        client: AsyncClient
        async with self._httpx.AsyncClient(
            # A compressed answer could be a thousand times larger than what arrives.
            headers={"Accept-Encoding": "identity", **self._headers},
            timeout=self._httpx.Timeout(self.timeout, connect=CONNECTING),
            limits=self._httpx.Limits(
                max_connections=self.concurrency, max_keepalive_connections=self.concurrency
            ),
        ) as client:
            self._client = client
            yield

    async def send(
        self, method: str, path: str, kind: type[T], body: dict[str, Any] | None = None
    ) -> T:
        """The server's answer, of this kind, after as many tries as needed and allowed."""
        if self._client is None:
            raise RuntimeError("the connection is not open")
        httpx = self._httpx
        began = monotonic()
        tries = 0
        while True:
            asked = 0.0
            error: type[BackendError] = BackendError
            try:
                async with asyncio.timeout(self.timeout):  # of the whole, not only of each part
                    received = await _receive(self._client, method, self.url + path, body)
            except TimeoutError:
                trouble = f"no complete answer within {self.timeout:g} s"
            except httpx.RequestError as caught:
                trouble = f"{type(caught).__name__}: {shorten(str(caught))}".removesuffix(": ")
            except httpx.InvalidURL as caught:
                raise UserError(f"{self.url} is not a URL: {caught}") from None
            else:
                self._answered = True
                if received.status == 200:
                    try:
                        return _read(received.body, kind)
                    except ValueError as caught:
                        trouble, error = str(caught), Unreadable
                elif received.status in (408, 429) or received.status >= 500:
                    trouble = f"{received.status} {_message(received.body)}".strip()
                    asked = received.retry_after
                else:
                    raise Refused(received.status, path, _message(received.body))
            tries += 1
            allowed = self.retries if self._answered else min(self.retries, FIRST_CONTACT)
            if tries > allowed:
                times = f"{tries} times in {monotonic() - began:.0f} s" if tries > 1 else "once"
                raise error(
                    f"no answer from {self.url}{path}, tried {times}; the last time: {trouble}"
                )
            back_off = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(tries - 1, 10))
            wait = max(back_off * self._jitter.uniform(0.5, 1.0), min(asked, LONGEST_OBEYED))
            self._notice(f"{self.url}{path}: {trouble}; next try {tries + 1} of {allowed + 1}")
            await asyncio.sleep(wait)

    def _notice(self, text: str) -> None:
        """Give a notice, but not for each of many requests that have the same trouble."""
        if monotonic() - self._noticed > QUIET:
            self._noticed = monotonic()
            self.notify(text)


class Unreadable(BackendError):
    """The server answers, but its answers to this request cannot be read."""


class Refused(Exception):
    """The server refuses this request, however often it is sent."""

    def __init__(self, status: int, path: str, message: str) -> None:
        super().__init__(status, path, message)
        self.status = status
        self.path = path
        self.message = message


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise UserError("asking a server needs httpx: pip install 'rlve[client]'") from None
    return httpx


class Received(NamedTuple):
    """A server's answer; its body may be cut off after LARGEST_ANSWER."""

    status: int
    body: bytes
    retry_after: float  # seconds


async def _receive(
    client: "AsyncClient", method: str, url: str, body: dict[str, Any] | None
) -> Received:
    """Send a request, and receive the answer up to a limit."""
    # ASCII, since a text may hold half a surrogate pair, which UTF-8 cannot.
    content = None if body is None else json.dumps(body).encode("ascii")
    headers = {} if body is None else {"Content-Type": "application/json"}
    response: Response
    async with client.stream(method, url, content=content, headers=headers) as response:
        answer = bytearray()
        async for part in response.aiter_raw():
            answer += part
            if len(answer) > LARGEST_ANSWER:
                break
        wait = 0.0
        with suppress(ValueError):  # it may also be a date
            wait = float(response.headers.get("Retry-After", 0))
        return Received(response.status_code, bytes(answer), wait)


def _read(body: bytes, kind: type[T]) -> T:
    """The answer, if it is one; otherwise a ValueError says what it is."""
    if len(body) > LARGEST_ANSWER:
        raise ValueError(f"an answer of more than {LARGEST_ANSWER:,} bytes")
    try:
        # Not msgspec alone: a text may hold half a surrogate pair.
        return msgspec.convert(json.loads(body), kind)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        raise ValueError(f"an unexpected answer: {_text(body)}") from None


def _message(body: bytes) -> str:
    """The server's message, which servers put in different places."""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return _text(body)
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = cast(dict[str, Any], found)[key]
    return shorten(found if isinstance(found, str) else json.dumps(found))


def _text(body: bytes) -> str:
    return shorten(body[: 4 * LONGEST_MESSAGE].decode("utf-8", "replace"))


def shorten(text: str) -> str:
    """A server's message as one line of plain characters, which cannot control a terminal."""
    text = " ".join(text[: 4 * LONGEST_MESSAGE].split())
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + " ..."
