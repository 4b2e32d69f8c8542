import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.curricula import LearnabilityCurriculum
from rlve.errors import UserError
from support.curriculum_traces import NAMES, TRACES, chances, reported
from support.opening_levels import Opening


@given(
    half_life=st.sampled_from([1, 3.5, 50]),
    opening=st.sampled_from([0.3, 0.5, 1.0]),
    tau_num=st.integers(1, 9),
    trace=TRACES,
)
@settings(deadline=None)
def test_pairs_are_drawn_by_what_can_be_learnt_of_them(half_life, opening, tau_num, trace):
    """Against a model that keeps all rollouts, and weighs each by its age."""
    curriculum = LearnabilityCurriculum(
        NAMES, half_life=half_life, opening=opening, tau_num=tau_num
    )
    levels, seen = Opening(opening, tau_num), []
    for now, reports in enumerate(reported(trace, curriculum)):
        for report in reports:
            if report.difficulty <= levels.high[report.name]:
                seen += [(now, *report[:2], right) for right in report.correct]
            levels.hear(*report)
            curriculum.observe_group(*report)
        curriculum.step()
        levels.step()
        p = {}
        for pair in levels.pairs():
            ages = [(now - then, right) for then, *of, right in seen if tuple(of) == pair]
            total = sum(0.5 ** (age / half_life) for age, _ in ages)
            correct = sum(0.5 ** (age / half_life) for age, right in ages if right)
            p[pair] = (correct + 1) / (total + 2)
        whole = sum(each * (1 - each) for each in p.values())
        assert chances(curriculum) == pytest.approx(
            {pair: each * (1 - each) / whole for pair, each in p.items()}
        )
        for name in NAMES:
            low, high = curriculum.bounds(name)
            assert high == levels.high[name]
            assert all(p[name, level] > 0.9 - 1e-9 for level in range(low))
            assert low == high or p[name, low] < 0.9 + 1e-9


def test_what_was_not_drawn_for_long_is_tried_again():
    curriculum = LearnabilityCurriculum(["Sorting", "Other"], half_life=5)
    curriculum.observe_group("Other", 0, [False] * 16, [0.0] * 16)
    curriculum.step()
    hopeless = chances(curriculum)["Other", 0]
    assert hopeless < 0.2
    for _ in range(40):
        curriculum.step()
    assert chances(curriculum)["Other", 0] == pytest.approx(0.5, abs=0.02)


def test_rollouts_go_where_half_are_correct():
    curriculum = LearnabilityCurriculum(NAMES)
    for name, outcomes in zip(NAMES, ([True] * 16, [False] * 16, [True, False] * 8), strict=True):
        curriculum.observe_group(name, 0, outcomes, [float(each) for each in outcomes])
    curriculum.step()
    found = chances(curriculum)
    assert found["Other", 0] > 4 * found["Sorting", 0]
    assert found["Other", 0] > 4 * found["Low", 0]


def test_a_half_life_is_above_zero():
    with pytest.raises(UserError, match="half_life must be above 0"):
        LearnabilityCurriculum(["Sorting"], half_life=0)
