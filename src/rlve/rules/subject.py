"""An environment under check, and what is found wrong with it."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from string import Formatter
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from rlve.contract import AnyEnvironment, Problem, Verdict
from rlve.errors import raised

LEVELS = range(21)
SEEDS = 3
SLOW = 0.5  # a step that takes more seconds is timed a second time

# The steps of an environment, as they are reported to a watcher.
LOADING = "loading the class"
GENERATE = "generate()"
REFERENCE = "reference()"
VERIFY = "verify()"

T = TypeVar("T")
Watch: TypeAlias = Callable[[str, int | None, int | None, str], None]
"""Called before each step that could hang, with the step, difficulty, seed and input."""


class Complaint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong, in a sentence that says what to do."""

    message: str
    difficulty: int | None = None  # the level, if it is about one
    seed: int | None = None  # the seed of the problem, if it is about one
    evidence: str = ""  # what was seen there
    excused: bool = False  # the environment says why it is unavoidable: shown, but not a failure

    def __str__(self) -> str:
        text = f"{where}: {self.message}" if (where := self.where()) else self.message
        return f"{text} ({self.evidence})" if self.evidence else text

    def where(self) -> str:
        """The level and the seed as text."""
        parts = (("difficulty", self.difficulty), ("seed", self.seed))
        return ", ".join(f"{name} {value}" for name, value in parts if value is not None)


class Raised(NamedTuple):
    """The exception raised instead of a result."""

    text: str


class Case(NamedTuple):
    """A problem, and the arguments that made it."""

    difficulty: int
    seed: int
    problem: Problem
    record: dict[str, Any]  # its parameters when it was new

    def complain(self, message: str, evidence: str = "") -> Complaint:
        return Complaint(
            message=message, difficulty=self.difficulty, seed=self.seed, evidence=evidence
        )


class Subject:
    """An environment under check, with the problems it makes, each generated once.

    The environment's code runs through the methods of this class, so that any exception can become
    a complaint and a watcher knows what hangs.
    """

    def __init__(
        self,
        environment: AnyEnvironment,
        *,
        levels: Iterable[int] = LEVELS,
        seeds: int = SEEDS,
        watch: Watch = lambda what, difficulty, seed, given: None,
        elsewhere: Mapping[tuple[int, int], "str | Raised"] | None = None,
    ) -> None:
        highest = environment.max_difficulty
        self.environment = environment
        self.levels = tuple(
            d for d in sorted(set(levels)) if not isinstance(highest, int) or d <= highest
        )
        self.seeds = seeds
        self.watch = watch
        self.elsewhere = elsewhere or {}  # fingerprints of problems made in another process
        self.failures: dict[tuple[int, int], str] = {}  # the exception raised instead of a problem
        self.seconds: dict[tuple[str, int, int], float] = {}  # time that a step of a problem took
        self._known: dict[tuple[str, int, int], Any] = {}

    def case(self, difficulty: int, seed: int) -> Case | None:
        """The problem, or None if it could not be generated; `failures` then says why."""
        key = difficulty, seed
        if key in self.failures:
            return None
        if (GENERATE, *key) not in self._known:
            made = self._made(GENERATE, *key, lambda: self._new_case(*key))
            if isinstance(made, Raised):
                self.failures[key] = made.text
                return None
            self._known[GENERATE, *key] = made
        return self._known[GENERATE, *key]

    def _new_case(self, difficulty: int, seed: int) -> Case:
        problem: object = self.environment.generate(difficulty=difficulty, seed=seed)
        if not isinstance(problem, self.environment):
            raise TypeError(f"it returned a {type(problem).__name__}, not a problem")
        return Case(difficulty, seed, problem, problem.parameters())

    def cases(
        self, levels: Iterable[int] | None = None, seeds: int | None = None
    ) -> Iterator[Case]:
        """The problems at these levels that could be generated."""
        for difficulty in self.levels if levels is None else levels:
            for seed in range(self.seeds if seeds is None else seeds):
                if case := self.case(difficulty, seed):
                    yield case

    def failed(self, *, first_seed: int = 0) -> Iterator[Complaint]:
        """A complaint for each problem that could not be generated so far."""
        for (difficulty, seed), text in self.failures.items():
            if seed >= first_seed:
                yield Complaint(
                    message="generate() makes no problem",
                    difficulty=difficulty,
                    seed=seed,
                    evidence=text,
                )

    def spread(self, number: int) -> list[int]:
        """At most `number` of the levels, spread from the lowest to the highest."""
        return spread(self.levels, number)

    def reference(self, case: Case) -> str | None:
        """The reference of a problem, computed once; None if there is none or it is not text."""
        reference = self.once(
            REFERENCE,
            case,
            lambda: self._made(REFERENCE, case.difficulty, case.seed, case.problem.reference),
        )
        return reference if isinstance(reference, str) else None

    def verify(self, case: Case, answer: str) -> Verdict | Raised:
        return self.attempt(
            VERIFY, case, lambda: case.problem.verify(marked(answer)), short(answer)
        )

    def attempt(self, what: str, case: Case, step: Callable[[], T], given: str = "") -> T | Raised:
        """What a step of the environment returns or raises."""
        self.watch(what, case.difficulty, case.seed, given)
        return _outcome(step)

    def timed(
        self,
        what: str,
        difficulty: int | None,
        seed: int | None,
        step: Callable[[], T],
        given: str = "",
    ) -> tuple[T | Raised, float]:
        """Like attempt(), with the CPU time taken, so that a busy machine does not look slow."""
        self.watch(what, difficulty, seed, given)
        start = time.thread_time()
        return _outcome(step), time.thread_time() - start

    def once(self, name: str, case: Case, compute: Callable[[], T]) -> T:
        """The result of a computation about a problem, computed once."""
        key = name, case.difficulty, case.seed
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    def _made(self, what: str, difficulty: int, seed: int, step: Callable[[], T]) -> T | Raised:
        """The result of a step; its time is noted. The first time can include an import."""
        result, seconds = self.timed(what, difficulty, seed, step)
        if seconds > SLOW:
            seconds = min(seconds, self.timed(what, difficulty, seed, step)[1])
        self.seconds[what, difficulty, seed] = seconds
        return result


def _outcome(step: Callable[[], T]) -> T | Raised:
    try:
        return step()
    except Exception as error:  # noqa: BLE001  an environment under check can raise anything
        return Raised(raised(error))


def per_problem(
    look: Callable[[Subject, Case], Iterator[Complaint]],
) -> Callable[[Subject], Iterator[Complaint]]:
    """A rule that looks at each problem; an exception at one does not hide the others."""

    @wraps(look)
    def rule(subject: Subject) -> Iterator[Complaint]:
        for case in subject.cases():
            complaints: list[Complaint] = []

            def gather(case: Case = case, complaints: list[Complaint] = complaints) -> None:
                for complaint in look(subject, case):
                    complaints.append(complaint)  # one by one, to keep those before an exception

            end = subject.attempt(f"the rule {look.__name__}", case, gather)
            yield from complaints
            if isinstance(end, Raised):
                yield case.complain("the environment raised an exception", end.text)

    return rule


def spread(items: Sequence[T], number: int) -> list[T]:
    """At most `number` of the items, spread from the first to the last."""
    last = len(items) - 1
    if last < number:
        return list(items)
    return [items[round(i * last / (number - 1))] for i in range(number)]


def placeholders(template: str) -> set[str]:
    """The names that are filled into a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def marked(answer: str) -> str:
    """An output with this answer."""
    return f"<answer>{answer}</answer>"


def short(text: str, limit: int = 60) -> str:
    """The text in quotes, cut to a readable length."""
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}... of {len(text):,} characters"
