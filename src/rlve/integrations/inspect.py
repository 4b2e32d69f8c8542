"""RLVE-Gym as Inspect tasks: the paper's test sets, files of questions, and the frontier.

    inspect eval rlve/held_out --model openai/gpt-5
    inspect eval rlve/in_distribution -T environment=Sorting --model vllm/Qwen/Qwen2.5-7B-Instruct
    inspect eval rlve/questions -T file=problems.jsonl --model ...
    inspect eval rlve/frontier -T environments=HELD_OUT --model ...

Questions, prompts, sampling and verdicts are those of `rlve eval`, so the accuracy is the same.
Outputs are judged by isolated workers with a deadline. An output that cannot be judged counts as
wrong, as there.
"""

# ruff: noqa: E402  the library is checked before it is imported

from pathlib import Path
from random import Random

import msgspec

from rlve.answers import Marker
from rlve.collections import resolve
from rlve.contract import Problem, Verdict
from rlve.datasets.rows import ProblemRow
from rlve.datasets.transfer import shared_pool
from rlve.errors import UserError, require
from rlve.evaluate.backends import Sampling, response_limit
from rlve.evaluate.frontier.curves import Tally, posteriors
from rlve.evaluate.frontier.measure import OUTPUTS_EACH, next_levels, seed_by_date
from rlve.evaluate.frontier.profile import highest
from rlve.evaluate.questions import Suite, read_suite
from rlve.evaluate.testsets import Drawing, held_out_suite, in_distribution_suite
from rlve.formats import Format, Prompt
from rlve.gym import check_no_dialogue
from rlve.integrations.scores import DEADLINE, judge, prompts_of, scores
from rlve.pool import Failure, Request
from rlve.registry import environment as environment_named
from rlve.registry import family
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
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.util import collect


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


# The frontier: one sample for each environment.


@task
def frontier(
    environments: str = "HELD_OUT",
    outputs: int = OUTPUTS_EACH,
    seed: int | None = None,
    format: str = "chat",
) -> Task:
    """The difficulty at which a model is right half of the time, in each environment.

    Each is measured by itself, from at most `outputs` outputs. `rlve frontier` measures all
    together, which lets environments of a family lend each other strength.
    """
    names = resolve(environments.split(","))
    check_no_dialogue(names)  # each problem is asked once
    chosen = find_format(format)
    samples = [
        Sample(input=f"The frontier in {name}", id=name, metadata={"environment": name})
        for name in names
    ]
    return Task(
        name="frontier",
        dataset=MemoryDataset(samples, name=environments),
        solver=_find_frontier(outputs, seed_by_date() if seed is None else seed, chosen),
        scorer=_frontier_scorer(),
        config=_config(chosen),
    )


@solver
def _find_frontier(outputs: int, seed: int, format: Format) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        name: str = state.metadata["environment"]
        tallies: dict[int, Tally] = {}
        tops, families = {name: highest(name)}, {name: family(name)}
        asked = 0
        while levels := next_levels({name: tallies}, families, tops, outputs - asked):
            right = await collect(
                *(
                    _right(name, level, f"{seed}/{asked + place}", format)
                    for place, (_, level) in enumerate(levels)
                )
            )
            asked += len(levels)
            for (_, level), correct in zip(levels, right, strict=True):
                tally = tallies.get(level, Tally())
                tallies[level] = Tally(tally.right + correct, tally.wrong + (not correct))
        state.metadata["frontier"] = posteriors({name: tallies}, families)[name].interval(
            tops[name]
        )
        state.metadata["levels"] = {level: tuple(tally) for level, tally in tallies.items()}
        return state

    return solve


async def _right(name: str, level: int, seed: str, format: Format) -> bool:
    """Whether the model solves a fresh problem."""
    number = Random(f"rlve inspect/{seed}/{name}/{level}").getrandbits(48)
    problem = await anyio.to_thread.run_sync(_make, name, level, number)
    answer = await get_model().generate(_messages(format.render(problem)), config=_config(format))
    judged = await anyio.to_thread.run_sync(judge, problem, answer.completion, format.marker)
    return isinstance(judged, Verdict) and judged.correct


def _make(name: str, level: int, seed: int) -> Problem:
    pool = shared_pool(deadline=DEADLINE)
    [made] = pool.generate([Request(environment_named(name), level, seed)])
    if isinstance(made, Failure):
        raise UserError(f"{name} makes no problem of difficulty {level}: {made.message}")
    return made


@scorer(metrics={"*": [mean(), stderr()]})
def _frontier_scorer() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        value, low, high = state.metadata["frontier"]
        return Score(value={"frontier": value, "low": low, "high": high})

    return score
