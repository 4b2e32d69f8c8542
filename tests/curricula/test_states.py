"""Saved states are small, and those of others are refused."""

import copy
import json

import pytest

from rlve.curricula import CURRICULA, CurriculumSettings
from rlve.errors import UserError
from support.curriculum_traces import NAMES


def make(kind, **settings):
    return CurriculumSettings(curriculum=kind, tau_num=2, **settings).build(NAMES, group=4)


def begun(kind, **settings):
    curriculum = make(kind, **settings)
    for _ in range(3):
        for name in NAMES:
            curriculum.observe_group(name, curriculum.bounds(name)[1], [True] * 4, [1.0] * 4)
        curriculum.step()
    curriculum.observe_group("Sorting", curriculum.bounds("Sorting")[1], [True, False], [1.0, 0.0])
    return curriculum


def changed(state, path, value):
    state = copy.deepcopy(state)
    place = state
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return state


@pytest.mark.parametrize("kind", CURRICULA)
def test_states_are_small_versioned_json(kind):
    state = begun(kind).state_dict()
    assert state["version"] == 1
    assert json.loads(json.dumps(state)) == state
    make(kind).load_state_dict(state)


BROKEN = [
    ("adaptive", ("Sorting", "low"), -1, "low"),
    ("adaptive", ("Sorting", "total"), "many", "total"),
    ("two-way", ("Sorting", "high"), -2, "high"),
]


@pytest.mark.parametrize(("kind", "path", "value", "complaint"), BROKEN)
def test_broken_states_are_refused_and_change_nothing(kind, path, value, complaint):
    curriculum = begun(kind)
    before = curriculum.state_dict()
    with pytest.raises(UserError, match=complaint):
        curriculum.load_state_dict(changed(before, (kind, *path), value))
    assert curriculum.state_dict() == before


@pytest.mark.parametrize("kind", CURRICULA)
def test_states_of_others_are_refused(kind):
    state = begun(kind).state_dict()
    for version in (2, None):
        with pytest.raises(UserError, match=f"version {version}"):
            make(kind).load_state_dict(state | {"version": version})
    static = CurriculumSettings(static=(0, 1)).build(NAMES, group=4)
    for other, why in (({}, "it is empty"), (static.state_dict(), "its kind is 'static'")):
        with pytest.raises(UserError, match=why):
            make(kind).load_state_dict(other)
    with pytest.raises(UserError, match="other environments"):
        CurriculumSettings(curriculum=kind).build(["Sorting"], group=4).load_state_dict(state)


def test_layers_check_the_state_below():
    curriculum = begun("two-way", weights={"Low": 2.0}, rehearsal=0.1)
    state = curriculum.state_dict()
    curriculum.load_state_dict(state)
    with pytest.raises(UserError, match="of the kind 'rehearsal'"):
        make("two-way", rehearsal=0.5).load_state_dict(make("two-way").state_dict())
    below = ("weights", "rehearsal", "two-way", "Low", "high")
    with pytest.raises(UserError, match="high"):
        curriculum.load_state_dict(changed(state, below, -7))
    assert curriculum.state_dict() == state
