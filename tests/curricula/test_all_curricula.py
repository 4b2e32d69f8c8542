"""What holds for every curriculum, with and without what is laid over it."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.curricula import CURRICULA, CurriculumSettings
from support.curriculum_traces import LOW_HIGHEST, NAMES, TRACES, reloaded, reported, shuffled

LAYERS = {"rehearsal": 0.3, "weights": {"Sorting": 3.0}}
SETTINGS = {
    **{kind: CurriculumSettings(curriculum=kind, tau_num=6) for kind in CURRICULA},
    **{
        f"{kind} + layers": CurriculumSettings(curriculum=kind, tau_num=6, window=2, **LAYERS)
        for kind in CURRICULA
    },
    "static": CurriculumSettings(static=(0, 2)),
    "static + layers": CurriculumSettings(static=(0, 2), weights={"Low": 0.5}),
}


def drawn(curriculum, seed):
    return [curriculum.draw(Random(f"{seed}/{i}")) for i in range(20)]


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
@given(trace=TRACES, reloads=st.sets(st.integers(0, 13)), rng=st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_order_of_reports_and_saving_in_the_middle_change_nothing(setting, trace, reloads, rng):
    plain, other = (setting.build(NAMES, group=4) for _ in range(2))
    for i, reports in enumerate(reported(trace, plain)):
        for report in reports:
            plain.observe_group(*report)
        for report in shuffled(reports, rng):
            other.observe_group(*report)
            if i in reloads and rng.random() < 0.3:  # in the middle of a step
                other = reloaded(other, setting.build(NAMES, group=4))
        assert other.state_dict() == plain.state_dict()
        assert other.step() == plain.step()
        assert other.state_dict() == plain.state_dict()
        if i in reloads:
            other = reloaded(other, setting.build(NAMES, group=4))
        assert drawn(other, i) == drawn(plain, i)


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
@given(trace=TRACES)
@settings(max_examples=25, deadline=None)
def test_what_is_drawn_can_be_generated_and_drawing_changes_nothing(setting, trace):
    curriculum = setting.build(NAMES, group=4)
    for reports in reported(trace, curriculum):
        for report in reports:
            curriculum.observe_group(*report)
        before = {name: curriculum.bounds(name) for name in NAMES}
        changes = {change.name: (change.low, change.high) for change in curriculum.step()}
        state = curriculum.state_dict()
        for name, difficulty in drawn(curriculum, 0):
            low, high = curriculum.bounds(name)
            assert 0 <= low <= high
            assert 0 <= difficulty <= high
            assert name != "Low" or difficulty <= LOW_HIGHEST
        assert curriculum.state_dict() == state
        highs = {name: curriculum.bounds(name)[1] for name in NAMES}
        assert {name for name in NAMES if highs[name] != before[name][1]} <= {*changes}
        assert all(curriculum.bounds(name) == bounds for name, bounds in changes.items())


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
def test_a_rollout_can_be_reported_by_itself(setting):
    one_by_one, grouped = (setting.build(NAMES, group=4) for _ in range(2))
    for correct in (True, False, True):
        one_by_one.observe("Sorting", 0, correct)
        grouped.observe_group("Sorting", 0, [correct], [float(correct)])
    assert one_by_one.state_dict() == grouped.state_dict()


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
def test_an_unknown_environment_is_an_error(setting):
    from rlve.errors import UserError

    with pytest.raises(UserError, match="'Nothing'"):
        setting.build(NAMES, group=4).observe_group("Nothing", 0, [True], [1.0])
