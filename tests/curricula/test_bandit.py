import math
from statistics import fmean, pstdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.curricula import BanditCurriculum
from rlve.curricula.bandit import mean_absolute_advantage
from rlve.errors import UserError
from support.curriculum_traces import NAMES, TRACES, chances, reported
from support.opening_levels import Opening


@given(
    rate=st.sampled_from([0.1, 0.5, 1.0]),
    temperature=st.sampled_from([0.1, 1.0]),
    tau_num=st.integers(1, 9),
    trace=TRACES,
)
@settings(deadline=None)
def test_arms_are_drawn_by_a_softmax_of_what_they_pay(rate, temperature, tau_num, trace):
    """Against a model that replays all steps of an arm from the beginning."""
    curriculum = BanditCurriculum(NAMES, rate=rate, temperature=temperature, tau_num=tau_num)
    levels, paid = Opening(0.5, tau_num), {}
    for reports in reported(trace, curriculum):
        of_step = {}
        for report in reports:
            if report.difficulty <= levels.high[report.name]:
                rewards, mean = report.rewards, fmean(report.rewards)
                deviation = pstdev(rewards) or 1.0
                of_step.setdefault(report[:2], []).append(
                    fmean(abs(reward - mean) / deviation for reward in rewards)
                )
            levels.hear(*report)
            curriculum.observe_group(*report)
        for pair, advantages in of_step.items():
            paid.setdefault(pair, []).append(fmean(advantages))
        curriculum.step()
        levels.step()
        weights = {}
        for pair in levels.pairs():
            value = 1.0
            for pay in paid.get(pair, ()):
                value = (1 - rate) * value + rate * pay
            weights[pair] = math.exp(value / temperature)
        whole = sum(weights.values())
        assert chances(curriculum) == pytest.approx(
            {pair: weight / whole for pair, weight in weights.items()}, rel=1e-4
        )
        assert {name: curriculum.bounds(name)[1] for name in NAMES} == levels.high


def test_a_level_is_left_behind_when_it_is_solved():
    curriculum = BanditCurriculum(["Sorting"], rate=0.5, tau_num=8)
    for _ in range(6):
        curriculum.observe_group("Sorting", 0, [True] * 8, [1.0] * 8)
        curriculum.step()
    assert curriculum.bounds("Sorting") == (1, 1)


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([1.0, 1.0, 1.0], 0.0),
        ([0.0], 0.0),
        ([1.0, 0.0], 1.0),
        ([1.0, 1.0, 0.0, 0.0], 1.0),
        ([1.0, 0.0, 0.0, 0.0], 2 * math.sqrt(3 / 16)),
        ([-0.5, -1.0], 1.0),  # signal, although nothing is correct
    ],
)
def test_mean_absolute_advantage(rewards, expected):
    assert mean_absolute_advantage(rewards) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"rate": 0}, "rate must be above 0"),
        ({"temperature": 0}, "temperature must be above 0"),
        ({"opening": 0}, "opening must be above 0"),
        ({"opening": 1.5}, "at most 1"),
    ],
)
def test_bad_settings_are_named(options, complaint):
    with pytest.raises(UserError, match=complaint):
        BanditCurriculum(["Sorting"], **options)
