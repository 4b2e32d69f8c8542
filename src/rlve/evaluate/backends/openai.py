"""Outputs from a server that speaks OpenAI's protocol: vLLM, SGLang, llama.cpp, a hosted model.

Messages go to /chat/completions and text to /completions, one request for each sample, many at a
time. A request that the server could not answer is sent again:

    tried again     no connection or a broken one, 408, 429, 5xx, an answer that is no answer
    fatal at once   everything else, such as 401 (key) and 404 (model, URL)

Between two tries a request waits 1, 2, 4, ... up to 60 seconds, less up to a half at random, or as
long as the server's Retry-After asks for. So it outlives the restart of a server. One that runs
out of tries ends the evaluation, with what has arrived in store.
"""

import asyncio
import json
import re
from collections.abc import Generator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from queue import SimpleQueue
from random import Random
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import msgspec

from rlve.datasets.outputs import Finish, SampleKey
from rlve.errors import UserError
from rlve.evaluate.backends import (
    DOES_NOT_FIT,
    BackendError,
    ModelOutput,
    Notify,
    SampleRequest,
    Sampling,
)

if TYPE_CHECKING:
    from httpx import AsyncClient, Response

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between two tries
LONGEST_OBEYED = 600.0  # seconds that a Retry-After can ask for
FIRST_CONTACT = 3  # tries more for a server that has never answered: its URL may be mistyped
CONNECTING = 10.0  # seconds
QUIET = 10.0  # seconds between two notices of trouble
LONGEST_MESSAGE = 500  # characters of what a server says


class OpenAIBackend:
    """Asks a model behind a URL such as http://localhost:8000/v1.

    key          sent as bearer token, if there is one
    concurrency  how many requests are under way at a time
    retries      how often a request is sent again
    timeout      seconds within which the server has to answer a request
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
            raise UserError(f"a URL begins with http:// or https://, unlike {url!r}")
        if concurrency < 1:
            raise UserError(f"at least 1 request is under way at a time, not {concurrency}")
        if retries < 0:
            raise UserError(f"the number of retries is 0 or more, not {retries}")
        if not timeout > 0:
            raise UserError(f"the time-out is a positive number of seconds, not {timeout:g}")
        _httpx()  # what is missing is said before any work
        self.url = url.rstrip("/")
        self.model = model
        self.concurrency = concurrency
        self.retries = retries
        self.timeout = timeout
        self.notify = notify
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._jitter = Random()
        self._noticed = float("-inf")
        self._said: set[str] = set()  # notices that are given once
        self._answered = False  # whether the server has ever done so

    def generate(
        self, requests: Sequence[SampleRequest], sampling: Sampling
    ) -> Generator[tuple[SampleKey, ModelOutput]]:
        """All requests run in an event loop in a thread of their own, so that a slow reader of the
        outputs does not hold them up."""
        arrived: SimpleQueue[tuple[SampleKey, ModelOutput] | BaseException | None] = SimpleQueue()
        loop = asyncio.new_event_loop()
        task = loop.create_task(self._ask_all(requests, sampling, arrived))

        def run() -> None:
            try:
                loop.run_until_complete(task)
                arrived.put(None)
            except asyncio.CancelledError:
                arrived.put(None)
            except BaseException as error:  # noqa: BLE001  it is raised by the reader
                arrived.put(error)
            finally:
                loop.run_until_complete(loop.shutdown_asyncgens())
                loop.close()

        thread = Thread(target=run, name="requests")
        thread.start()
        try:
            while (found := arrived.get()) is not None:
                if isinstance(found, BaseException):
                    raise _first(found)
                yield found
        finally:
            with suppress(RuntimeError):  # the loop is closed: all is over
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
            headers=self._headers,
            timeout=httpx.Timeout(self.timeout, connect=CONNECTING),
            limits=httpx.Limits(
                max_connections=self.concurrency, max_keepalive_connections=self.concurrency
            ),
        ) as client:
            sampling = await self._within_context(client, sampling)

            async def ask_on() -> None:
                for request in pending:  # shared: each takes the next one
                    arrived.put((request.key, await self._ask(client, request, sampling)))

            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.concurrency, len(requests))):
                    group.create_task(ask_on())

    async def _within_context(self, client: "AsyncClient", sampling: Sampling) -> Sampling:
        """Make the server's acquaintance, and clip the response limit if it tells its context."""
        try:
            listed = await self._send(client, "GET", "/models")
        except _Refused as refused:
            if refused.status in (401, 403):
                raise self._fatal(refused, []) from None
            return sampling  # some servers list nothing
        context = next(
            (m.get("max_model_len") for m in _models(listed) if m.get("id") == self.model), None
        )
        if not isinstance(context, int) or sampling.max_tokens < context:
            return sampling
        self.notify(
            f"outputs are limited to what the prompt leaves of the model's context of "
            f"{context:,} tokens, not to {sampling.max_tokens:,}"
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
        }
        if isinstance(request.prompt, str):
            path, body["prompt"] = "/completions", request.prompt
        else:
            path, body["messages"] = "/chat/completions", request.prompt
        while True:
            began = monotonic()
            try:
                answer = await self._send(client, "POST", path, body)
            except _Refused as refused:
                limit = _room(refused, sampling.max_tokens)
                if limit is None:
                    raise self._fatal(refused, await self._names(client)) from None
                if limit < 1:
                    self._say_once("a prompt that does not fit the model's context counts as wrong")
                    return DOES_NOT_FIT
                if limit >= body["max_tokens"]:  # it has been told so before
                    raise self._fatal(refused, []) from None
                body["max_tokens"] = limit
            else:
                return _output(answer, monotonic() - began)

    async def _send(
        self, client: "AsyncClient", method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The server's answer, after as many tries as it takes and as are allowed."""
        httpx = _httpx()
        began = monotonic()
        tries = 0
        while True:
            asked: float | None = None
            try:
                response: Response = await client.request(method, self.url + path, json=body)
            except httpx.TransportError as error:
                trouble = _described(error)
            except httpx.InvalidURL as error:
                raise UserError(f"{self.url} is not a URL: {error}") from None
            else:
                self._answered = True
                if response.status_code == 200:
                    answer = _parsed(response, generated=method == "POST")
                    if answer is not None:
                        return answer
                    trouble = f"an answer that is none: {_shortened(response.text)}"
                elif response.status_code in (408, 429) or response.status_code >= 500:
                    trouble = f"{response.status_code} {_message(response)}".strip()
                    asked = _retry_after(response.headers.get("Retry-After"))
                else:
                    raise _Refused(response.status_code, path, _message(response))
            tries += 1
            allowed = self.retries if self._answered else min(self.retries, FIRST_CONTACT)
            if tries > allowed:
                times = f"{tries} times in {monotonic() - began:.0f} s" if tries > 1 else "once"
                raise BackendError(
                    f"no answer from {self.url}{path}, tried {times}; the last time: {trouble}"
                )
            back_off = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(tries - 1, 10))
            wait = back_off * self._jitter.uniform(0.5, 1.0)
            if asked is not None:
                wait = max(wait, min(asked, LONGEST_OBEYED))
            self._notice(f"{self.url}{path}: {trouble}; next try {tries + 1} of {allowed + 1}")
            await asyncio.sleep(wait)

    async def _names(self, client: "AsyncClient") -> list[str]:
        """The models that the server has, if it says so."""
        try:
            return [
                str(model["id"]) for model in _models(await self._send(client, "GET", "/models"))
            ]
        except _Refused:
            return []

    def _fatal(self, refused: "_Refused", names: list[str]) -> BackendError:
        said = f"{self.url}{refused.path} answered {refused.status}: {refused.message or 'nothing'}"
        if refused.status in (401, 403):
            return BackendError(f"{said}; the key is read from the variable --api-key-env names")
        if refused.status == 404 and names and self.model not in names:
            return BackendError(
                f"{self.url} has no model {self.model!r}; it has {', '.join(sorted(names))}"
            )
        if refused.status == 404 and not names and not self.url.endswith("/v1"):
            return BackendError(f"{said}; the URL of such a server often ends in /v1")
        return BackendError(said)

    def _notice(self, text: str) -> None:
        """Not for each of many requests: they are in the same trouble."""
        if monotonic() - self._noticed > QUIET:
            self._noticed = monotonic()
            self.notify(text)

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.notify(text)


class _Refused(Exception):
    """The server does not want this request, however often it is sent."""

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
    """The error itself, out of the groups it travels in."""
    while isinstance(error, BaseExceptionGroup):
        error = cast(BaseExceptionGroup[BaseException], error).exceptions[0]
    return error


def _described(error: Exception) -> str:
    """Such as "ConnectError: All connection attempts failed"."""
    text = _shortened(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _parsed(response: "Response", *, generated: bool) -> dict[str, Any] | None:
    """The body, if it is what was asked for."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    answer = cast(dict[str, Any], body)
    if generated:
        try:
            _output(answer, 0.0)
        except (LookupError, TypeError, ValueError):
            return None
    return answer


FINISHES: dict[str, Finish] = {"stop": "stop", "length": "length", "content_filter": "stop"}


def _output(answer: dict[str, Any], seconds: float) -> ModelOutput:
    """One that was aborted, by a server that shuts down for example, is no output."""
    choice = answer["choices"][0]
    if "message" in choice:
        text = choice["message"].get("content") or ""  # null while the model still reasons
    else:
        text = choice["text"]
    if not isinstance(text, str):
        raise TypeError("the text is no text")
    usage: Any = answer.get("usage")
    tokens = usage.get("completion_tokens") if usage else None
    return ModelOutput(
        text=text,
        finish=FINISHES[choice["finish_reason"]],
        tokens=tokens if isinstance(tokens, int) else None,
        seconds=round(seconds, 3),
    )


def _models(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found: object = answer.get("data")
    if not isinstance(found, list):
        return []
    return [
        cast(dict[str, Any], model)
        for model in cast(list[object], found)
        if isinstance(model, dict) and "id" in model
    ]


def _message(response: "Response") -> str:
    """What the server says, out of the several forms in which servers say it."""
    try:
        body: Any = response.json()
    except (ValueError, RecursionError):
        return _shortened(response.text)
    for key in ("error", "message", "detail"):
        if isinstance(body, dict) and key in body:
            body = cast(dict[str, Any], body)[key]
    return _shortened(body if isinstance(body, str) else json.dumps(body))


def _shortened(text: str) -> str:
    text = " ".join(text.split())
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


# What servers say when prompt and response limit are longer than the context together, such as
#   This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (904 in
#   the messages, 4096 in the completion).                                             OpenAI, vLLM
#   Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a
#   total of 5000 tokens: 904 tokens from the input messages and 4096 ...                     SGLang
_CONTEXT = re.compile(r"context length (?:is|of) (\d+)")
_PROMPT = re.compile(
    r"(\d+)(?: tokens)? (?:in the messages|in (?:your|the) prompt|from the input messages)"
)
# And when the prompt alone is.
_TOO_LONG = re.compile(
    r"your prompt contains|input length \(\d+\) exceeds|input .*is longer than the model's context",
    re.IGNORECASE,
)


def _room(refused: _Refused, wanted: int) -> int | None:
    """How many tokens fit behind the prompt, if too many is what the server complains about."""
    if refused.status not in (400, 413, 422) or "context length" not in refused.message.lower():
        return None
    context, prompt = _CONTEXT.search(refused.message), _PROMPT.search(refused.message)
    if context and prompt:
        return min(wanted, int(context[1]) - int(prompt[1]))
    return 0 if _TOO_LONG.search(refused.message) else None
