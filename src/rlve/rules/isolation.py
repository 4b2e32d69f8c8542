"""Checking many environments, several at a time, isolated in processes."""

import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import msgspec

from rlve.rules import RULES
from rlve.rules.messages import Check, Doing, Done, Found, Passed
from rlve.rules.processes import DEADLINE, CheckingProcess, Died
from rlve.rules.subject import GENERATE, LEVELS, LOADING, SEEDS, Complaint

LIMIT = 300.0  # seconds for one environment; most take one second
MAX_DEATHS = 4  # processes that one environment may kill before the remaining rules are skipped


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


def check_all(
    targets: Sequence[str],
    *,
    rules: Sequence[str] = tuple(RULES),
    levels: Sequence[int] = LEVELS,
    seeds: int = SEEDS,
    workers: int = 1,
    deadline: float = DEADLINE,
    limit: float = LIMIT,
    on_rule: Callable[[str, str], None] = lambda target, rule: None,
) -> Generator[CheckReport]:
    """Check environments in other processes, and yield reports as they are ready.

    There is a complaint if a step of an environment takes longer than the deadline, if all steps
    together take longer than the limit, or if one ends its process. A process that cannot start is
    a UserError. `on_rule` is called, from other threads, after each rule.
    """
    processes = Processes(deadline)

    def examine(target: str) -> CheckReport:
        job = Check(target, list(rules), list(levels), seeds, skip=[], limit=limit)
        return Examination(job, processes, on_rule).report()

    with ThreadPoolExecutor(workers) as threads:
        futures = [threads.submit(examine, target) for target in targets]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:  # also if the caller stops early
            for future in futures:
                future.cancel()
            processes.close()


class Stopped(Exception):
    """The check was stopped early."""


class Processes:
    """A pool of checking processes, for reuse."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._lock = threading.Lock()
        self._idle: list[CheckingProcess] = []
        self._busy: list[CheckingProcess] = []
        self._closed = False

    def take(self) -> CheckingProcess:
        """A process that nobody else uses."""
        with self._lock:
            if self._closed:
                raise Stopped
            if not self._idle:
                self._idle.append(CheckingProcess(deadline=self._deadline))
            self._busy.append(self._idle.pop())
            return self._busy[-1]

    def give_back(self, process: CheckingProcess, *, dead: bool) -> None:
        """Return a process that was taken."""
        with self._lock:
            self._busy.remove(process)
            if not (dead or self._closed):
                self._idle.append(process)
                return
        process.close()

    def close(self) -> None:
        """End all processes, even those in use; their users see them die and give them back."""
        with self._lock:
            self._closed = True
            for process in self._busy:
                process.kill()
            while self._idle:
                self._idle.pop().close()


class Examination:
    """Runs the rules on one environment, and survives the processes that it kills."""

    def __init__(
        self, job: Check, processes: Processes, on_rule: Callable[[str, str], None]
    ) -> None:
        self.job = job  # the remaining rules, and the problems to leave out
        self.processes = processes
        self.on_rule = on_rule
        self.outcomes: dict[str, RuleOutcome] = {}
        self.doing = _started(job)
        self.found: list[Complaint] = []  # by the current rule
        self.fatal: list[Complaint] = []  # about problems whose generation killed a process

    def report(self) -> CheckReport:
        """What the rules find."""
        owner = "generates" if "generates" in self.job.rules else self.job.rules[0]
        deaths = 0
        while self.job.rules:
            try:
                self._run()
            except Died as death:
                self._survive(death)
                deaths += 1
            if deaths == MAX_DEATHS and self.job.rules:
                self.found.append(Complaint(message="stopped here; other rules were not run"))
                self._end(self.job.rules[0])
                break
        if self.fatal:
            self.outcomes.setdefault(owner, RuleOutcome([])).complaints[:0] = self.fatal
        return CheckReport(target=self.job.target, outcomes=self.outcomes)

    def _run(self) -> None:
        """Have a process run the remaining rules."""
        process, dead = self.processes.take(), True
        self.doing = _started(self.job)
        self.found.clear()
        try:
            for event in process.ask(self.job):
                match event:
                    case Doing():
                        self.doing = event
                    case Found():
                        self.found.append(event.complaint)
                    case Passed():
                        self._end(event.rule, event.seconds)
                    case Done():
                        dead = False
                        if event.unloadable:
                            self._refuse(event.unloadable)
                        self.job.rules.clear()
                        return
                    case _:
                        raise RuntimeError(f"unexpected answer: {event}")
        finally:
            self.processes.give_back(process, dead=dead)

    def _survive(self, death: Died) -> None:
        """Note what the process died of, so that the next one can leave it out."""
        doing = self.doing
        complaint = Complaint(
            message=f"{doing.what} {death}",
            difficulty=doing.difficulty,
            seed=doing.seed,
            evidence=doing.given,
        )
        if doing.what == LOADING:
            self._refuse(complaint.message)
        elif doing.what == GENERATE and doing.difficulty is not None and doing.seed is not None:
            self.fatal.append(complaint)
            self.job.skip.append((doing.difficulty, doing.seed))
        else:
            self.found.append(complaint)
            self._end(doing.rule)

    def _refuse(self, why: str) -> None:
        self.found.append(Complaint(message=f"it cannot be loaded: {why}"))
        self._end(self.job.rules[0])
        self.job.rules.clear()

    def _end(self, rule: str, seconds: float = 0.0) -> None:
        self.outcomes[rule] = RuleOutcome(list(self.found), seconds)
        self.found.clear()
        self.job.rules.remove(rule)
        self.on_rule(self.job.target, rule)


def _started(job: Check) -> Doing:
    """What a process does until it says something else."""
    return Doing(rule=job.rules[0], what="the check")
