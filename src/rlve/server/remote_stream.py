"""A curriculum of `rlve serve`, and the stream of problems that are drawn from it."""

import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from random import Random
from secrets import token_hex
from typing import Any, Final, Self, TypeVar

import msgspec

from rlve.curricula import Change, Curriculum, CurriculumSettings
from rlve.errors import UserError
from rlve.registry import environment
from rlve.server.connection import Connection, Refused, in_requests
from rlve.stream import Item

GONE: Final = 404  # a session that is deleted, or that the server lost when it was restarted
RESTARTS: Final = 10  # of the server while one request is repeated

_log = logging.getLogger(__name__)

T = TypeVar("T")


class RemoteCurriculum:
    """The curriculum of a session, with the interface of any other curriculum.

    Observations are sent at the end of a step, and before the state is requested. What could not be
    sent is kept: the next call sends it again, with the same key.

    A server that is restarted has lost its sessions. Then another is begun from the last known
    state, and everything that was done since is done again: it ends where the lost one was.
    """

    def __init__(self, connection: Connection, wanted: dict[str, Any]) -> None:
        self._connection = connection
        self.health = connection.health()
        self._wanted = wanted  # with the last known state, if any
        self._done: list[tuple[str, dict[str, Any]]] = []  # what was sent since then
        self._observed: list[dict[str, Any]] = []
        self._reports: deque[dict[str, Any]] = deque()  # the first may have been counted already
        self._step_key = token_hex(8)
        self._bounds: dict[str, tuple[int, int]] = {}
        self._see(self._begin())

    @property
    def names(self) -> Sequence[str]:
        return tuple(self._bounds)

    @property
    def resting(self) -> list[str]:
        """The environments that are rarely drawn at present."""
        return self._resting

    def draw(self, rng: Random) -> tuple[str, int]:
        raise UserError("the server draws: take problems from the RemoteStream")

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        self.bounds(name)
        results = {"correct": list(map(bool, correct)), "rewards": list(rewards)}
        self._observed.append({"environment": name, "difficulty": difficulty, **results})

    def step(self) -> list[Change]:
        self._tell()
        received = self.post("step", {"key": self._step_key})
        self._step_key = token_hex(8)
        self._know(received["state"])
        self._see(received)
        return [msgspec.convert(change, Change) for change in received["changes"]]

    def bounds(self, name: str) -> tuple[int, int]:
        try:
            return self._bounds[name]
        except KeyError:
            raise UserError(f"the curriculum has no environment named {name!r}") from None

    def state_dict(self) -> dict[str, Any]:
        self._tell()
        state = self._ask(lambda: self._connection.call("GET", f"{self.session}/state"))["state"]
        self._know(state)
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.put_state(state)

    def put_state(self, state: dict[str, Any]) -> dict[str, Any]:
        """Load a state; returns the session as it is then."""
        seen = self._ask(
            lambda: self._connection.call("PUT", f"{self.session}/state", {"state": state})
        )
        self._observed.clear()
        self._reports.clear()
        self._know(state)
        self._see(seen)
        return seen

    def post(self, what: str, content: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the session; its key lets it be sent again without counting twice."""
        received = self._ask(lambda: self._send(what, content))
        self._done.append((what, content))
        return received

    def _send(self, what: str, content: dict[str, Any]) -> dict[str, Any]:
        return self._connection.call("POST", f"{self.session}/{what}", content)

    def _begin(self) -> dict[str, Any]:
        """Begin a session where the one before was, if any."""
        wanted = self._wanted | {"key": token_hex(8)}
        received = self._connection.call("POST", "/v1/sessions", wanted)
        self.session = f"/v1/sessions/{received['id']}"
        for what, content in self._done:
            self._send(what, content)
        return received

    def _ask(self, ask: Callable[[], T]) -> T:
        """What the session answers, if need be after the server's restart."""
        restarts = 0
        while True:
            try:
                if restarts:
                    self._begin()
                return ask()
            except Refused as refusal:
                if refusal.status != GONE or restarts == RESTARTS:
                    raise
                restarts += 1
                _log.warning("the gym has lost %s; it is begun again where it was", self.session)

    def _know(self, state: dict[str, Any]) -> None:
        """Remember a state from which the session can be begun again."""
        self._wanted = self._wanted | {"state": state}
        self._done.clear()

    def _tell(self) -> None:
        for groups in in_requests(self._observed, self.health):
            self._reports.append({"groups": groups, "key": token_hex(8)})
        self._observed.clear()
        while self._reports:
            try:
                self.post("report", self._reports[0])
            except Refused:  # sent again it would be refused again, and so would all after it
                self._reports.popleft()
                raise
            self._reports.popleft()

    def _see(self, received: dict[str, Any]) -> None:
        bounds = received["bounds"].items()
        self._bounds = {name: (ends["low"], ends["high"]) for name, ends in bounds}
        self._resting: list[str] = received["resting"]


class RemoteStream:
    """Problems drawn from a curriculum on the server, with the interface of Stream.

    environments       names of environments and collections
    group              outputs per problem
    curriculum         settings of the curriculum
    max_prompt_length  in characters; problems with longer prompts are replaced
    patience           how many seconds to keep trying once the server is unreachable or busy
    """

    def __init__(
        self,
        url: str,
        environments: Iterable[str],
        *,
        group: int,
        seed: int = 0,
        curriculum: CurriculumSettings = CurriculumSettings(),  # noqa: B008  frozen
        max_prompt_length: int | None = None,
        token: str | None = None,
        patience: float = 60.0,
    ) -> None:
        wanted = {
            "environments": list(environments),
            "seed": seed,
            "group": group,
            **curriculum.options(),
            "max_prompt_length": max_prompt_length,
        }
        self.group = group
        self._connection = Connection(url, token, patience=patience)
        self._remote = RemoteCurriculum(self._connection, wanted)
        self.curriculum: Curriculum = self._remote
        self.position = 0  # of the next problem
        self._drawn = 0  # the position of the next problem on the server
        self._arrived: list[Item] = []  # in a take() that failed before it had all
        self.redrawn: dict[str, dict[str, int]] = {}
        self.avoided: dict[str, list[int]] = {}

    def take(self, count: int) -> list[Item]:
        """The next problems, drawn from the curriculum as it stands now."""
        if count < 0:
            raise UserError(f"the number of problems must be at least 0, not {count!r}")
        while len(self._arrived) < count:
            portion = min(count - len(self._arrived), self._remote.health.batch)
            # Named after its place, so that a take() that fails can be repeated.
            wanted = {"count": portion, "key": f"{portion} from {self._drawn}"}
            drawn = self._remote.post("draw", wanted)
            self._arrived += map(_item, itertools.count(drawn["position"]), drawn["problems"])
            self._drawn = drawn["position"] + portion
            self.redrawn, self.avoided = drawn["redrawn"], drawn["avoided"]
        items, self._arrived = self._arrived[:count], self._arrived[count:]
        self.position += count
        return items

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Item:
        return self.take(1)[0]

    def look_ahead(self) -> None:
        """Do nothing: the server looks ahead anyway."""

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to continue exactly from here, even in another session."""
        return self._remote.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        session = self._remote.put_state(state)
        self.position = self._drawn = session["position"]
        self._arrived = []
        self.redrawn, self.avoided = session["redrawn"], session["avoided"]

    def close(self, *, patience: float | None = None) -> None:
        """Delete the session on the server, and close the connection."""
        if self._connection.closed:
            return
        try:
            self._connection.call("DELETE", self._remote.session, patience=patience)
        except Refused as refusal:
            if refusal.status != GONE:
                raise
        finally:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.close(patience=0.0)
        except UserError as error:  # what was done in the block is done
            _log.warning("the session could not be deleted: %s", error)


def _item(position: int, drawn: dict[str, Any]) -> Item:
    name = drawn["environment"]
    problem = environment(name).from_parameters(drawn["parameters"])
    return Item(position, name, drawn["difficulty"], drawn["seed"], problem)
