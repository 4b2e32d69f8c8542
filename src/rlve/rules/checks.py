"""Checks of environments: in this process, or of many in the workers of a pool.

There, each step of an environment has the deadline of an item. One that passes it, or kills its
worker, is a complaint, and the rules after that are not run.
"""

import json
import os
import time
from collections.abc import Generator, Iterable, Sequence
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
STOPPED = "stopped here; other rules were not run"


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
            elsewhere = _make_elsewhere(_other_process(), target, levels, seeds)
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
) -> Generator[CheckReport]:
    """Check environments in the workers of a pool, and yield reports as they are ready.

    There is a complaint if a step of an environment takes longer than the deadline, or ends its
    process.
    """
    # Two pools, as their workers hash differently.
    with (
        _pool(workers, deadline, hash_seed="1") as elsewhere,
        _pool(workers, deadline, hash_seed="2") as pool,
        ThreadPoolExecutor(workers) as threads,
    ):
        jobs = [Job(target, list(rules), list(levels), seeds) for target in targets]
        futures = [threads.submit(_report, job, pool, elsewhere) for job in jobs]
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


def examine(job: Job) -> dict[str, RuleOutcome]:
    """What the rules find; raises what loading the environment raises."""
    Step(job.rules[0], LOADING).begin()
    environment = load(job.target)
    rule = job.rules[0]

    def watch(what: str, difficulty: int | None, seed: int | None, given: str) -> None:
        Step(rule, what, difficulty, seed, given).begin()

    subject = Subject(
        environment,
        levels=job.levels,
        seeds=job.seeds,
        watch=watch,
        elsewhere=job.elsewhere,
    )
    outcomes: dict[str, RuleOutcome] = {}
    for rule in job.rules:
        start = time.perf_counter()
        watch("the rule", None, None, "")
        found = run(rule, subject)
        outcomes[rule] = RuleOutcome(found, time.perf_counter() - start)
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
) -> dict[tuple[int, int], str | Raised]:
    """The fingerprints of the problems, made there in the opposite order."""
    keys = sorted(((d, seed) for d in levels for seed in range(seeds)), reverse=True)
    found: dict[tuple[int, int], str | Raised] = {}
    for key, made in zip(keys, pool.call_iter(make, ((target, *key) for key in keys)), strict=True):
        failed = isinstance(made, Failure)
        found[key] = Raised(made.message) if failed else made
        if failed and made.kind != "error":  # others would take as long
            break
    return found


def _report(job: Job, pool: Pool, elsewhere: Pool) -> CheckReport:
    """What the rules find."""
    if "reproducible" in job.rules and not job.elsewhere:
        made = _make_elsewhere(elsewhere, job.target, job.levels, job.seeds)
        job = replace(job, elsewhere=made)
    start = time.perf_counter()
    [outcomes] = pool.call_iter(examine, [job])
    if not isinstance(outcomes, Failure):
        return CheckReport(job.target, outcomes)
    seconds, step = time.perf_counter() - start, _step(outcomes)
    complaint = Complaint(
        message=f"{step.what}: {outcomes.message}",
        difficulty=step.difficulty,
        seed=step.seed,
        evidence=step.given,
    )
    if outcomes.kind == "error" or step.what == LOADING:  # rules turn errors into complaints
        why = outcomes.message if outcomes.kind == "error" else complaint.message
        complaints = [Complaint(message=f"it cannot be loaded: {why}")]
        return CheckReport(job.target, {job.rules[0]: RuleOutcome(complaints, seconds)})
    # What the rules before had found is lost with the worker.
    before = job.rules[: job.rules.index(step.rule)]
    found = _report(replace(job, rules=before), pool, elsewhere).outcomes if before else {}
    complaints = [complaint, Complaint(message=STOPPED)]
    return CheckReport(job.target, {**found, step.rule: RuleOutcome(complaints, seconds)})


def _step(failure: Failure) -> Step:
    """What a worker was doing when it died."""
    return msgspec.json.decode(failure.step, type=Step) if failure.step else Step("", LOADING)
