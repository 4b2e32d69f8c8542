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

A prompt and the response limit must fit into the model's context together. Where they do not, the
server is asked for one token, and its answer says how long the prompt is: once per prompt, whatever
the wording of the server's complaint. If even one token is refused, the prompt does not fit.

Outputs end with the first stop string, and contain it, as in training. Servers tend to cut it off.
One that neither keeps it nor says which it was is not told of stop strings: its outputs are longer,
and are cut here.

The server is not trusted. Its answers are bounded in time and size, never decompressed, checked
field by field, and stripped of control characters before they are shown to anybody.
"""

import asyncio
import contextlib
import json
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
SPARE = 1  # tokens of the context that stay free, since SGLang does not let a request fill it

# Servers take missing settings from the model's own, and every server has its own defaults. With
# these values, only temperature and top-p shape the distribution.
NEUTRAL: Final[dict[str, float]] = {
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
KEEP_STOP: Final = "include_stop_str_in_output"  # vLLM's setting


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
        key = (key or "").strip()  # a key read from a file often ends with a line break
        if not (key.isascii() and key.isprintable()):  # the error must not repeat it
            raise UserError("the server's key has characters other than printable ASCII")
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
        self._context: int | None = None  # the model's, as far as the server has told
        self._cuts = False  # whether the server cuts off stop strings without saying so

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
            await self._look_up_context(client)
            if self._context is not None and sampling.max_tokens >= self._context:
                self._say_limited(self._context, sampling.max_tokens)
            rooms: defaultdict[str, _Room] = defaultdict(_Room)

            async def ask_on() -> None:
                for request in pending:  # shared: every task takes the next one
                    room = rooms[request.key.id]
                    arrived.put((request.key, await self._ask(client, request, sampling, room)))

            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.concurrency, len(requests))):
                    group.create_task(ask_on())

    async def _look_up_context(self, client: "AsyncClient") -> None:
        """Contact the server, and learn the length of the model's context if it is listed."""
        try:
            listed = await self._send(client, "GET", "/models")
        except _Unreadable as unreadable:
            raise BackendError(str(unreadable)) from None
        except _Refused as refused:
            if refused.status in (401, 403):
                raise self._fatal(refused, []) from None
            return  # some servers do not list models
        cards = {str(card["id"]): card for card in _models(listed)}
        own = cards.get(self.model, {})
        for card in (own, cards.get(str(own.get("parent")), {})):  # an adapter's has no length
            length = card.get("max_model_len")
            if isinstance(length, int) and length > 0:
                self._context = length
                return

    async def _ask(
        self, client: "AsyncClient", request: SampleRequest, sampling: Sampling, room: "_Room"
    ) -> ModelOutput:
        try:
            while True:
                path, body = self._body(request, sampling)
                timed = await self._answer(client, path, body, room)
                if timed is None:
                    self._say_once("prompts that do not fit into the context count as wrong")
                    return DOES_NOT_FIT
                self._understood = True
                output = _output(*timed)
                if not sampling.stop_strings:
                    return output
                ended = _ended(output, timed[0], sampling.stop_strings, told="stop" in body)
                if ended is not None:
                    return ended
                self._cuts = True
                self._say_once(
                    "the server cuts off stop strings without saying so; outputs are sampled "
                    "without them, and cut here"
                )
        except _Unreadable as unreadable:
            if not self._understood:  # it may be another kind of server
                raise BackendError(str(unreadable)) from None
            self._say_once("unreadable answers of the server count as wrong")
            return UNANSWERED
        except _Refused as refused:
            raise self._fatal(refused, await self._names(client)) from None

    def _body(self, request: SampleRequest, sampling: Sampling) -> tuple[str, dict[str, Any]]:
        """Where to send a request, and what."""
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": request.seed,
            **NEUTRAL,
        }
        if sampling.stop_strings and not self._cuts:
            body |= {"stop": list(sampling.stop_strings), KEEP_STOP: True}
        if isinstance(request.prompt, str):
            return "/completions", body | {"prompt": request.prompt}
        if sampling.template_arguments:
            body["chat_template_kwargs"] = sampling.template()
        return "/chat/completions", body | {"messages": request.prompt}

    async def _answer(
        self, client: "AsyncClient", path: str, body: dict[str, Any], room: "_Room"
    ) -> tuple[dict[str, Any], float] | None:
        """The answer, with the limit lowered to what fits; None if the prompt does not fit."""
        wanted: int = body["max_tokens"]
        if room.tokens is None and (self._context is None or wanted < self._context):
            try:
                return await self._post(client, path, body)
            except _Refused as refused:
                if not refused.is_about(_LENGTH):
                    raise
                self._learn_context(refused, wanted)
                limit = await self._measured(client, path, body, room)
                if limit is None or limit >= wanted:  # it is not clear what would help
                    raise
        else:
            measured = await self._measured(client, path, body, room)
            limit = wanted if measured is None else min(wanted, measured)
        return await self._post(client, path, body | {"max_tokens": limit}) if limit else None

    def _learn_context(self, refused: "_Refused", wanted: int) -> None:
        """Take the length of the context from a refusal, if the server has not listed it."""
        if self._context is None and (named := _CONTEXT.search(refused.message)):
            self._context = int(named[1])
            if wanted >= self._context:
                self._say_limited(self._context, wanted)

    async def _measured(
        self, client: "AsyncClient", path: str, body: dict[str, Any], room: "_Room"
    ) -> int | None:
        """How many tokens fit after a prompt, from the server's answer with one; None if unsaid."""
        async with room.measuring:
            if room.tokens is None:
                try:
                    answer, _ = await self._post(client, path, body | {"max_tokens": 1})
                except _Refused as refused:
                    if not refused.is_about(_TOO_LONG):
                        raise
                    room.tokens = 0
                else:
                    prompt = _count(answer.get("usage"), "prompt_tokens")
                    if prompt is not None and self._context is not None:
                        room.tokens = max(0, self._context - prompt - SPARE)
        return room.tokens

    async def _post(
        self, client: "AsyncClient", path: str, body: dict[str, Any]
    ) -> tuple[dict[str, Any], float]:
        """The answer to a request without the settings that are not accepted, and its seconds."""
        while True:
            body = {name: value for name, value in body.items() if name not in self._unknown}
            began = monotonic()
            try:
                return await self._send(client, "POST", path, body), monotonic() - began
            except _Refused as refused:
                if not self._drop_setting(refused, body):
                    raise

    def _drop_setting(self, refused: "_Refused", body: dict[str, Any]) -> bool:
        """Leave out a setting that the server refuses by name: hosted models accept few."""
        if refused.status not in (400, 422):
            return False
        for name in (*NEUTRAL, KEEP_STOP):
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

    def _say_limited(self, context: int, wanted: int) -> None:
        self._say_once(
            f"outputs are limited to what the prompt leaves of the model's context of "
            f"{context:,} tokens, rather than to {wanted:,}"
        )

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

    def is_about(self, words: re.Pattern[str]) -> bool:
        """Whether the request itself is refused, with one of these words."""
        return self.status in (400, 413, 422) and words.search(self.message) is not None


@dataclass
class _Room:
    """How many tokens fit after a prompt; all its samples share what was found out."""

    tokens: int | None = None
    measuring: asyncio.Lock = field(default_factory=asyncio.Lock)


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
        tokens=_count(parsed.usage, "completion_tokens"),
        seconds=round(seconds, 3),
    )


def _ended(
    output: ModelOutput, answer: dict[str, Any], strings: Sequence[str], *, told: bool
) -> ModelOutput | None:
    """The output up to its first stop string, as in training; None if the string may be missing.

    told   whether the server was told of the strings
    """
    ends = [at + len(text) for text in strings if (at := output.text.find(text)) >= 0]
    if ends:
        cut = output.text[: min(ends)]
        tokens = output.tokens if told else None  # those of the rest are counted, too
        return msgspec.structs.replace(output, text=cut, finish="stop", tokens=tokens)
    if not told or output.finish != "stop":
        return output
    choice: dict[str, object] = answer["choices"][0]
    reasons = [choice[name] for name in ("stop_reason", "matched_stop") if name in choice]
    if not reasons:
        return None
    cut_off = next((reason for reason in reasons if reason in strings), "")
    return msgspec.structs.replace(output, text=f"{output.text}{cut_off}")


def _count(usage: object, name: str) -> int | None:
    """A number of tokens, if the server reports a plausible one."""
    if not isinstance(usage, dict):
        return None
    tokens = cast(dict[str, object], usage).get(name)
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
    with suppress(ValueError, OverflowError):
        date = parsedate_to_datetime(value)
        if date.tzinfo is not None:
            return max(0.0, (date - datetime.now(UTC)).total_seconds())
    return None


# Words in servers' messages when a prompt, or a prompt and the response limit, are too long, and
# where some of them name the length of the context. For example:
#   This model's maximum context length is 4096 tokens. However, you requested ...     OpenAI, vLLM
#   max_tokens=32768 cannot be greater than max_model_len=16384.                               vLLM
#   request (4390 tokens) exceeds the available context size (4096 tokens)                llama.cpp
_TOO_LONG = re.compile(r"context (?:length|size|window)|max_model_len", re.IGNORECASE)
_LENGTH = re.compile(rf"{_TOO_LONG.pattern}|max_\w*tokens", re.IGNORECASE)
_CONTEXT = re.compile(
    rf"(?:{_TOO_LONG.pattern})(?: is| of|=max_total_tokens)?(?: only)?[ =:(]+(\d{{1,12}})(?![\d,])",
    re.IGNORECASE,
)
