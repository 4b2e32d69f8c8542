"""RLVE-Gym as Inspect tasks: the paper's test sets, and files of questions.

    inspect eval rlve/held_out --model openai/gpt-5
    inspect eval rlve/in_distribution -T environment=Sorting --model vllm/Qwen/Qwen2.5-7B-Instruct
    inspect eval rlve/questions -T file=problems.jsonl --model ...

Questions, prompts, sampling and verdicts are those of `rlve eval`, so the accuracy is the same.
Outputs are judged by isolated workers with a deadline. An output that cannot be judged counts as
wrong, as there.
"""

# ruff: noqa: E402  the library is checked before it is imported

from pathlib import Path

import msgspec

from rlve.answers import Marker
from rlve.datasets.rows import ProblemRow
from rlve.errors import require
from rlve.evaluate.backends import Sampling, response_limit
from rlve.evaluate.questions import Suite, read_suite
from rlve.evaluate.testsets import Drawing, held_out_suite, in_distribution_suite
from rlve.formats import Format, Prompt
from rlve.integrations.scores import prompts_of, scores
from rlve.targets import find_format

require("inspect-ai", extra="inspect", at_least="0.3", below="0.4")

import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate


@task
def held_out(count: int = 50, seed: int = 0, format: str = "chat") -> Task:
    """The paper's held-out test set: `count` problems of each of 50 environments."""
    return _task(held_out_suite(count=count, drawing=Drawing(seed=seed)), format)


@task
def in_distribution(
    environment: str,
    count: int = 4_000,
    seed: int = 0,
    format: str = "chat",
) -> Task:
    """The in-distribution test set of one environment."""
    suite = in_distribution_suite(environment, count=count, drawing=Drawing(seed=seed))
    return _task(suite, format)


@task
def questions(file: str, format: str = "chat") -> Task:
    """The questions in a file of `rlve dataset` or `rlve testset`."""
    return _task(read_suite(Path(file)), format)


def _task(suite: Suite, format: str) -> Task:
    chosen = find_format(format)
    return Task(
        name=suite.name.replace(":", "_"),
        dataset=MemoryDataset(
            [_sample(row, prompt) for row, prompt in prompts_of(suite, format)], name=suite.name
        ),
        solver=generate(),
        scorer=verdict(chosen.marker),
        config=_config(chosen),
    )


def _config(format: Format) -> GenerateConfig:
    sampling = Sampling()
    return GenerateConfig(
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        max_tokens=response_limit(format.name),
    )


def _sample(row: ProblemRow, prompt: Prompt) -> Sample:
    return Sample(
        input=_messages(prompt),
        target=row.answer or "",
        id=row.id,
        metadata={"row": msgspec.to_builtins(row)},
    )


def _messages(prompt: Prompt) -> list[ChatMessage]:
    if isinstance(prompt, str):
        return [ChatMessageUser(content=prompt)]
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    return [kinds[message["role"]](content=message["content"]) for message in prompt]


@scorer(metrics={"*": [mean(), stderr()]})
def verdict(marker: Marker = "any") -> Scorer:
    """Correct, correct if read forgivingly, and the reward, of the environment's own verifier."""

    async def score(state: TaskState, target: Target) -> Score:
        row = msgspec.convert(state.metadata["row"], ProblemRow)
        value, failure = await anyio.to_thread.run_sync(
            scores, row.request(), state.output.completion, marker
        )
        return Score(value=dict(value), explanation=failure)

    return score
