"""RLVE-Gym as an OpenEnv server of problems, with a typed client.

    uvicorn --factory rlve.integrations.openenv:create_app --port 8000

    with RlveClient(base_url="http://localhost:8000").sync() as client:
        problem = client.reset(environment="Sorting", difficulty=3, seed=42)
        result = client.step(RlveAction(output=policy(problem.observation.prompt)))
        result.reward, result.observation.correct

An episode is one problem and one output or, if the problem answers back, a conversation with it: a
step for each message, until the result is done. Environment and difficulty are arguments of reset,
so the trainer can keep its own curriculum (rlve.AdaptiveCurriculum).
"""

# ruff: noqa: E402  the library is checked before it is imported

import secrets
from collections.abc import Iterable, Sequence
from functools import partial
from random import Random
from typing import Any

from rlve.collections import resolve
from rlve.contract import Problem, Verdict, check_difficulty
from rlve.errors import UserError, require
from rlve.formats import Format, Prompt, prompt_format
from rlve.integrations.replies import reply_to
from rlve.pool import Failure, FailureKind, Pool, Request, shared_pool
from rlve.registry import environment as find

require("openenv-core", extra="openenv", at_least="0.3.0", below="0.4")

from fastapi import FastAPI
from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app


class RlveAction(Action):
    """The model's output, exactly as written: in a dialogue, its next message."""

    output: str


class RlveObservation(Observation):
    """A problem and, after the last step, the verdict and the reward.

    In a dialogue, `reply` is what the problem says to the message, and `prompt` grows by both: it
    is what the model is given for its next message.

    An output that could not be judged has neither: `failure` says why, and nothing should be
    learnt from it.
    """

    environment: str
    difficulty: int
    seed: int  # with the two above, it gives the same problem again, anywhere
    prompt: Prompt
    correct: bool | None = None
    well_formed: bool | None = None
    reply: str | None = None
    failure: FailureKind | None = None  # deadline, crash, memory or error


class RlveState(State):
    """The state of an episode, without the answer."""

    environment: str | None = None
    difficulty: int | None = None
    seed: int | None = None
    done: bool = False


class RlveEnvironment(Environment[RlveAction, RlveObservation, RlveState]):
    """One session. The server calls it in a separate thread, not in the event loop."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, pool: Pool, names: Sequence[str], format: Format) -> None:
        super().__init__()
        self._pool = pool
        self._names = names
        self._format = format
        self._problem: Problem | None = None
        self._observation: RlveObservation | None = None
        self._messages: list[str] = []
        self._state = RlveState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        environment: str | None = None,
        difficulty: int = 0,
        **others: Any,
    ) -> RlveObservation:
        """Start an episode with a new problem.

        environment  its name; by default, the seed picks one of the server's environments
        difficulty   0, 1, 2, ...
        seed         the same seed gives the same problem; random by default
        """
        if others:
            raise UserError(
                "reset takes environment, difficulty, seed and episode_id, "
                f"not {', '.join(sorted(others))}"
            )
        if seed is None:
            seed = secrets.randbits(32)
        if environment is None:
            environment = Random(f"openenv/{seed}").choice(self._names)
        cls = find(environment)
        check_difficulty(cls, difficulty)
        made = self._pool.generate([Request(cls, difficulty, seed)])[0]
        if isinstance(made, Failure):
            raise UserError(
                f"{environment} at difficulty {difficulty} with seed {seed} gave no problem, "
                f"{made.kind}: {made.message}"
            )
        self._problem, self._messages = made, []
        self._state = RlveState(
            episode_id=episode_id or secrets.token_hex(16),
            environment=environment,
            difficulty=difficulty,
            seed=seed,
        )
        self._observation = RlveObservation(
            environment=environment,
            difficulty=difficulty,
            seed=seed,
            prompt=self._format.render(made),
        )
        return self._observation

    def step(
        self, action: RlveAction, timeout_s: float | None = None, **others: Any
    ) -> RlveObservation:
        """What comes back, within the deadline of the server's pool."""
        if self._problem is None or self._observation is None:
            raise UserError(
                "there is no problem yet: call reset first, in the same session (use /ws; "
                "every request to /reset or /step is its own session)"
            )
        if self._state.done:
            raise UserError("the problem has already been answered: call reset first")
        self._messages.append(action.output)
        reply = reply_to(self._problem, self._messages, pool=self._pool, marker=self._format.marker)
        self._state.step_count += 1
        self._state.done = isinstance(reply, Failure) or reply.verdict is not None
        seen: dict[str, Any] = {"done": self._state.done}
        if isinstance(reply, Failure):
            seen["failure"] = reply.kind
        else:
            seen["reply"] = reply.text or None
            if (verdict := reply.verdict) is not None:
                seen |= {name: getattr(verdict, name) for name in Verdict.__struct_fields__}
            else:
                prompt = self._observation.prompt
                seen["prompt"] = self._format.follow(prompt, action.output, reply.text)
        self._observation = self._observation.model_copy(update=seen)
        return self._observation

    @property
    def state(self) -> RlveState:
        return self._state


class RlveClient(EnvClient[RlveAction, RlveObservation, RlveState]):
    """The typed client; OpenEnv's GenericEnvClient, with plain dicts, also works."""

    def _step_payload(self, action: RlveAction) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult:
        outcome = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        observation = RlveObservation(**payload["observation"], **outcome)
        return StepResult(observation=observation, **outcome)

    def _parse_state(self, payload: dict[str, Any]) -> RlveState:
        return RlveState(**payload)


def create_app(
    environments: Iterable[str] = ("ALL",),
    *,
    format: str | Format = "chat",
    sessions: int = 256,
    pool: Pool | None = None,
) -> FastAPI:
    """The server, as a FastAPI app.

    environments  names and collections that a reset without a name draws from
    format        how problems are put to the model: chat, base, plain, or a Format
    sessions      how many clients may be connected at once
    pool          generates and verifies; by default, on every core, with a deadline of 10 seconds
    """
    make = partial(
        RlveEnvironment, pool or shared_pool(), resolve(environments), prompt_format(format)
    )
    return create_fastapi_app(make, RlveAction, RlveObservation, max_concurrent_envs=sessions)
