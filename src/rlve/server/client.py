"""A gym that `rlve serve` offers, for trainers in Python on other machines.

    with GymClient("http://gym:8000", token=...) as gym:
        problems = gym.generate([{"environment": "Sorting", "difficulty": 3, "seed": 42}])
        verdicts = gym.verify([{**which, "output": output} for which, output in ...])

Items and results are the records of the server's page. A request without an answer is sent again,
which does no harm, since the server remembers nothing.
"""

import logging
from contextlib import ExitStack
from typing import Any, Self

from rlve.errors import UserError
from rlve.evaluate.backends.transport import Connection, Refused, Unreadable

_log = logging.getLogger(__name__)

Records = list[dict[str, Any]]


class GymClient:
    """Requests to a gym, to be used in a `with` block; several threads may share one.

    token    as the server requires it
    retries  how often to repeat a request
    timeout  seconds allowed for the answer to a request
    """

    def __init__(
        self, url: str, *, token: str | None = None, retries: int = 8, timeout: float = 600.0
    ) -> None:
        self._connection = Connection(
            url, key=token, concurrency=8, retries=retries, timeout=timeout, notify=_log.warning
        )
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        from anyio.from_thread import start_blocking_portal  # comes with httpx

        # A loop in a thread of its own, since a notebook's thread has one already.
        self._portal = self._opened.enter_context(start_blocking_portal())
        opening = self._portal.wrap_async_context_manager(self._connection.open())
        self._opened.enter_context(opening)
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def environments(self) -> dict[str, Any]:
        """The environments, dialogues and collections of the server."""
        return self._send("GET", "/v1/environments")

    def generate(
        self, requests: Records, *, parameters: bool = False, reference: bool = False
    ) -> Records:
        """Problems, as many as requested."""
        content = {"requests": requests, "parameters": parameters, "reference": reference}
        return self._send("POST", "/v1/generate", content)["problems"]

    def verify(self, items: Records, **how: str) -> Records:
        """The verdict on each output; `how` may have marker and reading."""
        return self._send("POST", "/v1/verify", {"items": items, **how})["verdicts"]

    def explain(self, items: Records, **how: str) -> Records:
        """Like verify(), with what was read, and why."""
        return self._send("POST", "/v1/explain", {"items": items, **how})["explanations"]

    def score(self, items: Records, **how: str) -> Records:
        """The rewards and the accuracy of each group of outputs."""
        return self._send("POST", "/v1/score", {"items": items, **how})["scores"]

    def respond(self, items: Records) -> Records:
        """The reply to each conversation."""
        return self._send("POST", "/v1/respond", {"items": items})["replies"]

    def _send(self, method: str, path: str, content: dict[str, Any] | None = None) -> Any:
        try:
            return self._portal.call(self._connection.send, method, path, content)
        except (Refused, Unreadable) as error:
            message = error.message if isinstance(error, Refused) else error
            raise UserError(f"the gym at {self._connection.url}: {message}") from None
