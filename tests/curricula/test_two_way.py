import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.curricula import TwoWayCurriculum
from rlve.errors import UserError
from support.curriculum_traces import LOW_HIGHEST, NAMES, TRACES, reported


class Model:
    """The staircase once more: a list of all rollouts at the present level, judged after a step."""

    def __init__(self, target, margin, tau_num):
        self.up, self.down, self.tau_num = target + margin, target - margin, tau_num
        self.high = dict.fromkeys(NAMES, 0)
        self.seen = {name: [] for name in NAMES}

    def hear(self, name, difficulty, correct, _):
        self.seen[name] += [(difficulty, right) for right in correct]

    def step(self):
        for name in NAMES:
            here = [right for level, right in self.seen[name] if level == self.high[name]]
            # A level can be come back to, so what was seen of others is forgotten, not kept.
            self.seen[name] = [(self.high[name], right) for right in here]
            if len(here) < self.tau_num:
                continue
            self.seen[name] = []
            share = here.count(True) / len(here)
            if share >= self.up and not (name == "Low" and self.high[name] == LOW_HIGHEST):
                self.high[name] += 1
            elif share <= self.down and self.high[name]:
                self.high[name] -= 1


@given(
    target=st.sampled_from([0.3, 0.5, 0.75]),
    margin=st.sampled_from([0.1, 0.25]),
    tau_num=st.integers(1, 9),
    window=st.integers(1, 4),
    trace=TRACES,
)
@settings(deadline=None)
def test_follows_the_staircase(target, margin, tau_num, window, trace):
    model = Model(target, margin, tau_num)
    curriculum = TwoWayCurriculum(
        NAMES, target=target, margin=margin, tau_num=tau_num, window=window
    )
    for reports in reported(trace, curriculum):
        for report in reports:
            model.hear(*report)
            curriculum.observe_group(*report)
        curriculum.step()
        model.step()
        for name in NAMES:
            high = model.high[name]
            assert curriculum.bounds(name) == (max(0, high - window + 1), high)


def test_it_comes_down_when_the_policy_slips():
    curriculum = TwoWayCurriculum(["Sorting"], tau_num=4, window=2)
    for _ in range(3):
        curriculum.observe_group("Sorting", curriculum.bounds("Sorting")[1], [True] * 4, [1.0] * 4)
        curriculum.step()
    assert curriculum.bounds("Sorting") == (2, 3)
    curriculum.observe_group("Sorting", 3, [True, False] * 2, [1.0, 0.0] * 2)
    assert curriculum.step() == []  # on target
    curriculum.observe_group("Sorting", 3, [False] * 4, [0.0] * 4)
    [change] = curriculum.step()
    assert (change.low, change.high, change.accuracy) == (1, 2, 0.0)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"target": 0}, "target must be above 0"),
        ({"target": 0.9}, "must be accuracies"),
        ({"margin": 0}, "margin must be above 0"),
        ({"tau_num": 0}, "tau_num"),
        ({"window": 0}, "window"),
    ],
)
def test_bad_settings_are_named(options, complaint):
    with pytest.raises(UserError, match=complaint):
        TwoWayCurriculum(["Sorting"], **options)
