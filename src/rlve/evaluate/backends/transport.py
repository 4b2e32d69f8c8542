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
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, cast

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


class Connection:
    """A server at a URL such as http://localhost:8000/v1.

    key          sent as a bearer token, if there is one
    concurrency  requests to send at the same time
    retries      how often to retry a request
    timeout      seconds allowed for the full answer to a request
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        concurrency: int,
        retries: int,
        timeout: float,
        notify: Notify,
    ) -> None:
        if not re.match(r"https?://[^/]", url):
            raise UserError(f"a URL must begin with http:// or https://, unlike {url!r}")
        check_limit("concurrency", concurrency, AtLeastOne)
        check_limit("retries", retries, AtLeastZero)
        check_limit("timeout", timeout, Positive)
        key = (key or "").strip()  # a key read from a file often ends with a line break
        if not (key.isascii() and key.isprintable()):  # the error must not repeat it
            raise UserError("the server's key has characters other than printable ASCII")
        self._httpx = _httpx()  # if it is missing, fail before any work
        self.url = url.rstrip("/")
        self.concurrency = concurrency
        self.retries = retries
        self.timeout = timeout
        self.notify = notify
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
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        check: Callable[[object], object] = lambda answer: None,
    ) -> dict[str, Any]:
        """The server's answer, after as many tries as needed and allowed.

        check   raises a ValueError for an answer that is none
        """
        if self._client is None:
            raise RuntimeError("the connection is not open")
        httpx = self._httpx
        began = monotonic()
        tries = 0
        while True:
            asked: float | None = None
            unreadable = False
            try:
                async with asyncio.timeout(self.timeout):  # of the whole, not only of each part
                    received = await _receive(self._client, method, self.url + path, body)
            except TimeoutError:
                trouble = f"no complete answer within {self.timeout:g} s"
            except (Unreadable, httpx.RequestError) as error:
                trouble = _describe(error)
                unreadable = isinstance(error, (Unreadable, httpx.DecodingError))
            except httpx.InvalidURL as error:
                raise UserError(f"{self.url} is not a URL: {error}") from None
            else:
                self._answered = True
                if received.status == 200:
                    answer = _parse(received.body, check)
                    if answer is not None:
                        return answer
                    trouble = f"an unexpected answer: {shorten(received.text)}"
                    unreadable = True
                elif received.status in (408, 429) or received.status >= 500:
                    trouble = f"{received.status} {_message(received)}".strip()
                    asked = _retry_after(received.retry_after)
                else:
                    raise Refused(received.status, path, _message(received))
            tries += 1
            allowed = self.retries if self._answered else min(self.retries, FIRST_CONTACT)
            if tries > allowed:
                times = f"{tries} times in {monotonic() - began:.0f} s" if tries > 1 else "once"
                kind = Unreadable if unreadable else BackendError
                raise kind(
                    f"no answer from {self.url}{path}, tried {times}; the last time: {trouble}"
                )
            back_off = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(tries - 1, 10))
            wait = back_off * self._jitter.uniform(0.5, 1.0)
            if asked is not None:
                wait = max(wait, min(asked, LONGEST_OBEYED))
            self._notice(f"{self.url}{path}: {trouble}; next try {tries + 1} of {allowed + 1}")
            await asyncio.sleep(wait)

    def _notice(self, text: str) -> None:
        """Give a notice, but not for each of many requests that have the same trouble."""
        if monotonic() - self._noticed > QUIET:
            self._noticed = monotonic()
            self.notify(text)


class Refused(Exception):
    """The server refuses this request, however often it is sent."""

    def __init__(self, status: int, path: str, message: str) -> None:
        super().__init__(status, path, message)
        self.status = status
        self.path = path
        self.message = message

    def is_about(self, words: re.Pattern[str]) -> bool:
        """Whether the request itself is refused, with one of these words."""
        return self.status in (400, 413, 422) and words.search(self.message) is not None


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise UserError("asking a server needs httpx: pip install 'rlve[client]'") from None
    return httpx


def _describe(error: Exception) -> str:
    """For example "ConnectError: All connection attempts failed"."""
    name, text = type(error).__name__, shorten(str(error))
    if isinstance(error, Unreadable):  # ours, whose texts are enough
        return text
    return f"{name}: {text}" if text else name


class Unreadable(Exception):
    """The server has answered, but its answer cannot be read."""


class Received(NamedTuple):
    """A server's answer."""

    status: int
    body: bytes
    retry_after: str | None

    @property
    def text(self) -> str:
        return self.body[: 4 * LONGEST_MESSAGE].decode("utf-8", "replace")


async def _receive(
    client: "AsyncClient", method: str, url: str, body: dict[str, Any] | None
) -> Received:
    """Send a request, and receive the answer up to a limit."""
    # ASCII, since a text may hold half a surrogate pair, which UTF-8 cannot.
    content = None if body is None else json.dumps(body).encode("ascii")
    headers = {} if body is None else {"Content-Type": "application/json"}
    response: Response
    async with client.stream(method, url, content=content, headers=headers) as response:
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding.lower() != "identity":
            raise Unreadable(f"a compressed answer ({shorten(encoding)}), although not asked")
        answer = bytearray()
        async for part in response.aiter_raw():
            answer += part
            if len(answer) > LARGEST_ANSWER:
                raise Unreadable(f"an answer of more than {LARGEST_ANSWER:,} bytes")
        return Received(response.status_code, bytes(answer), response.headers.get("Retry-After"))


def _message(received: Received) -> str:
    """The server's message, which servers put in different places."""
    try:
        body: Any = json.loads(received.body)
    except (ValueError, RecursionError):
        return shorten(received.text)
    for key in ("error", "message", "detail"):
        if isinstance(body, dict) and key in body:
            body = cast(dict[str, Any], body)[key]
    return shorten(body if isinstance(body, str) else json.dumps(body))


def shorten(text: str) -> str:
    """A server's message as one line of plain characters, which cannot control a terminal."""
    text = " ".join(text[: 4 * LONGEST_MESSAGE].split())
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + " ..."


def _retry_after(value: str | None) -> float | None:
    """Seconds, from seconds or a date."""
    if value is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError, OverflowError):
        date = parsedate_to_datetime(value)
        if date.tzinfo is not None:
            return max(0.0, (date - datetime.now(UTC)).total_seconds())
    return None


def _parse(body: bytes, check: Callable[[object], object]) -> dict[str, Any] | None:
    """The body, if it is an answer to the request."""
    try:
        answer: object = json.loads(body)
        check(answer)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None
    return cast(dict[str, Any], answer) if isinstance(answer, dict) else None
