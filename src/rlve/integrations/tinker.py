"""RLVE-Gym and its curriculum in the training loops of tinker-cookbook.

    config = tinker_cookbook.rl.train.Config(
        dataset_builder=RlveDatasetBuilder(environments=("C16",), log_path=path, ...),
        log_path=path, model_name=..., renderer_name=..., ...
    )
    asyncio.run(tinker_cookbook.rl.train.main(config))

The loop asks for batch i once, at the start of step i. By then every trajectory of the previous
step has been judged and counted, so the curriculum moves first and the problems of this step are
then drawn from it. Its state at the start of every step is a line in rlve_curriculum.jsonl beside
the cookbook's checkpoints, so a run can resume from any of them.
"""

# ruff: noqa: E402  the library is checked before it is imported

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from rlve.contract import Problem, Verdict
from rlve.curricula import CurriculumSettings
from rlve.errors import UserError, require
from rlve.formats import BASE, Message, Prompt
from rlve.foundation.files import append_line, cut_torn_line, read_lines
from rlve.gym import Gym, Signal
from rlve.pool import Failure
from rlve.stream import Item

require("tinker-cookbook", extra="tinker", at_least="0.5.8", below="0.6")

import chz
import tinker
from tinker_cookbook import renderers
from tinker_cookbook.rl.types import Env, EnvGroupBuilder, RLDataset, RLDatasetBuilder, StepResult
from tinker_cookbook.tokenizer_utils import get_tokenizer

STATES = "rlve_curriculum.jsonl"

_log = logging.getLogger(__name__)


class RlveEnv(Env):
    """One problem, one reply. The reply is judged with the rest of its group."""

    def __init__(self, messages: list[Message], renderer: Any) -> None:
        self.reply = ""  # stays empty if the rollout is cut off before the reply
        self._messages = messages
        self._renderer = renderer

    async def initial_observation(self) -> Any:
        prompt = self._renderer.build_generation_prompt(self._messages)
        return prompt, self._renderer.get_stop_sequences()

    async def step(self, action: list[int], *, extra: Any = None) -> Any:
        message, _ = self._renderer.parse_response(action)
        self.reply = renderers.get_text_content(message)  # without the thoughts
        return StepResult(
            reward=0.0,  # all of it comes from compute_group_rewards
            episode_done=True,
            next_observation=tinker.ModelInput.empty(),
            next_stop_condition=self._renderer.get_stop_sequences(),
            logs={"reply": self.reply},
        )


class RlveGroupBuilder(EnvGroupBuilder):
    """The group of one problem."""

    def __init__(self, dataset: "RlveDataset", item: Item) -> None:
        self.item = item
        self._dataset = dataset

    async def make_envs(self) -> Sequence[RlveEnv]:
        dataset, messages = self._dataset, _messages(self._dataset.gym.prompt(self.item))
        return [RlveEnv(messages, dataset.renderer) for _ in range(dataset.gym.group)]

    async def compute_group_rewards(
        self, trajectory_group: list[Any], env_group: Sequence[RlveEnv]
    ) -> list[tuple[float, dict[str, float]]]:
        problem: Problem = self.item.problem
        outputs = [(problem, env.reply) for env in env_group]
        return self.count(await asyncio.to_thread(self._dataset.gym.judge, outputs))

    def count(self, judged: Sequence[Verdict | Failure]) -> list[tuple[float, dict[str, float]]]:
        """Count the group's verdicts; return the reward and metrics of each rollout.

        A rollout that could not be judged gets the mean reward of the others: the cookbook
        subtracts the mean, so nothing is learnt from it.
        """
        gym, name, difficulty = self._dataset.gym, self.item.name, self.item.difficulty
        rewards, _ = gym.count(name, difficulty, judged)
        high = gym.curriculum.bounds(name)[1]
        level = {"difficulty": float(difficulty), "h": float(high)}
        return [
            (reward, _metrics(result) | level)
            for reward, result in zip(rewards, judged, strict=True)
        ]

    async def cleanup(self) -> None:
        """Note that the group is over, whether it succeeded or failed."""
        self._dataset.finish(self.item)

    def logging_tags(self) -> list[str]:
        return [self.item.name]


class _Line(msgspec.Struct):
    step: int
    metrics: dict[str, float]
    state: dict[str, Any]


class RlveDataset(RLDataset):
    """A batch of groups for every step, drawn from the curriculum when the step begins.

    groups    groups per batch
    steps     number of batches
    renderer  tinker-cookbook's renderer for the model to train
    states    the file for the state at the start of every step
    """

    def __init__(self, gym: Gym, *, groups: int, steps: int, renderer: Any, states: Path) -> None:
        if gym.format == BASE:
            raise UserError(
                "tinker-cookbook's renderers make chat turns, so the format must be 'chat' or "
                "'plain', not 'base' (for a base model, use renderer_name='role_colon')"
            )
        self.gym = gym
        self.renderer = renderer
        self._groups = groups
        self._steps = steps
        self._states = states
        self._step: int | None = None  # the one under way, or the last
        self._unfinished: set[int] = set()  # positions of its groups; none after it was closed

    def __len__(self) -> int:
        return self._steps

    def get_batch(self, index: int) -> list[RlveGroupBuilder]:
        """Close the previous step, then draw the problems of this one."""
        if self._step is None and index:
            self._resume(index)
        if self._unfinished:  # some groups are still running, as in asynchronous training
            self._close()
        items = self.gym.take(self._groups)
        self._step, self._unfinished = index, {item.position for item in items}
        return [RlveGroupBuilder(self, item) for item in items]

    def finish(self, item: Item) -> None:
        """Note that a group is over. After the last one the step is closed, so that even the last
        step's state is on disk before its checkpoint."""
        if item.position in self._unfinished:
            self._unfinished.remove(item.position)
            if not self._unfinished:
                self._close()

    def _close(self) -> None:
        metrics, step = self.gym.step().flat(), (self._step or 0) + 1
        self._unfinished.clear()
        _log.info("step %d: %s", step, metrics)
        self._states.parent.mkdir(parents=True, exist_ok=True)
        append_line(self._states, _Line(step, metrics, self.gym.state_dict()))

    def _resume(self, step: int) -> None:
        """Go on from the state at the start of a step: the latest, if that step was run twice."""
        if self._states.exists():
            cut_torn_line(self._states)
        lines = [line for line in read_lines(self._states, _Line) if line.step == step]
        if not lines:
            raise UserError(
                f"training resumes at step {step}, but the curriculum's state there is unknown: it "
                f"is not in {self._states}"
            )
        self.gym.load_state_dict(lines[-1].state)


@chz.chz
class RlveDatasetBuilder(RLDatasetBuilder):
    """Makes the dataset when training begins; chz turns its fields into flags."""

    # Names of environments and collections.
    environments: tuple[str, ...] = ("C16",)
    # The model whose tokenizer is used, and the name of its renderer, as in the config.
    model_name_for_tokenizer: str
    renderer_name: str
    # The folder of the run, as in the config; the curriculum's state is kept there.
    log_path: str
    # Problems per batch, rollouts per problem, and training steps.
    batch_size: int = 128
    group_size: int = 16
    steps: int = 1000
    seed: int = 0
    # chat: the answer is read from the last \boxed{}; plain: from <answer> tags as well.
    format: str = "chat"
    # What to train on: the shaped reward, or 0/1 correctness ("correct").
    signal: Signal = "reward"
    # How difficult problems are, e.g. CurriculumSettings(static=(0, 4)).
    curriculum: CurriculumSettings = CurriculumSettings()
    # Problems with longer prompts are replaced.
    max_prompt_tokens: int | None = None
    # For the pool that generates and verifies.
    workers: int | None = None
    deadline: float = 10.0

    async def __call__(self) -> tuple[RlveDataset, None]:
        tokenizer = get_tokenizer(self.model_name_for_tokenizer)
        renderer = renderers.get_renderer(self.renderer_name, tokenizer)

        def length(problem: str) -> int:
            messages = _messages(gym.format.wrap(problem))
            return renderer.build_generation_prompt(messages).length

        gym = Gym(
            self.environments,
            group=self.group_size,
            seed=self.seed,
            format=self.format,
            signal=self.signal,
            curriculum=self.curriculum,
            max_prompt_length=self.max_prompt_tokens,
            length=length,
            workers=self.workers,
            deadline=self.deadline,
        )
        dataset = RlveDataset(
            gym,
            groups=self.batch_size,
            steps=self.steps,
            renderer=renderer,
            states=Path(self.log_path).expanduser() / STATES,
        )
        return dataset, None


def _metrics(judged: Verdict | Failure) -> dict[str, float]:
    """The metrics of one rollout; the cookbook averages each over the rollouts that have it."""
    if isinstance(judged, Failure):
        return {"failed": 1.0}
    return {
        "failed": 0.0,
        "correct": float(judged.correct),
        "well_formed": float(judged.well_formed),
    }


def _messages(prompt: Prompt) -> list[Message]:
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
