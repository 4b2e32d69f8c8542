"""Checks of environments: in this process, or of many in the workers of a pool.

There, each step of an environment has the deadline of an item. One that passes it, or kills its
worker, costs a problem or a rule: the rules that are left run again, without it.
"""

import json
import os
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cache

import msgspec

from rlve.contract import AnyEnvironment
from rlve.errors import UserError
from rlve.pool import Failure, Pool
from rlve.pool.local import MEMORY
from rlve.pool.local_dispatcher import LocalDispatcher
from rlve.pool.worker import begin_step
from rlve.rules.records import full_fingerprint
from rlve.rules.subject import GENERATE, LEVELS, LOADING, SEEDS, Complaint, Raised, Subject
from rlve.rules.table import RULES, run, select
from rlve.targets import load, target_of

DEADLINE = 10.0  # seconds for one step of an environment
LIMIT = 300.0  # seconds for one environment; most take one second
MAX_DEATHS = 4  # workers that one environment may kill before the remaining rules are skipped
TOO_SLOW = "stopped after {:g} s: make generating and judging faster; other rules were not run"


class RuleOutcome(msgspec.Struct):
    """What one rule found."""

    complaints: list[Complaint]
    seconds: float = 0.0

    @property
    def faults(self) -> list[Complaint]:
        """What is wrong and not excused: one complaint per fault, from where it was first seen."""
        first: dict[str, Complaint] = {}
        for complaint in self.complaints:
            if not complaint.excused:
                first.setdefault(complaint.message, complaint)
        return list(first.values())


class CheckReport(msgspec.Struct):
    """What the rules found about one environment, without rules that could not be run."""

    target: str
    outcomes: dict[str, RuleOutcome]

    @property
    def faults(self) -> int:
        """How many things are wrong and not excused."""
        return sum(len(outcome.faults) for outcome in self.outcomes.values())

    @property
    def seconds(self) -> float:
        """The time the rules took."""
        return sum(outcome.seconds for outcome in self.outcomes.values())


def check(
    environment: AnyEnvironment,
    *,
    rules: Iterable[str] = tuple(RULES),
    levels: Iterable[int] = LEVELS,
    seeds: int = SEEDS,
) -> list[tuple[str, Complaint]]:
    """All complaints about an environment, each with the name of the rule it breaks.

    It runs in this process: an environment that loops forever makes it hang.
    """
    chosen, levels = select(rules), list(levels)
    elsewhere: dict[tuple[int, int], str | Raised] = {}
    found: list[tuple[str, Complaint]] = []
    if "reproducible" in chosen:
        try:
            target = target_of(environment)
        except UserError as error:
            found.append(("reproducible", Complaint(message=str(error))))
        else:
            for key, made in _make_elsewhere(_other_process(), target, levels, seeds):
                elsewhere[key] = Raised(made.message) if isinstance(made, Failure) else made
    subject = Subject(environment, levels=levels, seeds=seeds, elsewhere=elsewhere)
    return found + [(name, complaint) for name in chosen for complaint in run(name, subject)]


def check_all(
    targets: Sequence[str],
    *,
    rules: Sequence[str] = tuple(RULES),
    levels: Sequence[int] = LEVELS,
    seeds: int = SEEDS,
    workers: int = 1,
    deadline: float = DEADLINE,
    limit: float = LIMIT,
) -> Generator[CheckReport]:
    """Check environments in the workers of a pool, and yield reports as they are ready.

    There is a complaint if a step of an environment takes longer than the deadline, if all steps
    together take longer than the limit, or if one ends its process.
    """
    # Two pools, as their workers hash differently.
    with (
        _pool(workers, deadline, hash_seed="1") as elsewhere,
        _pool(workers, deadline, hash_seed="2") as pool,
        ThreadPoolExecutor(workers) as threads,
    ):
        jobs = [Job(target, list(rules), list(levels), seeds, limit) for target in targets]
        futures = [threads.submit(Examination(job, pool, elsewhere).report) for job in jobs]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:  # also if the caller stops early
            for future in futures:
                future.cancel()
            pool.close()
            elsewhere.close()


def _pool(workers: int, deadline: float, *, hash_seed: str) -> Pool:
    variables = {"PYTHONHASHSEED": hash_seed}
    dispatcher = LocalDispatcher(workers, deadline, MEMORY, variables)
    return Pool(workers, deadline=deadline, dispatcher=dispatcher)


@cache
def _other_process() -> Pool:
    """A worker that hashes differently from this process."""
    here = os.environ.get("PYTHONHASHSEED")
    return _pool(1, DEADLINE, hash_seed="2" if here == "1" else "1")


# What runs in the workers.


@dataclass(frozen=True)
class Job:
    """Rules to run on an environment."""

    target: str
    rules: list[str]
    levels: list[int]
    seeds: int
    limit: float  # seconds that the rules together may take
    skip: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    elsewhere: dict[tuple[int, int], str | Raised] = field(
        default_factory=dict[tuple[int, int], "str | Raised"]
    )


class Step(msgspec.Struct, array_like=True):
    """What an environment under check does."""

    rule: str
    what: str
    difficulty: int | None = None
    seed: int | None = None
    given: str = ""  # what the step works on: the output to judge

    def begin(self) -> None:
        begin_step(json.dumps(msgspec.to_builtins(self)))


class OutOfTime(BaseException):
    """Every step ends, but together they take too long. No rule may catch it as an error."""


def examine(job: Job) -> dict[str, RuleOutcome]:
    """What the rules find; raises what loading the environment raises."""
    Step(job.rules[0], LOADING).begin()
    environment = load(job.target)
    end = time.monotonic() + job.limit
    rule = job.rules[0]

    def watch(what: str, difficulty: int | None, seed: int | None, given: str) -> None:
        if time.monotonic() > end:
            raise OutOfTime
        Step(rule, what, difficulty, seed, given).begin()

    subject = Subject(
        environment,
        levels=job.levels,
        seeds=job.seeds,
        watch=watch,
        skip=job.skip,
        elsewhere=job.elsewhere,
    )
    outcomes: dict[str, RuleOutcome] = {}
    for rule in job.rules:
        start = time.perf_counter()
        try:
            watch("the rule", None, None, "")
            found = run(rule, subject)
        except OutOfTime:
            found = [Complaint(message=TOO_SLOW.format(job.limit))]
        outcomes[rule] = RuleOutcome(found, time.perf_counter() - start)
        if time.monotonic() > end:
            break
    return outcomes


def make(wanted: tuple[str, int, int]) -> str:
    """The fingerprint of a problem."""
    target, difficulty, seed = wanted
    Step("", LOADING).begin()
    environment = load(target)
    Step("", GENERATE, difficulty, seed).begin()
    problem = environment.generate(difficulty=difficulty, seed=seed)
    Step("", "prompt()", difficulty, seed).begin()
    return full_fingerprint(problem)


# What runs in the process that checks.


def _make_elsewhere(
    pool: Pool, target: str, levels: Iterable[int], seeds: int
) -> Iterator[tuple[tuple[int, int], str | Failure]]:
    """The fingerprints of the problems, made there in the opposite order."""
    keys = sorted(((d, seed) for d in levels for seed in range(seeds)), reverse=True)
    deaths = 0
    made = pool.call_iter(make, ((target, *key) for key in keys))
    for key, print_ in zip(keys, made, strict=True):
        yield key, print_
        if isinstance(print_, Failure):
            deaths += print_.kind != "error"
            if deaths == MAX_DEATHS or _step(print_).what == LOADING:
                return


class Examination:
    """Runs the rules on one environment, and survives the workers that it kills."""

    def __init__(self, job: Job, pool: Pool, elsewhere: Pool) -> None:
        self.job = job  # the remaining rules, and the problems to leave out
        self.pool = pool
        self.elsewhere = elsewhere
        self.owner = "generates" if "generates" in job.rules else job.rules[0]
        self.outcomes: dict[str, RuleOutcome] = {}
        self.deaths = 0

    def report(self) -> CheckReport:
        """What the rules find."""
        if "reproducible" in self.job.rules:
            self._ask_elsewhere()
        while self.job.rules:
            start = time.perf_counter()
            [outcomes] = self.pool.call_iter(examine, [self.job])
            if not isinstance(outcomes, Failure):
                for rule, outcome in outcomes.items():
                    self._outcome(rule).complaints += outcome.complaints
                    self._outcome(rule).seconds += outcome.seconds
                break
            self._survive(outcomes, time.perf_counter() - start)
        order = [rule for rule in RULES if rule in self.outcomes]
        return CheckReport(self.job.target, {rule: self.outcomes[rule] for rule in order})

    def _ask_elsewhere(self) -> None:
        job, start = self.job, time.perf_counter()
        for key, made in _make_elsewhere(self.elsewhere, job.target, job.levels, job.seeds):
            if not isinstance(made, Failure):
                job.elsewhere[key] = made
            elif made.kind != "error" and _step(made).what == GENERATE:
                self._survive(made, time.perf_counter() - start)
            else:
                job.elsewhere[key] = Raised(made.message)
            start = time.perf_counter()

    def _survive(self, failure: Failure, seconds: float) -> None:
        """Note what a worker died of, and after how long, and leave that out."""
        step, rules = _step(failure), self.job.rules
        complaint = Complaint(
            message=f"{step.what}: {failure.message}",
            difficulty=step.difficulty,
            seed=step.seed,
            evidence=step.given,
        )
        if failure.kind == "error" or step.what == LOADING:  # rules turn errors into complaints
            why = failure.message if failure.kind == "error" else complaint.message
            outcome = self._outcome(rules[0])
            outcome.complaints.append(Complaint(message=f"it cannot be loaded: {why}"))
            outcome.seconds += seconds
            rules.clear()
            return
        rule = step.rule
        if step.what == GENERATE and step.difficulty is not None and step.seed is not None:
            rule = self.owner
            self.job.skip.append((step.difficulty, step.seed))
        else:
            rules.remove(rule)
        self._outcome(rule).complaints.append(complaint)
        self._outcome(rule).seconds += seconds
        self.deaths += 1
        if self.deaths == MAX_DEATHS:
            stopped = Complaint(message="stopped here; other rules were not run")
            self._outcome(rule).complaints.append(stopped)
            self.job = replace(
                self.job, rules=[name for name in rules if name in ("declared", "levels")]
            )

    def _outcome(self, rule: str) -> RuleOutcome:
        return self.outcomes.setdefault(rule, RuleOutcome([]))


def _step(failure: Failure) -> Step:
    """What a worker was doing when it died."""
    return msgspec.json.decode(failure.step or '["", "the check"]', type=Step)
