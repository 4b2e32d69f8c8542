"""Outputs from a server that speaks OpenAI's protocol: vLLM, SGLang, llama.cpp, a hosted model.

Messages go to /chat/completions and text to /completions, one request per sample, many at a time. A
request that fails is retried (rlve.evaluate.backends.transport). When the retries run out, the
evaluation ends, and outputs that have arrived are kept. But if the server has answered other
requests, and only its answers to this one are unreadable, the output counts as one that never
arrived.

A prompt and the response limit must fit into the model's context together. Where they do not, the
server is asked for one token, and its answer says how long the prompt is: once per prompt, whatever
the wording of the server's complaint. If even one token is refused, the prompt does not fit.

A server that neither keeps a stop string nor says which it was is not told of stop strings: its
outputs are longer, and are cut here (rlve.evaluate.backends.protocol).
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, cast

from rlve.datasets.outputs import SampleKey
from rlve.evaluate.backends import (
    DOES_NOT_FIT,
    UNANSWERED,
    BackendError,
    ModelOutput,
    Notify,
    SampleRequest,
    Sampling,
)
from rlve.evaluate.backends.protocol import (
    KEEP_STOP,
    NEUTRAL,
    end_at_stop,
    read_count,
    read_models,
    read_output,
    write_request,
)
from rlve.evaluate.backends.transport import Connection, Refused, Unreadable, shorten

MOST_NAMED = 5  # models of a server that a notice names
SPARE = 1  # tokens of the context that stay free, since SGLang does not let a request fill it


class OpenAIBackend:
    """Samples from a model behind a URL such as http://localhost:8000/v1; see Connection."""

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
        self.model = model
        self.notify = notify
        self._connection = Connection(
            url,
            key=key,
            concurrency=concurrency,
            retries=retries,
            timeout=timeout,
            notify=notify,
        )
        self._said: set[str] = set()  # notices that are given only once
        self._models: list[str] = []  # the names that it lists
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
        pending = iter(requests)
        async with self._connection.open():
            await self._look_up_context()
            if self._context is not None and sampling.max_tokens >= self._context:
                self._say_limited(self._context, sampling.max_tokens)
            rooms: defaultdict[str, _Room] = defaultdict(_Room)

            async def ask_on() -> None:
                for request in pending:  # shared: every task takes the next one
                    room = rooms[request.key.id]
                    output = await self._ask(request, sampling, room)
                    while following := await asyncio.to_thread(request.follow, output):
                        request = following
                        output = await self._ask(request, sampling, _Room())
                    arrived.put((request.key, output))

            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._connection.concurrency, len(requests))):
                    group.create_task(ask_on())

    async def _look_up_context(self) -> None:
        """Contact the server, and learn the length of the model's context if it is listed."""
        try:
            listed = await self._connection.send("GET", "/models")
        except Unreadable as unreadable:
            raise BackendError(str(unreadable)) from None
        except Refused as refused:
            if refused.status in (401, 403):
                raise self._fatal(refused) from None
            return  # some servers do not list models
        cards = {str(card["id"]): card for card in read_models(listed)}
        self._models = sorted(cards)
        if cards and self.model not in cards:
            self._say_once(f"the server does not list {self.model!r}; it lists {self._listed()}")
        own = cards.get(self.model, {})
        for card in (own, cards.get(str(own.get("parent")), {})):  # an adapter's has no length
            length = card.get("max_model_len")
            if isinstance(length, int) and length > 0:
                self._context = length
                return

    async def _ask(self, request: SampleRequest, sampling: Sampling, room: "_Room") -> ModelOutput:
        try:
            while True:
                path, body = write_request(self.model, request, sampling, stop=not self._cuts)
                timed = await self._answer(path, body, room)
                if timed is None:
                    self._say_once("prompts that do not fit into the context stay unanswered")
                    return DOES_NOT_FIT
                self._understood = True
                output = read_output(*timed)
                if not sampling.stop_strings:
                    return output
                ended = end_at_stop(output, timed[0], sampling.stop_strings, told="stop" in body)
                if ended is not None:
                    return ended
                self._cuts = True
                self._say_once(
                    "the server cuts off stop strings without saying so; outputs are sampled "
                    "without them, and cut here"
                )
        except Unreadable as unreadable:
            if not self._understood:  # it may be another kind of server
                raise BackendError(str(unreadable)) from None
            self._say_once("unreadable answers of the server count as wrong")
            return UNANSWERED
        except Refused as refused:
            raise self._fatal(refused) from None

    async def _answer(
        self, path: str, body: dict[str, Any], room: "_Room"
    ) -> tuple[dict[str, Any], float] | None:
        """The answer, with the limit lowered to what fits; None if the prompt does not fit."""
        wanted: int = body["max_tokens"]
        if room.tokens is None and (self._context is None or wanted < self._context):
            try:
                return await self._post(path, body)
            except Refused as refused:
                if not refused.is_about(_LENGTH):
                    raise
                self._learn_context(refused, wanted)
                limit = await self._measured(path, body, room)
                if limit is None or limit >= wanted:  # it is not clear what would help
                    raise
        else:
            measured = await self._measured(path, body, room)
            limit = wanted if measured is None else min(wanted, measured)
        return await self._post(path, body | {"max_tokens": limit}) if limit else None

    def _learn_context(self, refused: Refused, wanted: int) -> None:
        """Take the length of the context from a refusal, if the server has not listed it."""
        if self._context is None and (named := _CONTEXT.search(refused.message)):
            self._context = int(named[1])
            if wanted >= self._context:
                self._say_limited(self._context, wanted)

    async def _measured(self, path: str, body: dict[str, Any], room: "_Room") -> int | None:
        """How many tokens fit after a prompt, from the server's answer with one; None if unsaid."""
        async with room.measuring:
            if room.tokens is None:
                try:
                    answer, _ = await self._post(path, body | {"max_tokens": 1})
                except Refused as refused:
                    if not refused.is_about(_TOO_LONG):
                        raise
                    room.tokens = 0
                else:
                    prompt = read_count(answer.get("usage"), "prompt_tokens")
                    if prompt is not None and self._context is not None:
                        room.tokens = max(0, self._context - prompt - SPARE)
        return room.tokens

    async def _post(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """The answer to a request without the settings that are not accepted, and its seconds."""
        while True:
            body = {name: value for name, value in body.items() if name not in self._unknown}
            began = monotonic()
            try:
                answer = await self._connection.send(
                    "POST", path, body, lambda answer: read_output(answer, 0.0)
                )
                return answer, monotonic() - began
            except Refused as refused:
                if not self._drop_setting(refused, body):
                    raise

    def _drop_setting(self, refused: Refused, body: dict[str, Any]) -> bool:
        """Leave out a setting that the server refuses by name: hosted models accept few."""
        if refused.status not in (400, 422):
            return False
        for name in (*NEUTRAL, KEEP_STOP):
            if name in body and name in refused.message:
                self._unknown.add(name)
                self._say_once(f"the server does not accept {name}, and uses its own value")
                return True
        return False

    def _fatal(self, refused: Refused) -> BackendError:
        url = self._connection.url
        answer = f"{url}{refused.path} answered {refused.status}: {refused.message or 'nothing'}"
        if refused.status in (401, 403):
            return BackendError(f"{answer}; the key is read from the variable --api-key-env names")
        if refused.status == 404 and self._models and self.model not in self._models:
            return BackendError(f"{url} has no model {self.model!r}; it has {self._listed()}")
        if refused.status == 404 and not self._models and not url.endswith("/v1"):
            return BackendError(f"{answer}; the URL of such a server often ends in /v1")
        return BackendError(answer)

    def _listed(self) -> str:
        """The first of the server's models."""
        more = len(self._models) - MOST_NAMED
        named = ", ".join(map(shorten, self._models[:MOST_NAMED]))
        return f"{named} and {more:,} more" if more > 0 else named

    def _say_limited(self, context: int, wanted: int) -> None:
        self._say_once(
            f"outputs are limited to what the prompt leaves of the model's context of "
            f"{context:,} tokens, rather than to {wanted:,}"
        )

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.notify(text)


@dataclass
class _Room:
    """How many tokens fit after a prompt; all its samples share what was found out."""

    tokens: int | None = None
    measuring: asyncio.Lock = field(default_factory=asyncio.Lock)


def _first(error: BaseException) -> BaseException:
    """The error itself, without the groups it is wrapped in."""
    while isinstance(error, BaseExceptionGroup):
        error = cast(BaseExceptionGroup[BaseException], error).exceptions[0]
    return error


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
