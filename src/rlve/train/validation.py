"""Learning is measured: accuracy on a fixed set of test problems.

h says what is drawn, not what is known. So every run measures how many problems at fixed levels the
policy solves: before the first step, now and then, and after the last step, at the training
temperature and at the evaluation temperature. Measuring leaves the run unchanged, including its
random numbers.

The test problems have negative seeds, which training problems never have. But an environment
may have few different problems at a level, so that some come up in training, too. Those are
counted.
"""

import logging
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Final

import msgspec

from rlve.collections import D_HELD_OUT, HELD_OUT
from rlve.contract import Problem, Verdict
from rlve.dialogue import Dialogue, Reply, messages_of, respond
from rlve.errors import UserError
from rlve.models.engines import Engine
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout, check_numbers
from rlve.pool import Failure, Pool, Request
from rlve.registry import DIALOGUE, environment, family
from rlve.text import quantity
from rlve.train.groups import output_text
from rlve.train.history import Accuracy, ValidationRecord
from rlve.train.teaching.config import AnyConfig

USUAL: Final = (8, 2)  # problems per environment and level, on a GPU and on a CPU
MOST_TIMES: Final = 10  # measurements in a run, unless validation.every says how often
SEED: Final = 20_25  # for sampling: every measurement draws the same random numbers

_log = logging.getLogger("rlve.train")


@dataclass(frozen=True)
class ValidationPlan:
    """What to measure, and after which steps."""

    names: tuple[str, ...]
    held_out: tuple[str, ...]
    problems: int  # per environment and level
    every: int | None  # None: only before and after training

    def due(self, step: int, last: int) -> bool:
        """Whether to measure accuracy after this step."""
        return step in (0, last) or (self.every is not None and step % self.every == 0)

    def count(self, first: int, last: int) -> int:
        """How often accuracy is measured from one step to the last."""
        ends = sum(first <= step for step in {0, last})
        between = range(max(first, 1), last)
        every = self.every or last + 1
        return ends + (len(between) and between[-1] // every - (between[0] - 1) // every)


def plan_validation(
    config: AnyConfig, names: Sequence[str], *, on_cpu: bool = False
) -> ValidationPlan | None:
    """Plan measurements that fit into their share of the outputs; None if nothing is measured.

    Outputs are counted rather than seconds, so that the plan is the same on every machine.
    """
    settings = config.validation
    if settings.every == 0:
        return None
    if not names:
        if settings.held_out:
            raise UserError(
                "validation.held-out needs a run that trains on environments, and data.dataset has "
                "none; leave it out, and use rlve eval --suite held-out on the checkpoints"
            )
        return None
    chosen = _some(names, settings.levels, settings.environments)
    others = _some(_not_trained_on(names), settings.levels, settings.held_out)
    if not chosen:
        raise UserError(f"no environment has any of validation.levels {settings.levels}")
    wanted = settings.problems or USUAL[on_cpu]
    if settings.every is not None:
        return ValidationPlan(chosen, others, wanted, settings.every)
    levels = sum(len(levels_of(name, settings.levels)) for name in (*chosen, *others))
    each = len(temperatures_of(config)) * levels  # outputs for one problem of each level
    budget = settings.share * config.run.steps * config.outputs_per_step
    # Measuring before and after must be affordable, if only with one problem of each level.
    problems = max(1, min(wanted, int(budget // (2 * each))))
    times = min(MOST_TIMES, int(budget // (each * problems)))
    every = -(-config.run.steps // (times - 1)) if times > 2 else None
    if problems < (asked := settings.problems or 0):
        _log.warning(
            "validation.share (%g) leaves %s of an environment and level, rather than %d; raise "
            "it, or say how often to measure (validation.every)",
            *(settings.share, quantity(problems, "test problem"), asked),
        )
    return ValidationPlan(chosen, others, problems, every)


def temperatures_of(config: AnyConfig) -> tuple[float, ...]:
    """The temperatures at which accuracy is measured, with the training temperature first."""
    if config.validation.temperatures is not None:
        return config.validation.temperatures
    return tuple(dict.fromkeys((config.temperature, 0.6)))


def levels_of(name: str, levels: Iterable[int]) -> list[int]:
    """Those of the levels that an environment has."""
    highest = environment(name).max_difficulty
    return [d for d in levels if highest is None or d <= highest]


def _not_trained_on(names: Sequence[str]) -> list[str]:
    """Environments of the same kind, dialogues or others, that are held out."""
    kinds = {family(name) == DIALOGUE for name in names}
    return [
        name
        for name in (*HELD_OUT, *D_HELD_OUT)
        if name not in names and (family(name) == DIALOGUE) in kinds
    ]


def _some(names: Sequence[str], levels: Sequence[int], most: int) -> tuple[str, ...]:
    """At most this many of the environments with any of the levels; always the same ones."""
    measurable = [name for name in names if levels_of(name, levels)]
    if len(measurable) <= most:
        return tuple(measurable)
    return tuple(sorted(Random("validation").sample(sorted(measurable), most)))


@dataclass(eq=False)
class Validation:
    """Measures accuracy on the problems of a plan.

    Problems with prompts beyond the limit of the run are not asked, and count as unsolved.
    """

    config: AnyConfig
    plan: ValidationPlan
    policy: Policy
    engine: Engine
    pool: Pool

    def __post_init__(self) -> None:
        self.max_prompt_tokens = self.config.limits[0]
        self._seen: set[tuple[str, str]] = set()  # environments and texts

    def go_on_from(self, first: ValidationRecord) -> None:
        """Measure the same problems as the first time, even if a longer run could afford others."""
        levels = sum(map(len, first.measured[0].by_level.values()))
        self.plan = replace(self.plan, problems=first.problems // levels)

    def mark_seen(self, problems: Iterable[Problem]) -> None:
        """Note the problems of a training step, some of which may be test problems."""
        for problem in problems:
            name = type(problem).__name__
            if name in self.plan.names and (name, text := problem.prompt()) in self._measured:
                self._seen.add((name, text))

    @cached_property
    def _measured(self) -> frozenset[tuple[str, str]]:
        """The environments and texts of the test problems."""
        return frozenset((question.name, question.text) for question in self._questions)

    def state_dict(self) -> dict[str, list[str]]:
        """The test problems that have come up in training: their texts, by environment."""
        state: dict[str, list[str]] = {}
        for name, text in sorted(self._seen):
            state.setdefault(name, []).append(text)
        return state

    def load_state_dict(self, state: Mapping[str, Sequence[str]]) -> None:
        self._seen = {(name, text) for name, texts in state.items() for text in texts}

    def measure(
        self, step: int, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> ValidationRecord:
        """Measure the policy's accuracy; `progress` is called with outputs done and their total."""
        begin = time.perf_counter()
        total = self.outputs
        progress(0, total)
        questions = self._questions
        temperatures = temperatures_of(self.config)
        measured: list[Accuracy] = []
        failures = 0
        for temperature in temperatures:
            training = temperature == self.config.temperature
            top_p = 1.0 if training else self.config.validation.top_p
            before = len(questions) * len(measured)
            outputs = self._sampled(
                temperature, top_p, lambda done, before=before: progress(before + done, total)
            )
            answered = [
                (question.problem, output_text(question.problem, output, self.policy.decode))
                for question, output in zip(questions, outputs, strict=True)
                if question.prompt is not None
            ]
            judged = self.pool.judge(
                answered, marker=self.policy.format.marker, reading=self.config.reading
            )
            failures += sum(isinstance(verdict, Failure) for verdict in judged)
            measured.append(_accuracy(temperature, questions, outputs, judged))
        return ValidationRecord(
            step=step,
            problems=len(questions),
            held_out=list(self.plan.held_out),
            measured=measured,
            too_long=sum(question.prompt is None for question in questions),
            failures=failures,
            seen=self._marked_seen() if step else msgspec.UNSET,
            seconds=time.perf_counter() - begin,
        )

    def _marked_seen(self) -> dict[str, dict[int, str]]:
        """Which test problems have come up in training."""
        drawn = [question for question in self._questions if question.name in self.plan.names]
        return _marked(drawn, [(question.name, question.text) in self._seen for question in drawn])

    @property
    def outputs(self) -> int:
        """The number of outputs in a measurement."""
        return len(temperatures_of(self.config)) * len(self._requests)

    @property
    def _requests(self) -> list[Request]:
        return [
            Request(environment(name), difficulty, -1 - index)
            for name in (*self.plan.names, *self.plan.held_out)
            for difficulty in levels_of(name, self.config.validation.levels)
            for index in range(self.plan.problems)
        ]

    @cached_property
    def _questions(self) -> "list[_TestProblem]":
        wanted = self._requests
        questions: list[_TestProblem] = []
        for request, made in zip(wanted, self.pool.generate(wanted), strict=True):
            name, difficulty = request.name, request.difficulty
            if isinstance(made, Failure):
                raise UserError(
                    f"{name} gave no problem to measure accuracy on at difficulty {difficulty}: "
                    f"{made.message}; leave that level out of validation.levels"
                )
            prompt = self.policy.encode(made)
            readable = len(prompt) <= self.max_prompt_tokens
            text = made.prompt()
            questions.append(
                _TestProblem(name, difficulty, made, text, prompt if readable else None)
            )
        return questions

    def _sampled(
        self, temperature: float, top_p: float, progress: Callable[[int], None]
    ) -> list[Rollout]:
        """One output for each question; those beyond the prompt limit stay empty."""
        questions = self._questions
        outputs = [Rollout(question.prompt or []) for question in questions]
        with sampling_as(self.engine, temperature, top_p):
            # The hardest first: their outputs are the longest, and would hold things up at the end.
            order = sorted(range(len(questions)), key=lambda i: -questions[i].difficulty)
            self.engine.submit([outputs[i] for i in order if questions[i].prompt is not None])
            asked = {id(output): q.problem for q, output in zip(questions, outputs, strict=True)}
            done = 0
            while ended := self.engine.collect():
                check_numbers(ended)
                going = self._replied_to([(asked[id(output)], output) for output in ended])
                if going:
                    self.engine.submit(going)
                done += len(ended) - len(going)
                progress(done)
        return outputs

    def _replied_to(self, ended: Sequence[tuple[Problem, Rollout]]) -> list[Rollout]:
        """The rollouts that go on after a reply of a problem that answers back."""
        talks = [
            (problem, rollout)
            for problem, rollout in ended
            if isinstance(problem, Dialogue) and rollout.ending == "stop"
        ]
        if not talks:
            return []
        texts = [messages_of(output_text(*talk, self.policy.decode)) for talk in talks]
        told = zip((problem for problem, _ in talks), texts, strict=True)
        for (_, rollout), reply in zip(talks, self.pool.call_iter(respond, told), strict=True):
            if isinstance(reply, Reply) and reply.verdict is None:
                tokens = self.policy.reply(rollout.tokens, reply.text)
                rollout.hear(tokens, self.config.limits[1])
        return [rollout for _, rollout in talks if rollout.ending is None]


@dataclass(frozen=True)
class _TestProblem:
    name: str
    difficulty: int
    problem: Problem
    text: str
    prompt: list[int] | None  # the text as tokens; None if it is beyond the limit


@contextmanager
def sampling_as(engine: Engine, temperature: float, top_p: float) -> Generator[None]:
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
    questions: "Sequence[_TestProblem]",
    outputs: Sequence[Rollout],
    judged: "Sequence[Verdict | Failure]",
) -> Accuracy:
    remaining = iter(judged)
    given = [next(remaining) if question.prompt is not None else None for question in questions]
    correct = [isinstance(verdict, Verdict) and verdict.correct for verdict in given]
    solved = _marked(questions, correct)
    verdicts = [verdict for verdict in judged if isinstance(verdict, Verdict)]
    ended = [output for output in outputs if output.ending is not None]
    return Accuracy(
        temperature=temperature,
        by_level={
            name: {level: marks.count("1") / len(marks) for level, marks in levels.items()}
            for name, levels in solved.items()
        },
        solved=solved,
        ill_formed=sum(not verdict.well_formed for verdict in verdicts) / max(1, len(verdicts)),
        truncated=sum(output.ending == "length" for output in ended) / max(1, len(ended)),
        tokens=sum(output.length for output in ended),
    )


def _marked(
    questions: "Sequence[_TestProblem]", marks: Sequence[bool]
) -> dict[str, dict[int, str]]:
    """A 1 or 0 for each question, by environment and level."""
    found: dict[str, dict[int, str]] = {}
    for question, mark in zip(questions, marks, strict=True):
        levels = found.setdefault(question.name, {})
        levels[question.difficulty] = levels.get(question.difficulty, "") + "01"[mark]
    return found
