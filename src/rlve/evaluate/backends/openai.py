"""Outputs from a server that speaks OpenAI's protocol: vLLM, SGLang, llama.cpp, a hosted model.

Messages go to /chat/completions and text to /completions, one request per sample, many at a time. A
request that fails is retried (rlve.evaluate.backends.transport). When the retries run out, the
evaluation ends, and outputs that have arrived are kept. But if the server has answered other
requests, and only its answers to this one are unreadable, the output counts as one that never
arrived.

A prompt and the response limit must fit into the model's context together. Where they do not, the
server is asked for one token, and its answer says how long the prompt is: once per prompt, whatever
the wording of the server's complaint. If even one token is refused, the prompt does not fit.
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
    SampleRequest,
    Sampling,
)
from rlve.evaluate.backends.protocol import KEEP_STOP, NEUTRAL, Answer, Models, write_request
from rlve.evaluate.backends.transport import Connection, Refused, Unreadable, shorten

# What servers say of a prompt, or a prompt and the response limit, that is too long. For example:
#   This model's maximum context length is 4096 tokens. However, you requested ...     OpenAI, vLLM
#   max_tokens=32768 cannot be greater than max_model_len=16384.                               vLLM
#   request (4390 tokens) exceeds the available context size (4096 tokens)                llama.cpp
TOO_LONG = re.compile(r"context (?:length|size|window)|max_model_len", re.IGNORECASE)
SPARE = 1  # tokens of the context that stay free, since SGLang does not let a request fill it


@dataclass(eq=False)
class OpenAIBackend(Connection):
    """Samples from a model behind a URL."""

    model: str

    def __post_init__(self) -> None:
        super().__post_init__()
        self._said: set[str] = set()  # notices that are given only once
        self._models: list[str] = []  # the names that it lists
        self._understood = False  # whether it has ever answered with an output
        self._unknown: set[str] = set()  # settings that the server does not accept
        self._context: int | None = None  # the model's, if the server lists it

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
        async with self.open():
            await self._look_up_context()
            if self._context is not None and sampling.max_tokens >= self._context:
                self._say_once(
                    f"outputs are limited to what the prompt leaves of the model's context of "
                    f"{self._context:,} tokens, rather than to {sampling.max_tokens:,}"
                )
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
                for _ in range(min(self.concurrency, len(requests))):
                    group.create_task(ask_on())

    async def _look_up_context(self) -> None:
        """Contact the server, and learn the length of the model's context if it is listed."""
        try:
            listed = await self.send("GET", "/models", Models)
        except Refused as refused:
            if refused.status in (401, 403):
                raise self._fatal(refused) from None
            return  # some servers do not list models
        models = {model.id: model for model in listed.data or ()}
        self._models = sorted(models)
        if own := models.get(self.model):
            base = models.get(own.parent or "", own)
            self._context = own.max_model_len or base.max_model_len

    async def _ask(self, request: SampleRequest, sampling: Sampling, room: "_Room") -> ModelOutput:
        path, body = write_request(self.model, request, sampling)
        try:
            answered = await self._answer(path, body, room)
        except Unreadable:
            if not self._understood:  # it may be another kind of server
                raise
            self._say_once("unreadable answers of the server count as wrong")
            return UNANSWERED
        except Refused as refused:
            raise self._fatal(refused) from None
        if answered is None:
            self._say_once("prompts that do not fit into the context stay unanswered")
            return DOES_NOT_FIT
        self._understood = True
        answer, seconds = answered
        return answer.output(sampling.stop_strings, seconds)

    async def _answer(
        self, path: str, body: dict[str, Any], room: "_Room"
    ) -> tuple[Answer, float] | None:
        """The answer, with the limit lowered to what fits; None if the prompt does not fit."""
        wanted: int = body["max_tokens"]
        if room.tokens is None and (self._context is None or wanted < self._context):
            try:
                return await self._post(path, body)
            except Refused as refused:
                if not _is_too_long(refused):
                    raise
                await self._measure(path, body, room)
                if room.tokens is None:  # it is not clear what would help
                    raise
        await self._measure(path, body, room)
        limit = wanted if room.tokens is None else min(wanted, room.tokens)
        return await self._post(path, body | {"max_tokens": limit}) if limit else None

    async def _measure(self, path: str, body: dict[str, Any], room: "_Room") -> None:
        """Learn how many tokens fit after a prompt, from the server's answer with one."""
        async with room.measuring:
            if room.tokens is not None:
                return
            try:
                answer, _ = await self._post(path, body | {"max_tokens": 1})
            except Refused as refused:
                if not _is_too_long(refused):
                    raise
                room.tokens = 0
                return
            prompt = answer.usage and answer.usage.prompt_tokens
            if prompt is not None and self._context is not None:
                room.tokens = max(0, self._context - prompt - SPARE)

    async def _post(self, path: str, body: dict[str, Any]) -> tuple[Answer, float]:
        """The answer to a request without the settings that are not accepted, and its seconds."""
        while True:
            body = {name: value for name, value in body.items() if name not in self._unknown}
            began = monotonic()
            try:
                answer = await self.send("POST", path, Answer, body)
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
        url = self.url
        answer = f"{url}{refused.path} answered {refused.status}: {refused.message or 'nothing'}"
        if refused.status in (401, 403):
            return BackendError(f"{answer}; the key is read from the variable --api-key-env names")
        if refused.status == 404 and self._models and self.model not in self._models:
            named = shorten(", ".join(self._models))
            return BackendError(f"{url} has no model {self.model!r}; it has {named}")
        if refused.status == 404 and not self._models and not url.endswith("/v1"):
            return BackendError(f"{answer}; the URL of such a server often ends in /v1")
        return BackendError(answer)

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


def _is_too_long(refused: Refused) -> bool:
    """Whether a request is refused for the length of its prompt and its output."""
    return refused.status in (400, 413, 422) and TOO_LONG.search(refused.message) is not None
