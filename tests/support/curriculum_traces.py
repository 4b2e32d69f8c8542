"""Random training runs, as a curriculum hears of them: what tests of curricula share.

A trace is a list of steps, a step a list of groups. A group says how far below h it was drawn, how
its rollouts went, and what became of the report: it arrives, is lost, arrives twice, or comes a
step late.
"""

import json
from random import Random
from typing import Any, ClassVar, NamedTuple

from hypothesis import strategies as st

from rlve.curricula import Curriculum
from rlve.envs.arrays.sorting import Sorting

NAMES = ["Sorting", "Low", "Other"]
LOW_HIGHEST = 2


class Low(Sorting):
    """Its schedule ends early."""

    max_difficulty: ClassVar[int | None] = LOW_HIGHEST


class Other(Sorting):
    """Another environment."""


class Report(NamedTuple):
    """A group as a curriculum is told of it."""

    name: str
    difficulty: int
    correct: tuple[bool, ...]
    rewards: tuple[float, ...]


FATES = st.sampled_from(["arrives"] * 5 + ["lost", "twice", "late"])
OUTCOMES = st.one_of(
    st.lists(st.sampled_from([True, True, True, False]), min_size=1, max_size=5),
    st.sampled_from([[True] * 4, [False] * 4]),
)
GROUPS = st.tuples(st.sampled_from(NAMES), st.integers(0, 4), OUTCOMES, FATES)
TRACES = st.lists(st.lists(GROUPS, max_size=8), max_size=14)


def reported(trace: Any, curriculum: Curriculum) -> Any:
    """For each step the reports that arrive in it; levels are relative to the present range."""
    late: list[Report] = []
    for step in trace:
        arriving, late = late, []
        for name, lag, outcomes, fate in step:
            # Mostly at h. Shaped rewards differ also where nothing is correct.
            difficulty = max(0, curriculum.bounds(name)[1] - max(0, lag - 2))
            rewards = [1.0 if right else -0.1 * (i % 2) for i, right in enumerate(outcomes)]
            report = Report(name, difficulty, tuple(outcomes), tuple(rewards))
            arriving += [report] * {"arrives": 1, "twice": 2}.get(fate, 0)
            late += [report] * (fate == "late")
        yield arriving


def shuffled(reports: list[Report], rng: Random) -> list[Report]:
    """The same reports in another order, and the rollouts of each in another order, too."""
    found: list[Report] = []
    for name, difficulty, correct, rewards in reports:
        rollouts = list(zip(correct, rewards, strict=True))
        rng.shuffle(rollouts)
        found.append(Report(name, difficulty, *zip(*rollouts, strict=True)))
    rng.shuffle(found)
    return found


def reloaded(curriculum: Curriculum, fresh: Curriculum) -> Curriculum:
    """Another curriculum that goes on where this one stands, by way of a file."""
    state = json.loads(json.dumps(curriculum.state_dict()))
    fresh.load_state_dict(state)
    assert fresh.state_dict() == state
    return fresh
