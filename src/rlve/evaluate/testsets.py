"""The paper's two test sets, drawn from the gym.

held-out         50 distinct problems from each of the 50 environments that are in no training
                 collection, 10 at each difficulty 0..4: does a policy generalise?
in-distribution  4,000 distinct problems from one environment, 200 at each difficulty 0..19: how far
                 has a policy come on an environment it was trained on?

Distinct problems have distinct prompts, and so distinct parameters. If a difficulty has too few
(there are few tiny instances), the others provide the rest, evenly, and a note of the suite says
so. If all of 0..4 have too few, the held-out set takes the next difficulties, as the published one
does. A set that cannot be completed is an error, never a smaller set.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from rlve.collections import HELD_OUT, is_collection
from rlve.contract import AnyEnvironment
from rlve.datasets.draws import DistinctRows, DrawnCell
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.questions import Suite
from rlve.formats import Format
from rlve.foundation.limits import AtLeastOne, check_limit
from rlve.pool import Failure, Pool
from rlve.registry import dialogues, environment
from rlve.targets import find

HELD_OUT_PROBLEMS = 50  # per environment
HELD_OUT_DIFFICULTIES = range(5)
IN_DISTRIBUTION_PROBLEMS = 4_000
IN_DISTRIBUTION_DIFFICULTIES = range(20)
HIGHEST = 100  # the highest difficulty that the held-out set may use
IN_VAIN = 100  # draws in a row without a new problem, after which a difficulty has run out


@dataclass(frozen=True)
class Drawing:
    """How to draw a test set. Only the first two affect what is in it."""

    seed: int = 0  # another seed gives other problems
    format: Format | None = None  # of the prompts; by default the evaluation chooses it
    workers: int | None = None  # processes; None: one per core
    deadline: float = 10.0  # seconds allowed for generating a problem; a slower one is replaced
    watch: Callable[[int, int], None] = lambda drawn, wanted: None  # called for each new problem


def held_out_suite(
    *,
    count: int = HELD_OUT_PROBLEMS,
    drawing: Drawing = Drawing(),  # noqa: B008  frozen
) -> Suite:
    """The held-out test set, with `count` problems per environment."""
    environments = [environment(name) for name in HELD_OUT]
    return _suite("held-out", environments, HELD_OUT_DIFFICULTIES, count, drawing, highest=HIGHEST)


def in_distribution_suite(
    name: str,
    *,
    count: int = IN_DISTRIBUTION_PROBLEMS,
    drawing: Drawing = Drawing(),  # noqa: B008  frozen
) -> Suite:
    """The in-distribution test set of an environment, which may be your own, MODULE:CLASS.

    If its highest difficulty is below 19, problems are spread evenly over the difficulties it has.
    """
    if is_collection(name):
        raise UserError(
            f"an in-distribution test set is for one environment, but {name} is a collection; "
            f"'rlve dataset -c {name} -d 0..19' exports problems of all its environments"
        )
    cls = find(name)
    levels = IN_DISTRIBUTION_DIFFICULTIES
    notes: list[str] = []
    if cls.max_difficulty is not None and cls.max_difficulty < levels[-1]:
        notes.append(
            f"the highest difficulty of {cls.__name__} is {cls.max_difficulty}, not "
            f"{levels[-1]}: its problems are spread over 0..{cls.max_difficulty}"
        )
        levels = range(cls.max_difficulty + 1)
    return _suite(f"in-distribution:{cls.__name__}", [cls], levels, count, drawing, notes=notes)


def dialogue_suite(*, drawing: Drawing = Drawing()) -> Suite:  # noqa: B008  frozen
    """Problems that answer back: of each dialogue, two at each difficulty 0..4."""
    classes = [environment(name) for name in dialogues()]
    count = 2 * len(HELD_OUT_DIFFICULTIES)
    return _suite("dialogues", classes, HELD_OUT_DIFFICULTIES, count, drawing, highest=HIGHEST)


@dataclass(eq=False)
class _Level(DrawnCell):
    """A difficulty of an environment, with its questions so far."""

    planned: int = 0  # the number of questions planned, before others ran out
    in_vain: int = 0  # draws since the last new problem
    questions: list[ProblemRow] = field(default_factory=list[ProblemRow])

    @property
    def exhausted(self) -> bool:
        return self.in_vain >= IN_VAIN


def _suite(
    name: str,
    environments: Iterable[AnyEnvironment],
    difficulties: Sequence[int],
    count: int,
    drawing: Drawing,
    *,
    highest: int = 0,
    notes: Iterable[str] = (),
) -> Suite:
    check_limit("count", count, AtLeastOne)
    plan = [_plan(cls, difficulties, count, drawing.seed) for cls in environments]
    _fill(plan, drawing, highest)
    questions = [question for levels in plan for level in levels for question in level.questions]
    shortages = [note for levels in plan for note in _notes(levels)]
    return Suite(name, questions, notes=(*notes, *shortages))


def _plan(cls: AnyEnvironment, difficulties: Sequence[int], count: int, seed: int) -> list[_Level]:
    share, rest = divmod(count, len(difficulties))
    return [_level(cls, d, seed, share + (i < rest)) for i, d in enumerate(difficulties)]


def _level(cls: AnyEnvironment, d: int, seed: int, planned: int) -> _Level:
    # Not the seeds that `rlve dataset` uses, so that training exports have other problems.
    seeds = Random(f"rlve testset/{seed}/{cls.__name__}/{d}")
    return _Level(cls, d, seeds, wanted=planned, planned=planned)


def _fill(plan: list[list[_Level]], drawing: Drawing, highest: int) -> None:
    """Draw until every environment has its problems."""
    total = sum(level.wanted for levels in plan for level in levels)
    drawn = 0
    with Pool(drawing.workers, deadline=drawing.deadline) as pool:
        rows = DistinctRows(pool, format=drawing.format)
        while pending := [level for levels in plan for level in _next(levels)]:
            for level, question in rows.draw(pending):
                if question is None:
                    level.in_vain += 1
                    continue
                level.in_vain = 0
                level.questions.append(question)
                drawn += 1
                drawing.watch(drawn, total)
            for levels in plan:
                _shift(levels, drawing.seed, highest)


def _next(levels: list[_Level]) -> list[_Level]:
    """The lowest incomplete difficulty, once for each missing problem.

    Difficulties are filled one after another, because a higher one may share problems with a lower
    one, and must not take them from it: the lower one may have no others.
    """
    unfinished = (level for level in levels if level.missing)
    return [level for level in islice(unfinished, 1) for _ in range(level.missing)]


def _shift(levels: list[_Level], seed: int, highest: int) -> None:
    """Let other difficulties of an environment provide what the exhausted ones cannot."""
    short = [level for level in levels if level.exhausted and level.missing]
    rich = [level for level in levels if not level.exhausted]
    if short and not rich:
        cls, beyond = levels[-1].environment, levels[-1].difficulty + 1
        if beyond > (highest if cls.max_difficulty is None else min(highest, cls.max_difficulty)):
            raise UserError(_shortage(levels))
        rich = [_level(cls, beyond, seed, 0)]
        levels += rich
    for level in short:
        for _ in range(level.missing):
            min(rich, key=lambda other: other.wanted).wanted += 1
        level.wanted = level.written


def _shortage(levels: list[_Level]) -> str:
    name = levels[0].environment.__name__
    written, wanted = (sum(getattr(x, what) for x in levels) for what in ("written", "wanted"))
    failures = [failure for level in levels for failure in level.failures]
    why = f"; {_reason(failures)}" if failures else ""
    return (
        f"{name} has only {written:,} distinct problems of difficulty {levels[0].difficulty}.."
        f"{levels[-1].difficulty}, but {wanted:,} are wanted ({IN_VAIN} draws in a row gave "
        f"nothing new); ask for fewer{why}"
    )


def _notes(levels: list[_Level]) -> list[str]:
    name = levels[0].environment.__name__
    notes: list[str] = []
    short = [level for level in levels if level.written < level.planned]
    if short:
        found = ", ".join(f"{x.difficulty} ({x.written} of {x.planned})" for x in short)
        more = ", ".join(str(x.difficulty) for x in levels if x.written > x.planned)
        notes.append(
            f"{name}: too few distinct problems at difficulty {found}; more are from {more}"
        )
    failures = [failure for level in levels for failure in level.failures]
    if failures:
        notes.append(f"{name}: {_reason(failures)}; they were replaced by others")
    return notes


def _reason(failures: list[Failure]) -> str:
    last = failures[-1]
    return (
        f"{len(failures):,} problems could not be generated; the last failure was "
        f"{last.kind}: {' '.join(last.message.split())}"
    )
