"""Curricula that clients keep on the server: problems out, verdicts in.

A reply can be lost on the way. A client may therefore give each request a key: repeating the key
repeats the reply, and nothing is started, drawn, counted or moved twice.

Sessions live in memory. After a restart, a client continues in a new session, from the state that
the last step gave it; `rlve.server.client` does so by itself.

A client can be killed before it deletes its session. If there is no room for a new session, the one
that has been idle longest makes room, provided that this is long enough.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from secrets import token_hex
from time import monotonic
from typing import Any, Final, TypeVar

from msgspec.structs import asdict

from rlve.contract import Verdict
from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.gym import Gym
from rlve.pool import Pool
from rlve.server import wire
from rlve.server.counters import Counters
from rlve.server.problems import names_of, wire_problem
from rlve.stream import Stream

REMEMBERED: Final = 16  # replies of a session that can be repeated
IDLE_SECONDS: Final = 6 * 3600  # after which a session may be deleted to make room

_log = logging.getLogger(__name__)

T = TypeVar("T")
W = TypeVar("W", wire.Draw, wire.Report, wire.Step)


class NoSuchSession(UserError, LookupError):
    """There is no session with that id."""


class TooManySessions(UserError):
    """The server cannot keep any more sessions."""


def _once(work: "Callable[[CurriculumSession, W], T]") -> "Callable[[CurriculumSession, W], T]":
    """Let a method answer one request at a time; repeating a key repeats the reply."""

    @wraps(work)
    def answer(session: "CurriculumSession", wanted: W) -> T:
        with session.lock:
            if wanted.key is not None and wanted.key in session.replies:
                return session.replies[wanted.key]
            reply = work(session, wanted)
            if wanted.key is not None:
                session.replies[wanted.key] = reply
                if len(session.replies) > REMEMBERED:
                    session.replies.popitem(last=False)
            return reply

    return answer


class CurriculumSession:
    """One curriculum and the stream that draws from it; one request at a time."""

    def __init__(self, wanted: wire.NewSession, pool: Pool, counters: Counters) -> None:
        names = list(dict.fromkeys(n for word in wanted.environments for n in names_of(word)))
        options = {each.name: getattr(wanted, each.name) for each in fields(CurriculumSettings)}
        self.id = token_hex(8)
        self.key = wanted.key
        self.used = monotonic()  # when it was last asked for
        self.steps = 0
        self._counters = counters
        self._stream = Stream(
            CurriculumSettings(**options).build(names, group=wanted.group),
            seed=wanted.seed,
            pool=pool,
            max_prompt_length=wanted.max_prompt_length,
        )
        self._gym = Gym(group=max(2, wanted.group), pool=pool, source=self._stream)
        self.lock = threading.RLock()
        self.replies: OrderedDict[str, Any] = OrderedDict()
        if wanted.state is not None:
            self.load(wire.State(state=wanted.state))

    @_once
    def draw(self, wanted: wire.Draw) -> wire.Drawn:
        """The next problems."""
        position = self._stream.position
        items = self._gym.take(wanted.count)
        self._counters.add("rlve_problems_total", len(items), outcome="drawn")
        return wire.Drawn(
            position=position,
            problems=[wire_problem(i.problem, i.difficulty, i.seed) for i in items],
            redrawn=self._stream.redrawn,
            avoided=self._stream.avoided,
        )

    @_once
    def report(self, verdicts: wire.Report) -> wire.Session:
        """Count the verdicts on finished groups."""
        for group in verdicts.groups:
            self._gym.curriculum.bounds(group.environment)  # all are known, or none is counted
        for group in verdicts.groups:
            rewards = group.rewards or map(float, group.correct)
            judged = [
                Verdict(reward=reward, correct=correct, well_formed=True)
                for reward, correct in zip(rewards, group.correct, strict=True)
            ]
            self._gym.count(group.environment, group.difficulty, judged)
        return self.describe()

    @_once
    def step(self, _: wire.Step) -> wire.Stepped:
        """End a training step: h may rise."""
        self._gym.step()
        self.steps += 1
        return wire.Stepped(
            steps=self.steps,
            changes=[wire.Moved(**asdict(change)) for change in self._gym.changes],
            bounds=self._bounds(),
            resting=self._gym.resting,
            state=self.state().state,
        )

    def describe(self) -> wire.Session:
        """The current state, as clients see it."""
        with self.lock:
            return wire.Session(
                id=self.id,
                position=self._stream.position,
                steps=self.steps,
                bounds=self._bounds(),
                redrawn=self._stream.redrawn,
                avoided=self._stream.avoided,
                resting=self._gym.resting,
            )

    def state(self) -> wire.State:
        """What `load` needs to continue from here."""
        with self.lock:
            return wire.State(state={"steps": self.steps, "stream": self._gym.state_dict()})

    def load(self, saved: wire.State) -> wire.Session:
        """Continue from a saved state."""
        steps, stream = saved.state.get("steps"), saved.state.get("stream")
        if not isinstance(steps, int) or not isinstance(stream, dict):
            raise UserError("not the state of a session: steps or stream is missing")
        with self.lock:
            self._gym.load_state_dict(stream)  # pyright: ignore[reportUnknownArgumentType]
            self.steps = steps
            self.replies.clear()
            return self.describe()

    def _bounds(self) -> dict[str, wire.Range]:
        bounds = self._gym.bounds.items()
        return {name: wire.Range(low=low, high=high) for name, (low, high) in bounds}


class SessionBook:
    """The sessions of a server."""

    def __init__(self, pool: Pool, most: int, counters: Counters) -> None:
        self._pool = pool
        self._most = most
        self._counters = counters
        self._sessions: dict[str, CurriculumSession] = {}
        self._creating = threading.Lock()

    def __len__(self) -> int:
        return len(self._sessions)

    def create(self, wanted: wire.NewSession) -> CurriculumSession:
        """A new session, or the one that a request with the same key has started."""
        with self._creating:
            for session in self.all():
                if wanted.key is not None and session.key == wanted.key:
                    return session
            session = CurriculumSession(wanted, self._pool, self._counters)
            if len(self) >= self._most:
                self._make_room()
            self._sessions[session.id] = session
            return session

    def _make_room(self) -> None:
        idlest = min(self.all(), key=lambda session: session.used, default=None)
        if idlest is None or monotonic() - idlest.used < IDLE_SECONDS:
            raise TooManySessions(
                f"the server already keeps {self._most} sessions: delete one first"
            )
        _log.warning("deleted the session %s, which has been idle for hours", idlest.id)
        self._sessions.pop(idlest.id, None)

    def all(self) -> list[CurriculumSession]:
        return list(self._sessions.values())

    def find(self, name: str) -> CurriculumSession:
        """The session with that id."""
        try:
            session = self._sessions[name]
        except KeyError:
            raise NoSuchSession(f"there is no session {name!r}") from None
        session.used = monotonic()
        return session

    def delete(self, name: str) -> None:
        self.find(name)
        self._sessions.pop(name, None)
