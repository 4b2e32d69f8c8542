"""Frontiers of several models side by side, environment by environment.

Differences from a baseline are paired: each is that of one environment. An environment's interval
is what the answers of both models leave open; that of the mean is over environments, since others
might have been asked about.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import msgspec

from rlve.errors import UserError
from rlve.evaluate.compare import tell_differences
from rlve.evaluate.frontier.profile import KIND, FrontierProfile, Measured, overall, read_profile
from rlve.evaluate.sources import is_record, split_label
from rlve.foundation.intervals import Interval, over_runs
from rlve.foundation.run_folders import PLAN, run_kind


class ComparedFrontier(msgspec.Struct, frozen=True, kw_only=True):
    """The frontier of one model somewhere, and its difference from the baseline's."""

    frontier: Measured
    difference: Measured | None  # None for the baseline itself


class ComparedProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One of the models."""

    name: str  # unique among them
    model: str
    outputs: int
    overall: ComparedFrontier
    environments: dict[str, ComparedFrontier]


class FrontierComparison(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison; `rlve compare --json` prints it."""

    baseline: str
    profiles: list[ComparedProfile]  # the farthest frontier first
    notes: list[str]


def find_profiles(words: Iterable[str]) -> list[tuple[str, FrontierProfile]]:
    """The profiles in files and folders, with their names; none if these are of other runs."""
    places = [split_label(word) for word in words]
    kinds = [
        (place.is_file() and not is_record(place))
        or ((place / PLAN).exists() and run_kind(place).name == KIND)
        for _, place in places
    ]
    if not any(kinds):
        return []
    if not all(kinds):
        other = places[kinds.index(False)][1]
        raise UserError(f"a frontier can be compared only with frontiers, and {other} is none")
    return [(label or str(place), read_profile(place)) for label, place in places]


def compare_profiles(
    found: Sequence[tuple[str, FrontierProfile]], *, baseline: str | None = None
) -> FrontierComparison:
    """Rank profiles, and compare them with a baseline, by default the first that is given."""
    models = [profile.model for _, profile in found]
    alike = len(set(models)) < len(models)
    names = [
        name if alike or "/" not in name else model
        for (name, _), model in zip(found, models, strict=True)
    ]
    if len(set(names)) < len(names):
        raise UserError("two of the profiles have the same name; give them others with NAME=FOLDER")
    if baseline is not None and baseline not in names:
        raise UserError(f"no profile is named {baseline!r}; the profiles are {', '.join(names)}")
    reference = 0 if baseline is None else names.index(baseline)
    profiles = [profile for _, profile in found]
    shared = [
        name
        for name in profiles[reference].environments
        if all(name in profile.environments for profile in profiles)
    ]
    if not shared:
        raise UserError("these profiles have no environment in common")
    base = profiles[reference]
    compared = [
        _compare(name, profile, None if profile is base else base, shared)
        for name, profile in zip(names, profiles, strict=True)
    ]
    return FrontierComparison(
        baseline=names[reference],
        profiles=sorted(compared, key=lambda each: -each.overall.frontier.value),
        notes=_notes(profiles, shared),
    )


def _compare(
    name: str, profile: FrontierProfile, base: FrontierProfile | None, shared: Sequence[str]
) -> ComparedProfile:
    own = [profile.environments[each].frontier for each in shared]
    others = [base.environments[each].frontier for each in shared] if base else []
    values, before = ([each.value for each in side] for side in (own, others))
    differences = [difference(b, a) for a, b in zip(others, own, strict=True)] if base else []
    return ComparedProfile(
        name=name,
        model=profile.model,
        outputs=profile.outputs,
        overall=ComparedFrontier(
            frontier=overall(own),
            difference=Measured.of(over_runs([values], [before], clusters=shared))
            if base
            else None,
        ),
        environments={
            each: ComparedFrontier(
                frontier=own[place], difference=differences[place] if base else None
            )
            for place, each in enumerate(shared)
        },
    )


def difference(after: Measured, before: Measured) -> Measured:
    """The difference of independent estimates; squares of half-widths add up."""
    (low, high), (lower, higher) = after.interval, before.interval
    change = after.value - before.value
    below = sqrt((after.value - low) ** 2 + (higher - before.value) ** 2)
    above = sqrt((high - after.value) ** 2 + (before.value - lower) ** 2)
    return Measured.of(Interval(change, change - below, change + above))


def _notes(profiles: Sequence[FrontierProfile], shared: Sequence[str]) -> list[str]:
    """How the measurements differ, apart from the model."""
    notes = tell_differences([profile.plan for profile in profiles], "measurements")
    if len(collections := dict.fromkeys(profile.collection for profile in profiles)) > 1:
        notes.insert(0, f"the measurements are of different collections: {', '.join(collections)}")
    most = max(len(profile.environments) for profile in profiles)
    if len(shared) < most:
        notes.append(f"only the {len(shared)} environments that all measured are compared")
    return notes
