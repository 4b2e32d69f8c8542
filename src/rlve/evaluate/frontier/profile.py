"""The profile of a model: its frontier in each environment and family, and one number for all.

A profile is computed from the folder of a measurement alone, and is a file that stands by itself:
comparisons are made of profiles.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Literal, TypeAlias

import msgspec

from rlve.datasets.outputs import SampleKey, SampleVerdict, StoredOutput
from rlve.errors import UserError
from rlve.evaluate.frontier import HIGHEST, Tally
from rlve.evaluate.results import EvaluationPlan, StoredEvaluation
from rlve.foundation.files import read_record
from rlve.foundation.intervals import LEVEL, Interval, over_runs
from rlve.foundation.limits import LevelEstimate, Name
from rlve.foundation.run_folders import RESULTS, run_kind
from rlve.registry import entry, family

KIND = "frontier"

Place: TypeAlias = Literal["below", "within", "beyond"]
"""Below difficulty 0, beyond the highest that could be tried, or between them."""
Limit: TypeAlias = Literal["context", "environment", "search"]
"""Why no higher difficulty was tried: the model's context, the environment's highest, or ours."""


class FrontierPlan(EvaluationPlan, frozen=True, kw_only=True):
    """What is measured, and how."""

    environments: list[Name]
    outputs: int  # at most


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate with its 95% interval."""

    value: LevelEstimate
    interval: tuple[LevelEstimate, LevelEstimate]

    @classmethod
    def of(cls, found: Interval) -> "Measured":
        low, high = found.ends
        return cls(value=round(found.estimate, 3), interval=(round(low, 3), round(high, 3)))

    def estimate(self) -> Interval:
        """For rlve.foundation.intervals."""
        return Interval(self.value, *self.interval)


class EnvironmentFrontier(msgspec.Struct, frozen=True, kw_only=True):
    """The frontier in one environment."""

    family: Name
    frontier: Measured
    forgiving: Measured  # if answers are read forgivingly
    place: Place
    top: int  # the highest difficulty that could be tried
    limit: Limit
    outputs: int
    truncated: float  # share of outputs that reached a limit
    levels: dict[int, tuple[int, int]]  # by difficulty: right answers, outputs


class FamilyFrontier(msgspec.Struct, frozen=True, kw_only=True):
    """The mean over the environments of a family; the interval is that of measuring them."""

    environments: int
    frontier: Measured
    forgiving: Measured


class FrontierProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What results.json of a measurement holds."""

    kind: Literal["frontier"] = KIND
    model: Name
    collection: Name
    seed: int
    outputs: int
    tokens: int | None  # sampled in all, if known
    frontier: Measured  # the mean over environments; the interval includes how these differ
    forgiving: Measured
    families: dict[Name, FamilyFrontier]
    environments: dict[Name, EnvironmentFrontier]
    unheld: list[Name] = []  # environments whose easiest prompts do not fit the model's context
    plan: FrontierPlan  # how it was measured


def read_profile(place: Path) -> FrontierProfile:
    """The profile in a file, or in the folder of a measurement."""
    path = place / RESULTS if place.is_dir() else place
    if place.is_dir() and run_kind(place).name != KIND:
        raise UserError(f"{place} is not the folder of a frontier")
    missing = f"there is no {path}; is the measurement finished?"
    return read_record(path, FrontierProfile, missing=missing)


class Answers:
    """The answers of one environment so far."""

    def __init__(self, name: str) -> None:
        self.exact: dict[int, Tally] = {}
        self.forgiving: dict[int, Tally] = {}
        self.outputs = self.truncated = 0
        self.top = highest(name)
        self.limit: Limit = "search" if self.top == HIGHEST else "environment"

    def add(self, difficulty: int, output: StoredOutput, verdict: SampleVerdict) -> None:
        """Count an answer."""
        self.outputs += 1
        if output.finish == "length" and output.tokens == 0:  # there was no room for any
            if difficulty <= self.top:
                self.top, self.limit = difficulty - 1, "context"
            return
        self.truncated += output.finish == "length"
        for tallies, right in (
            (self.exact, verdict.correct),
            (self.forgiving, verdict.correct or verdict.other_form),
        ):
            tally = tallies.get(difficulty, Tally())
            tallies[difficulty] = Tally(tally.right + right, tally.wrong + (not right))


def answers(evaluation: StoredEvaluation, names: Iterable[str]) -> dict[str, Answers]:
    """The answers so far, by environment; those whose prompts did not fit only lower the top."""
    found = {name: Answers(name) for name in names}
    for question in evaluation.questions:
        key = SampleKey(question.id, 0)
        verdict = evaluation.verdicts.get(key)
        if verdict is not None and question.difficulty is not None:
            found[question.environment].add(question.difficulty, evaluation.outputs[key], verdict)
    return found


def highest(name: str) -> int:
    """The highest difficulty that is tried in an environment."""
    own = entry(name).max_difficulty
    return HIGHEST if own is None else min(HIGHEST, own)


def summarise(evaluation: StoredEvaluation, plan: FrontierPlan) -> FrontierProfile:
    """The profile that the answers so far give."""
    # It takes numpy, which readers do not need.
    from rlve.evaluate.frontier.curves import posteriors

    counted = answers(evaluation, plan.environments)
    held = {name: each for name, each in counted.items() if each.top >= 0}
    if not held:
        raise UserError(f"no prompt of these environments fits the context of {plan.model}")
    families = {name: family(name) for name in held}
    exact = posteriors({name: each.exact for name, each in held.items()}, families)
    forgiving = posteriors({name: each.forgiving for name, each in held.items()}, families)
    tail = (1 - LEVEL) / 2
    environments: dict[str, EnvironmentFrontier] = {}
    for name, each in held.items():
        below, beyond = exact[name].below(0.0), 1 - exact[name].below(each.top)
        place: Place = "below" if below > 1 - tail else "beyond" if beyond > 1 - tail else "within"
        environments[name] = EnvironmentFrontier(
            family=families[name],
            frontier=Measured.of(exact[name].interval(each.top)),
            forgiving=Measured.of(forgiving[name].interval(each.top)),
            place=place,
            top=each.top,
            limit=each.limit,
            outputs=each.outputs,
            truncated=round(each.truncated / max(1, each.outputs), 4),
            levels={
                level: (tally.right, tally.right + tally.wrong)
                for level, tally in sorted(each.exact.items())
            },
        )
    tokens = [output.tokens for output in evaluation.outputs.values()]
    return FrontierProfile(
        model=plan.model,
        collection=plan.suite,
        seed=plan.sampling.seed,
        outputs=len(evaluation.outputs),
        tokens=None if None in tokens else sum(filter(None, tokens)),
        frontier=overall([each.frontier for each in environments.values()]),
        forgiving=overall([each.forgiving for each in environments.values()]),
        families=_families(environments),
        environments=environments,
        unheld=[name for name in counted if name not in held],
        plan=plan,
    )


def _families(environments: Mapping[str, EnvironmentFrontier]) -> dict[str, FamilyFrontier]:
    members: dict[str, list[EnvironmentFrontier]] = {}
    for each in environments.values():
        members.setdefault(each.family, []).append(each)
    return {
        name: FamilyFrontier(
            environments=len(group),
            frontier=mean_of([each.frontier for each in group]),
            forgiving=mean_of([each.forgiving for each in group]),
        )
        for name, group in sorted(members.items())
    }


def mean_of(values: Sequence[Measured]) -> Measured:
    """The mean of independent estimates: squares of half-widths add up, as variances do."""
    estimate = fmean(each.value for each in values)
    below = sqrt(sum((each.value - each.interval[0]) ** 2 for each in values)) / len(values)
    above = sqrt(sum((each.interval[1] - each.value) ** 2 for each in values)) / len(values)
    return Measured.of(Interval(estimate, estimate - below, estimate + above))


def overall(values: Sequence[Measured]) -> Measured:
    """The mean over environments. Their spread includes that of measuring them."""
    if len(values) == 1:
        return values[0]
    found = over_runs([[each.value for each in values]])
    return Measured.of(found._replace(low=max(0.0, found.low)))


class _Kind(msgspec.Struct):
    kind: str
    families: msgspec.Raw = msgspec.Raw()  # the plan of a measurement is of the same kind


def is_profile(path: Path) -> bool:
    """Whether a file holds a profile."""
    try:
        found = read_record(path, _Kind, missing=f"there is no file {path}")
    except (OSError, UserError):  # another file, which may be broken
        return False
    return found.kind == KIND and bool(bytes(found.families))
