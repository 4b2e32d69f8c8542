"""Outputs from a server that speaks OpenAI's protocol: vLLM, SGLang, llama.cpp, a hosted model.

Messages go to /chat/completions and text to /completions, one request per sample, many at a time. A
request that fails is retried:

    retried         no connection or a broken one, 408, 429, 5xx, an unreadable answer
    fatal at once   everything else, such as 401 (key) and 404 (model, URL)

Between two tries a request waits 1, 2, 4, ... up to 60 seconds, minus up to half of that at random,
or as long as the server's Retry-After asks for, so it survives a restart of the server. When the
retries run out, the evaluation ends, and outputs that have arrived are kept. But if the server has
answered other requests, and only its answers to this one are unreadable, the output counts as one
that never arrived.

The server is not trusted. Its answers are bounded in time and size, never decompressed, checked
field by field, and stripped of control characters before they are shown to anybody.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from queue import SimpleQueue
from random import Random
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import msgspec

from rlve.datasets.outputs import Finish, SampleKey
from rlve.errors import UserError
from rlve.evaluate.backends import (
    DOES_NOT_FIT,
    UNANSWERED,
    BackendError,
    ModelOutput,
    Notify,
    SampleRequest,
    Sampling,
)

if TYPE_CHECKING:
    from httpx import AsyncClient, Response

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between two tries
LONGEST_OBEYED = 600.0  # the longest Retry-After to obey, in seconds
FIRST_CONTACT = 3  # retries if the server has never answered: its URL may be mistyped
CONNECTING = 10.0  # seconds
QUIET = 10.0  # seconds between two warnings
LONGEST_MESSAGE = 500  # characters of a server's message
LARGEST_ANSWER = 32 * 2**20  # bytes; the longest outputs have a tenth of that
MOST_TOKENS = 2**40  # the most tokens that an output can plausibly have

# Servers take missing settings from the model's own, and every server has its own defaults. With
# these values, only temperature and top-p shape the distribution.
NEUTRAL: Final[dict[str, float]] = {
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}


class OpenAIBackend:
    """Samples from a model behind a URL such as http://localhost:8000/v1.

    key          sent as a bearer token, if there is one
    concurrency  requests to send at the same time
    retries      how often to retry a request
    timeout      seconds allowed for the full answer to a request
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        concurrency: int = 64,
        retries: int = 10,
        timeout: float = 3600.0,
        notify: Notify = lambda text: None,
    ) -> None:
        if not re.match(r"https?://[^/]", url):
            raise UserError(f"a URL must begin with http:// or https://, unlike {url!r}")
        if concurrency < 1:
            raise UserError(f"the concurrency must be at least 1, not {concurrency}")
        if retries < 0:
            raise UserError(f"the number of retries must be at least 0, not {retries}")
        if not timeout > 0:
            raise UserError(f"the timeout must be above 0 seconds, not {timeout:g}")
        _httpx()  # if it is missing, fail before any work
        self.url = url.rstrip("/")
        self.model = model
        self.concurrency = concurrency
        self.retries = retries
        self.timeout = timeout
        self.notify = notify
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._jitter = Random()
        self._noticed = float("-inf")
        self._said: set[str] = set()  # notices that are given only once
        self._answered = False  # whether the server has ever answered
        self._understood = False  # whether it has ever answered with an output
        self._unknown: set[str] = set()  # settings that the server does not accept

    def generate(
        self, requests: Sequence[SampleRequest], sampling: Sampling
    ) -> Generator[tuple[SampleKey, ModelOutput]]:
        """The output of every request, as it finishes.

        All requests run in an event loop in a thread of their own, so that a slow reader of the
        outputs does not hold them up.
        """
        arrived: SimpleQueue[tuple[SampleKey, ModelOutput] | BaseException | None] = SimpleQueue()
        loop = asyncio.new_event_loop()
        task = loop.create_task(self._ask_all(requests, sampling, arrived))

        def run() -> None:
            try:
                loop.run_until_complete(task)
                arrived.put(None)
            except asyncio.CancelledError:
                arrived.put(None)
            except BaseException as error:  # noqa: BLE001  raised again in the reader's thread
                arrived.put(error)
            finally:
                loop.run_until_complete(loop.shutdown_asyncgens())
                loop.close()

        thread = Thread(target=run, name="requests")
        thread.start()
        try:
            while (arrival := arrived.get()) is not None:
                if isinstance(arrival, BaseException):
                    raise _first(arrival)
                yield arrival
        finally:
            with suppress(RuntimeError):  # the loop is closed: there is nothing left to cancel
                loop.call_soon_threadsafe(task.cancel)
            thread.join()

    async def _ask_all(
        self,
        requests: Sequence[SampleRequest],
        sampling: Sampling,
        arrived: "SimpleQueue[tuple[SampleKey, ModelOutput] | BaseException | None]",
    ) -> None:
        httpx = _httpx()
        pending = iter(requests)
        client: AsyncClient
        async with httpx.AsyncClient(
            # A compressed answer could be a thousand times larger than what arrives.
            headers={"Accept-Encoding": "identity", **self._headers},
            timeout=httpx.Timeout(self.timeout, connect=CONNECTING),
            limits=httpx.Limits(
                max_connections=self.concurrency, max_keepalive_connections=self.concurrency
            ),
        ) as client:
            sampling = await self._within_context(client, sampling)

            async def ask_on() -> None:
                for request in pending:  # shared: every task takes the next one
                    arrived.put((request.key, await self._ask(client, request, sampling)))

            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.concurrency, len(requests))):
                    group.create_task(ask_on())

    async def _within_context(self, client: "AsyncClient", sampling: Sampling) -> Sampling:
        """Contact the server, and lower the response limit if it reports its context length."""
        try:
            listed = await self._send(client, "GET", "/models")
        except _Unreadable as unreadable:
            raise BackendError(str(unreadable)) from None
        except _Refused as refused:
            if refused.status in (401, 403):
                raise self._fatal(refused, []) from None
            return sampling  # some servers do not list models
        context = next(
            (m.get("max_model_len") for m in _models(listed) if m.get("id") == self.model), None
        )
        if not isinstance(context, int) or sampling.max_tokens < context:
            return sampling
        self.notify(
            f"outputs are limited to what the prompt leaves of the model's context of "
            f"{context:,} tokens, rather than to {sampling.max_tokens:,}"
        )
        return msgspec.structs.replace(sampling, max_tokens=context - 1)

    async def _ask(
        self, client: "AsyncClient", request: SampleRequest, sampling: Sampling
    ) -> ModelOutput:
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": request.seed,
            **NEUTRAL,
        }
        if isinstance(request.prompt, str):
            path, body["prompt"] = "/completions", request.prompt
        else:
            path, body["messages"] = "/chat/completions", request.prompt
        while True:
            for name in self._unknown:
                body.pop(name, None)
            began = monotonic()
            try:
                answer = await self._send(client, "POST", path, body)
            except _Unreadable as unreadable:
                if not self._understood:  # it may be another kind of server
                    raise BackendError(str(unreadable)) from None
                self._say_once("unreadable answers of the server count as wrong")
                return UNANSWERED
            except _Refused as refused:
                if self._drop_setting(refused, body):
                    continue
                limit = _room(refused, sampling.max_tokens)
                if limit is None:
                    raise self._fatal(refused, await self._names(client)) from None
                if limit < 1:
                    self._say_once("prompts that do not fit into the context count as wrong")
                    return DOES_NOT_FIT
                if limit >= body["max_tokens"]:  # lowering it did not help
                    raise self._fatal(refused, []) from None
                body["max_tokens"] = limit
            else:
                self._understood = True
                return _output(answer, monotonic() - began)

    def _drop_setting(self, refused: "_Refused", body: dict[str, Any]) -> bool:
        """Leave out a setting that the server refuses by name: hosted models accept few."""
        if refused.status not in (400, 422):
            return False
        for name in NEUTRAL:
            if name in body and name in refused.message:
                self._unknown.add(name)
                self._say_once(f"the server does not accept {name}, and uses its own value")
                return True
        return False

    async def _send(
        self, client: "AsyncClient", method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The server's answer, after as many tries as needed and allowed."""
        httpx = _httpx()
        began = monotonic()
        tries = 0
        while True:
            asked: float | None = None
            unreadable = False
            try:
                async with self._timed():
                    received = await _receive(client, method, self.url + path, body)
            except (TimeoutError, _Unreadable, httpx.RequestError) as error:
                trouble = _described(error)
                unreadable = isinstance(error, (_Unreadable, httpx.DecodingError))
            except httpx.InvalidURL as error:
                raise UserError(f"{self.url} is not a URL: {error}") from None
            else:
                self._answered = True
                if received.status == 200:
                    answer = _parsed(received.body, generated=method == "POST")
                    if answer is not None:
                        return answer
                    trouble = f"an unexpected answer: {_shortened(received.text)}"
                    unreadable = True
                elif received.status in (408, 429) or received.status >= 500:
                    trouble = f"{received.status} {_message(received)}".strip()
                    asked = _retry_after(received.retry_after)
                else:
                    raise _Refused(received.status, path, _message(received))
            tries += 1
            allowed = self.retries if self._answered else min(self.retries, FIRST_CONTACT)
            if tries > allowed:
                times = f"{tries} times in {monotonic() - began:.0f} s" if tries > 1 else "once"
                kind = _Unreadable if unreadable else BackendError
                raise kind(
                    f"no answer from {self.url}{path}, tried {times}; the last time: {trouble}"
                )
            back_off = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(tries - 1, 10))
            wait = back_off * self._jitter.uniform(0.5, 1.0)
            if asked is not None:
                wait = max(wait, min(asked, LONGEST_OBEYED))
            self._notice(f"{self.url}{path}: {trouble}; next try {tries + 1} of {allowed + 1}")
            await asyncio.sleep(wait)

    @contextlib.asynccontextmanager
    async def _timed(self) -> AsyncGenerator[None]:
        """Limit the time of the entire request, not only of each of its parts."""
        try:
            async with asyncio.timeout(self.timeout):
                yield
        except TimeoutError:
            raise TimeoutError(f"no complete answer within {self.timeout:g} s") from None

    async def _names(self, client: "AsyncClient") -> list[str]:
        """The models that the server has, if it lists them."""
        try:
            listed = _models(await self._send(client, "GET", "/models"))
        except (_Refused, _Unreadable):
            return []
        return [_shortened(str(model["id"])) for model in listed]

    def _fatal(self, refused: "_Refused", names: list[str]) -> BackendError:
        answer = (
            f"{self.url}{refused.path} answered {refused.status}: {refused.message or 'nothing'}"
        )
        if refused.status in (401, 403):
            return BackendError(f"{answer}; the key is read from the variable --api-key-env names")
        if refused.status == 404 and names and self.model not in names:
            return BackendError(
                f"{self.url} has no model {self.model!r}; it has {', '.join(sorted(names))}"
            )
        if refused.status == 404 and not names and not self.url.endswith("/v1"):
            return BackendError(f"{answer}; the URL of such a server often ends in /v1")
        return BackendError(answer)

    def _notice(self, text: str) -> None:
        """Give a notice, but not for each of many requests that have the same trouble."""
        if monotonic() - self._noticed > QUIET:
            self._noticed = monotonic()
            self.notify(text)

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.notify(text)


class _Refused(Exception):
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
        raise UserError("asking a server needs httpx: pip install 'rlve[eval]'") from None
    return httpx


def _first(error: BaseException) -> BaseException:
    """The error itself, without the groups it is wrapped in."""
    while isinstance(error, BaseExceptionGroup):
        error = cast(BaseExceptionGroup[BaseException], error).exceptions[0]
    return error


def _described(error: Exception) -> str:
    """For example "ConnectError: All connection attempts failed"."""
    text = _shortened(str(error))
    if isinstance(error, (TimeoutError, _Unreadable)):  # ours, whose texts are enough
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Unreadable(Exception):
    """The server has answered, but its answer cannot be read."""


class _Received(NamedTuple):
    """A server's answer."""

    status: int
    body: bytes
    retry_after: str | None

    @property
    def text(self) -> str:
        return self.body[: 4 * LONGEST_MESSAGE].decode("utf-8", "replace")


async def _receive(
    client: "AsyncClient", method: str, url: str, body: dict[str, Any] | None
) -> _Received:
    """Send a request, and receive the answer up to a limit."""
    response: Response
    async with client.stream(method, url, json=body) as response:
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding.lower() != "identity":
            raise _Unreadable(f"a compressed answer ({_shortened(encoding)}), although not asked")
        content = bytearray()
        async for part in response.aiter_raw():
            content += part
            if len(content) > LARGEST_ANSWER:
                raise _Unreadable(f"an answer of more than {LARGEST_ANSWER:,} bytes")
        return _Received(response.status_code, bytes(content), response.headers.get("Retry-After"))


def _parsed(body: bytes, *, generated: bool) -> dict[str, Any] | None:
    """The body, if it is an answer to the request."""
    try:
        answer: object = json.loads(body)
        if generated:
            _output(answer, 0.0)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None
    return cast(dict[str, Any], answer) if isinstance(answer, dict) else None


FINISHES: dict[str, Finish] = {"stop": "stop", "length": "length", "content_filter": "stop"}


class _Message(msgspec.Struct):
    content: str | None = None  # null if the model was still reasoning


class _Choice(msgspec.Struct):
    """An output. One that was aborted, for example by a server shutting down, does not count."""

    finish_reason: Literal["stop", "length", "content_filter"]
    message: _Message | msgspec.UnsetType = msgspec.UNSET
    text: str | msgspec.UnsetType = msgspec.UNSET


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None


def _output(answer: object, seconds: float) -> ModelOutput:
    """The output in an answer; a ValueError if there is none."""
    parsed = msgspec.convert(answer, _Answer)
    if not parsed.choices:
        raise ValueError("no output")
    choice = parsed.choices[0]
    text = choice.text
    if isinstance(choice.message, _Message):
        text = choice.message.content or ""
    if not isinstance(text, str):
        raise ValueError("an output without text")
    return ModelOutput(
        text=text,
        finish=FINISHES[choice.finish_reason],
        tokens=_tokens(parsed.usage),
        seconds=round(seconds, 3),
    )


def _tokens(usage: object) -> int | None:
    """The number of tokens in an output, if the server reports a plausible one."""
    if not isinstance(usage, dict):
        return None
    tokens = cast(dict[str, object], usage).get("completion_tokens")
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        return None
    return tokens if 0 <= tokens <= MOST_TOKENS else None


def _models(answer: dict[str, Any]) -> list[dict[str, Any]]:
    models: object = answer.get("data")
    if not isinstance(models, list):
        return []
    return [
        cast(dict[str, Any], model)
        for model in cast(list[object], models)
        if isinstance(model, dict) and "id" in model
    ]


def _message(received: _Received) -> str:
    """The server's message, which servers put in different places."""
    try:
        body: Any = json.loads(received.body)
    except (ValueError, RecursionError):
        return _shortened(received.text)
    for key in ("error", "message", "detail"):
        if isinstance(body, dict) and key in body:
            body = cast(dict[str, Any], body)[key]
    return _shortened(body if isinstance(body, str) else json.dumps(body))


def _shortened(text: str) -> str:
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
    with suppress(ValueError):
        date = parsedate_to_datetime(value)
        if date.tzinfo is not None:
            return max(0.0, (date - datetime.now(UTC)).total_seconds())
    return None


# Servers' messages when prompt and response limit together exceed the context, for example
#   This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (904 in
#   the messages, 4096 in the completion).                                             OpenAI, vLLM
#   Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a
#   total of 5000 tokens: 904 tokens from the input messages and 4096 ...                     SGLang
_CONTEXT = re.compile(r"context length (?:is|of) (\d+)")
_PROMPT = re.compile(
    r"(\d+)(?: tokens)? (?:in the messages|in (?:your|the) prompt|from the input messages)"
)
# And when the prompt alone does.
_TOO_LONG = re.compile(
    r"your prompt contains|input length \(\d+\) exceeds|input .*is longer than the model's context",
    re.IGNORECASE,
)


def _room(refused: _Refused, wanted: int) -> int | None:
    """How many tokens fit after the prompt, if the server complains that there are too many."""
    if refused.status not in (400, 413, 422) or "context length" not in refused.message.lower():
        return None
    context, prompt = _CONTEXT.search(refused.message), _PROMPT.search(refused.message)
    if context and prompt:
        return min(wanted, int(context[1]) - int(prompt[1]))
    return 0 if _TOO_LONG.search(refused.message) else None
