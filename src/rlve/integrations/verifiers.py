"""RLVE-Gym as an endless verifiers taskset, at fixed difficulties.

    vf-eval rlve-taskset --env.taskset.environments '["C4"]' --env.taskset.high 3 -n 32 -r 4 \\
        -m MODEL --client.base-url http://localhost:8000/v1 --no-push

A problem travels as the data of its task, so whichever process scores a rollout can judge it.
verifiers does not tell a taskset about verdicts, so there is no curriculum here. A rollout that
cannot be judged has no reward: it is a task error, which verifiers counts, keeps separate and
tries again when the evaluation is resumed.

The names that vf-eval looks for are exported by the top-level module rlve_taskset, because
verifiers finds a taskset only by the name of a top-level module.
"""

# ruff: noqa: E402  the library is checked before it is imported

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

from rlve.answers import Marker
from rlve.collections import resolve
from rlve.contract import Verdict
from rlve.curricula import StaticCurriculum
from rlve.datasets.transfer import TravellingRow, judge, travelling_row
from rlve.dialogue import Reply, conversation
from rlve.errors import require
from rlve.formats import CHAT, Format, Prompt, prompt_format
from rlve.gym import Signal, reward
from rlve.integrations.replies import reply_to
from rlve.pool import Failure, shared_pool
from rlve.registry import is_dialogue
from rlve.stream import Stream

require("verifiers", extra="verifiers", at_least="0.4.0", below="0.5")

import openai
import verifiers.v1 as vf
from pydantic import Field, model_validator
from verifiers.v1.dialects.chat import message_to_wire


class RlveTaskConfig(vf.TaskConfig):
    """How a problem is scored: --env.taskset.task.*"""

    signal: Signal = "reward"
    """The reward: shaped, in [-1, 1], or 0/1 ("correct")."""
    deadline: float = 10.0
    """Seconds allowed for a verdict."""


class RlveTasksetConfig(vf.TasksetConfig):
    """Which problems to draw: --env.taskset.*"""

    environments: list[str] = Field(default=["C16"])
    """Names of environments and collections."""
    low: int = 0
    """The lowest difficulty."""
    high: int = 3
    """The highest difficulty."""
    seed: int = 0
    """The seed of all random choices: the same seed gives the same tasks."""
    format: Literal["chat", "plain"] = "chat"
    """chat: the answer is read from the last \\boxed{}; plain: from <answer> tags as well."""
    max_prompt_length: int | None = None
    """In characters; problems with longer prompts are replaced."""
    task: RlveTaskConfig = RlveTaskConfig()

    @model_validator(mode="after")
    def _check(self) -> "RlveTasksetConfig":
        self.stream()  # so that a wrong name or range is reported as a command-line error
        return self

    def stream(self) -> Stream:
        """The endless stream of problems."""
        return Stream(
            StaticCurriculum(resolve(self.environments), self.low, self.high),
            seed=self.seed,
            max_prompt_length=self.max_prompt_length,
        )


COLUMNS = ("environment", "difficulty", "seed", "marker", "parameters", "source")


class RlveTaskData(vf.TaskData):
    """A problem as plain JSON: the columns of a TravellingRow that judging needs."""

    environment: str
    difficulty: int
    seed: int
    marker: Marker
    parameters: str
    source: str | None = None

    def row(self) -> TravellingRow:
        """The problem, for `judge`."""
        return TravellingRow(**{name: getattr(self, name) for name in COLUMNS})

    @property
    def answers_back(self) -> bool:
        """Whether the problem replies to the model's messages."""
        return is_dialogue(self.row().environment_class())


class RlveTask(vf.Task[RlveTaskData, vf.State, RlveTaskConfig]):
    """A problem, scored by the last reply or, if it answers back, by the conversation."""

    # Metrics are computed before rewards, so one verdict serves both.
    @vf.metric
    async def verdict(self, trace: Any) -> dict[str, float]:
        said = conversation(_messages_in(trace)) if self.data.answers_back else trace.last_reply
        verdict = await self.judge(said)
        return {
            "rlve_reward": verdict.reward,
            "correct": float(verdict.correct),
            "well_formed": float(verdict.well_formed),
            "difficulty": float(self.data.difficulty),
        }

    @vf.reward
    async def rlve(self, trace: Any) -> float:
        seen = trace.metrics
        verdict = Verdict(seen["rlve_reward"], bool(seen["correct"]), bool(seen["well_formed"]))
        return reward(verdict, self.config.signal)

    async def validate(self, runtime: Any) -> bool | None:
        """Whether the reference is correct (vf-validate); None if there is none."""
        problem = self.data.row().problem()
        answer = await asyncio.to_thread(problem.reference)
        return None if answer is None else (await self.judge(CHAT.output(problem, answer))).correct

    async def reply(self, trace: Any) -> str | None:
        """What the problem says to the model's last message; None if it is over."""
        said = await asyncio.to_thread(
            reply_to,
            self.data.row().problem(),
            _messages_in(trace),
            pool=shared_pool(deadline=self.config.deadline),
            marker=self.data.marker,
        )
        # If there is no reply, judging the conversation will say what is wrong.
        return said.text if isinstance(said, Reply) and said.verdict is None else None

    async def judge(self, output: str) -> Verdict:
        """The verdict on an output, from a worker, without blocking the event loop."""
        row, deadline = self.data.row(), self.config.deadline
        judged = await asyncio.to_thread(judge, row, output, deadline=deadline)
        if isinstance(judged, Failure):
            raise vf.TaskError(f"the output cannot be judged, {judged.kind}: {judged.message}")
        return judged


class RlveTaskset(vf.Taskset[RlveTask, RlveTasksetConfig]):
    """Endless problems: limit them with -n, or with take(n)."""

    INFINITE = True

    def load(self) -> Iterator[RlveTask]:
        format: Format = prompt_format(self.config.format)
        for item in self.config.stream():
            row = travelling_row(item, format.marker)
            data = RlveTaskData(
                id=row.id,
                name=item.name,
                prompt=_text(format.render(item.problem)),
                **{name: getattr(row, name) for name in COLUMNS},
            )
            yield RlveTask(data, self.config.task)


class OneReply(vf.Harness[vf.HarnessConfig]):
    """One request and one reply, in this process: a problem needs no program and no sandbox."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: Any,
    ) -> Any:
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages += [message_to_wire(message) for message in prompt or ()]
        # The rollout's timeout limits long generations, and its retries repeat failed ones.
        client = openai.AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None, max_retries=0)
        async with client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class RlveEnvConfig(vf.EnvConfig):
    """Where the policy under evaluation runs: --env.agent.*"""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class RlveEnv(vf.Env[RlveEnvConfig]):
    """One agent on this machine: one reply or, if the problem answers back, a conversation."""

    async def run(self, task: Any, agents: Any) -> None:
        if not task.data.answers_back:
            await agents.agent.run(task)
            return
        async with agents.agent.interaction(task) as talk:
            segment = await talk.turn()
            while not segment.terminated and (said := await task.reply(talk.trace)) is not None:
                segment = await talk.turn(said)


def _messages_in(trace: Any) -> list[str]:
    """The model's messages."""
    return [message.content or "" for message in trace.assistant_messages]


def _text(prompt: Prompt) -> str:
    """The prompt as the text of one user turn, which every harness accepts."""
    return prompt if isinstance(prompt, str) else prompt[-1]["content"]
