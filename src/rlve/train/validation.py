"""Learning is measured: accuracy on fixed problems that are never trained on.

h says what is drawn, not what is known. So every run measures how many problems at fixed levels the
policy solves: before the first step, now and then, and after the last step, at the training
temperature and at the evaluation temperature. The problems have negative seeds, which training
problems never have. Measuring leaves the run unchanged, including its random numbers.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Final, Protocol

from rlve.collections import HELD_OUT
from rlve.contract import Problem, Verdict
from rlve.errors import UserError
from rlve.models.engines import Engine
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout, check_numbers
from rlve.pool import Failure, Pool, Request
from rlve.registry import environment
from rlve.train.config import RunConfig, ValidationConfig
from rlve.train.history import Accuracy, ValidationRecord

MOST_TIMES: Final = 10  # measurements in a run, unless validation.every says how often
SEED: Final = 20_25  # for sampling: every measurement draws the same random numbers


@dataclass(frozen=True)
class ValidationPlan:
    """What to measure, and after which steps."""

    names: tuple[str, ...]
    held_out: tuple[str, ...]
    problems: int  # per environment and level
    every: int | None  # None: only before and after training
    unseen_problems: int | None = None  # per held-out environment and level; None: the same

    def due(self, step: int, last: int) -> bool:
        """Whether to measure accuracy after this step."""
        return step in (0, last) or (self.every is not None and step % self.every == 0)


class MeasuredConfig(Protocol):
    """The settings of a run that measuring needs."""

    @property
    def validation(self) -> ValidationConfig: ...
    @property
    def run(self) -> RunConfig: ...
    @property
    def outputs_per_step(self) -> int: ...
    @property
    def temperature(self) -> float: ...


def plan_validation(config: MeasuredConfig, names: Sequence[str]) -> ValidationPlan | None:
    """Plan measurements that fit into their share of the outputs; None if nothing is measured.

    Outputs are counted rather than seconds, so that the plan is the same on every machine.
    """
    settings = config.validation
    if settings.every == 0 or not names:
        return None
    chosen = _some(_measurable(settings, names), settings.environments)
    unseen = replace(settings, levels=held_out_levels(settings))
    others = _some(
        _measurable(unseen, [name for name in HELD_OUT if name not in names]), settings.held_out
    )
    if not chosen:
        raise UserError(f"no environment has any of validation.levels {settings.levels}")
    levels = sum(len(levels_of(settings, name)) for name in chosen)
    levels += sum(len(levels_of(unseen, name)) for name in others)
    budget = settings.share * config.run.steps * config.outputs_per_step
    once = len(temperatures_of(config)) * levels  # outputs for one problem of each level
    if settings.every is not None:
        return ValidationPlan(
            chosen, others, settings.problems, settings.every, settings.held_out_problems
        )
    affordable = int(budget // (2 * once))  # measuring before and after
    problems = max(1, min(settings.problems, affordable))
    times = min(MOST_TIMES, int(budget // (once * problems)))
    every = -(-config.run.steps // (times - 1)) if times > 2 else None
    few = settings.held_out_problems
    return ValidationPlan(
        chosen, others, problems, every, None if few is None else min(few, problems)
    )


def temperatures_of(config: MeasuredConfig) -> tuple[float, ...]:
    """The temperatures at which accuracy is measured, with the training temperature first."""
    if config.validation.temperatures is not None:
        return config.validation.temperatures
    return tuple(dict.fromkeys((config.temperature, 0.6)))


def levels_of(settings: ValidationConfig, name: str) -> list[int]:
    """The levels at which an environment is measured: those it has."""
    highest = environment(name).max_difficulty
    return [d for d in settings.levels if highest is None or d <= highest]


def held_out_levels(settings: ValidationConfig) -> tuple[int, ...]:
    """The levels at which held-out environments are measured."""
    return settings.levels if settings.held_out_levels is None else settings.held_out_levels


def _measurable(settings: ValidationConfig, names: Sequence[str]) -> list[str]:
    """The environments that have any of the levels."""
    return [name for name in names if levels_of(settings, name)]


def _some(names: Sequence[str], most: int) -> tuple[str, ...]:
    """At most this many of the names; always the same ones."""
    if len(names) <= most:
        return tuple(names)
    return tuple(sorted(Random("validation").sample(sorted(names), most)))


class Validation:
    """Measures accuracy on the problems of a plan.

    max_prompt_tokens   problems with longer prompts are not asked, and count as unsolved
    """

    def __init__(
        self,
        config: MeasuredConfig,
        plan: ValidationPlan,
        policy: Policy,
        engine: Engine,
        pool: Pool,
        *,
        max_prompt_tokens: int,
    ) -> None:
        self.config = config
        self.plan = plan
        self.policy = policy
        self.engine = engine
        self.pool = pool
        self.max_prompt_tokens = max_prompt_tokens
        self._asked: list[_Question] | None = None

    def go_on_from(self, first: ValidationRecord) -> None:
        """Measure the same problems as the first time, even if a longer run could afford others."""
        by_level = first.measured[0].by_level
        levels = sum(len(by_level[name]) for name in first.trained)
        self.plan = replace(self.plan, problems=first.trained_problems // levels)
        if first.held_out:
            levels = sum(len(by_level[name]) for name in first.held_out)
            unseen = first.problems - first.trained_problems
            self.plan = replace(self.plan, unseen_problems=unseen // levels)

    def measure(
        self, step: int, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> ValidationRecord:
        """Measure the policy's accuracy; `progress` is called with outputs done and their total."""
        begin = time.perf_counter()
        questions = self._questions()
        temperatures = temperatures_of(self.config)
        total = len(temperatures) * len(questions)
        measured: list[Accuracy] = []
        failures = 0
        for temperature in temperatures:
            training = temperature == self.config.temperature
            top_p = 1.0 if training else self.config.validation.top_p
            done = len(questions) * len(measured)
            report = partial(_report, progress, done, total)
            outputs = self._sampled(questions, temperature, top_p, report)
            answered = [
                (question.problem, self.policy.decode(output.tokens))
                for question, output in zip(questions, outputs, strict=True)
                if question.prompt is not None
            ]
            judged = self.pool.judge(answered, marker=self.policy.form.marker)
            failures += sum(isinstance(verdict, Failure) for verdict in judged)
            measured.append(_accuracy(temperature, questions, outputs, judged))
        return ValidationRecord(
            step=step,
            problems=len(questions),
            held_out=list(self.plan.held_out),
            measured=measured,
            too_long=sum(question.prompt is None for question in questions),
            failures=failures,
            seconds=time.perf_counter() - begin,
        )

    def _questions(self) -> "list[_Question]":
        """The problems, generated once."""
        if self._asked is None:
            settings, plan = self.config.validation, self.plan
            unseen = replace(settings, levels=held_out_levels(settings))
            wanted = [
                Request(environment(name), difficulty, -1 - index)
                for names, at, problems in (
                    (plan.names, settings, plan.problems),
                    (plan.held_out, unseen, plan.unseen_problems or plan.problems),
                )
                for name in names
                for difficulty in levels_of(at, name)
                for index in range(problems)
            ]
            self._asked = []
            for request, made in zip(wanted, self.pool.generate(wanted), strict=True):
                name = request.environment.__name__
                if isinstance(made, Failure):
                    raise UserError(
                        f"{name} gave no problem to measure accuracy on at difficulty "
                        f"{request.difficulty}: {made.message}; leave that level out of "
                        "validation.levels"
                    )
                prompt = self.policy.encode(made)
                readable = len(prompt) <= self.max_prompt_tokens
                self._asked.append(
                    _Question(name, request.difficulty, made, prompt if readable else None)
                )
        return self._asked

    def _sampled(
        self,
        questions: "Sequence[_Question]",
        temperature: float,
        top_p: float,
        progress: Callable[[int], None],
    ) -> list[Rollout]:
        """One output for each question; those beyond the prompt limit stay empty."""
        outputs = [Rollout(question.prompt or []) for question in questions]
        with _sampling(self.engine, temperature, top_p):
            # The hardest first: their outputs are the longest, and would hold things up at the end.
            order = sorted(range(len(questions)), key=lambda i: -questions[i].difficulty)
            self.engine.submit([outputs[i] for i in order if questions[i].prompt is not None])
            done = 0
            while ended := self.engine.collect():
                check_numbers(ended)
                done += len(ended)
                progress(done)
        return outputs


def _report(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


@dataclass(frozen=True)
class _Question:
    name: str
    difficulty: int
    problem: Problem
    prompt: list[int] | None  # None if it is beyond the limit


@contextmanager
def _sampling(engine: Engine, temperature: float, top_p: float) -> Generator[None]:
    """Make an idle engine sample like this from fixed random numbers, and restore it afterwards."""
    before, state = (engine.temperature, engine.top_p), engine.state_dict()
    engine.temperature, engine.top_p = temperature, top_p
    engine.reseed(SEED)
    try:
        yield
    finally:
        engine.stop()
        engine.temperature, engine.top_p = before
        engine.load_state_dict(state)


def _accuracy(
    temperature: float,
    questions: "Sequence[_Question]",
    outputs: Sequence[Rollout],
    judged: "Sequence[Verdict | Failure]",
) -> Accuracy:
    remaining = iter(judged)
    right: dict[str, dict[int, list[bool]]] = {}
    for question in questions:
        verdict = next(remaining) if question.prompt is not None else None
        correct = isinstance(verdict, Verdict) and verdict.correct
        right.setdefault(question.name, {}).setdefault(question.difficulty, []).append(correct)
    verdicts = [verdict for verdict in judged if isinstance(verdict, Verdict)]
    asked = [output for output in outputs if output.ending is not None]
    return Accuracy(
        temperature=temperature,
        by_level={
            name: {level: sum(marks) / len(marks) for level, marks in levels.items()}
            for name, levels in right.items()
        },
        solved={
            name: {level: "".join("01"[mark] for mark in marks) for level, marks in levels.items()}
            for name, levels in right.items()
        },
        ill_formed=sum(not verdict.well_formed for verdict in verdicts) / max(1, len(verdicts)),
        truncated=sum(output.ending == "length" for output in asked) / max(1, len(asked)),
        tokens=sum(len(output.tokens) for output in asked),
    )
