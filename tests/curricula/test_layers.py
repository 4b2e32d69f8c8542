import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.curricula import (
    AdaptiveCurriculum,
    CurriculumSettings,
    Rehearsal,
    Rest,
    StaticCurriculum,
    Weights,
)
from rlve.errors import UserError
from support.curriculum_traces import LOW_HIGHEST, NAMES, TRACES, reported


def climbed(levels, names=("Sorting",)):
    curriculum = AdaptiveCurriculum(names, tau_num=1, window=2)
    for _ in range(levels):
        for name in names:
            curriculum.observe(name, curriculum.bounds(name)[1], True)
        curriculum.step()
    return curriculum


def drawn(curriculum, number=6000):
    rng = Random(0)
    return Counter(curriculum.draw(rng) for _ in range(number))


def test_without_settings_draws_are_those_of_algorithm_1():
    """The very same ones: published results rely on it."""
    plain = AdaptiveCurriculum(NAMES, tau_num=4)
    built = CurriculumSettings(tau_num=4).build(NAMES, group=4)
    assert type(built) is AdaptiveCurriculum
    for seed in range(200):
        assert built.draw(Random(seed)) == plain.draw(Random(seed))
    rng = Random(7)
    name = rng.choice(NAMES)
    assert plain.draw(Random(7)) == (name, rng.randint(0, 0))


def test_rehearsal_draws_a_share_from_levels_left_behind():
    curriculum = Rehearsal(climbed(5), 0.25)
    assert curriculum.bounds("Sorting") == (4, 5)
    found = drawn(curriculum)
    for level in range(4):
        assert 0.05 < found["Sorting", level] / 6000 < 0.075
    for level in (4, 5):
        assert 0.35 < found["Sorting", level] / 6000 < 0.4


def test_rehearsal_begins_when_something_is_left_behind():
    assert {level for _, level in drawn(Rehearsal(climbed(1), 0.9), 500)} == {0, 1}


def test_weights_multiply_the_chance_of_an_environment():
    curriculum = Weights(StaticCurriculum(NAMES, 0, 1), {"Sorting": 6, "Low": 0.5})
    found = Counter(name for name, _ in drawn(curriculum).elements())
    assert 0.77 < found["Sorting"] / 6000 < 0.83
    assert 0.05 < found["Low"] / 6000 < 0.085


class Looking:
    """When an environment rests, once more: all its groups since its range moved, in a list."""

    def __init__(self, patience):
        self.patience = patience
        self.groups = {name: [] for name in NAMES}
        self.rests = set()
        self.finished = set()

    def hear(self, report, high):
        self.groups[report.name].append((report, high))

    def step(self, highs, moved):
        for name in NAMES:
            groups = self.groups[name]
            hopeless = all(len(set(report.rewards)) == 1 for report, _ in groups)
            if name in moved:
                self.rests.discard(name)
            elif len(groups) < self.patience:
                if hopeless or name in self.finished or name not in self.rests:
                    continue
                self.rests.discard(name)  # at once
            else:
                at_high = [r for each, high in groups if each[1] == high for r in each.correct]
                mastered = bool(at_high) and sum(at_high) / len(at_high) >= 0.9
                ended = name == "Low" and highs[name] == LOW_HIGHEST
                self.rests.discard(name)
                self.finished.discard(name)
                if ended and mastered:
                    self.finished.add(name)
                if hopeless or (ended and mastered):
                    self.rests.add(name)
            self.groups[name] = []


@given(patience=st.integers(1, 6), trace=TRACES)
@settings(deadline=None)
def test_who_rests(patience, trace):
    inner = AdaptiveCurriculum(NAMES, tau_num=8)
    curriculum, model = Rest(inner, 0.1, patience=patience), Looking(patience)
    for reports in reported(trace, curriculum):
        for report in reports:
            model.hear(report, curriculum.bounds(report.name)[1])
            curriculum.observe_group(*report)
        moved = {change.name for change in curriculum.step()}
        model.step({name: curriculum.bounds(name)[1] for name in NAMES}, moved)
        assert {*curriculum.resting} == model.rests


def test_an_environment_without_signal_is_drawn_seldom_and_wakes_again():
    curriculum = Rest(StaticCurriculum(NAMES, 0, 2), 0.1, patience=3)
    assert curriculum.resting == []
    for _ in range(3):
        curriculum.observe_group("Other", 1, [False] * 4, [0.0] * 4)
        curriculum.observe_group("Sorting", 1, [True, False], [1.0, 0.0])
    curriculum.step()
    assert curriculum.resting == ["Other"]
    found = Counter(name for name, _ in drawn(curriculum).elements())
    assert 0.03 < found["Other"] / 6000 < 0.065  # a tenth of the others
    for right, resting in ((False, ["Other"]), (True, [])):  # it wakes at the first signal
        curriculum.observe_group("Other", 1, [False, right], [0.0, float(right)])
        curriculum.step()
        assert curriculum.resting == resting


def test_an_environment_at_its_end_is_not_woken_by_one_weak_group():
    curriculum = Rest(StaticCurriculum(NAMES, 0, LOW_HIGHEST), 0.1, patience=4)

    def hear(*groups):
        for correct in groups:
            curriculum.observe_group(
                "Low", LOW_HIGHEST, correct, [float(right) for right in correct]
            )
            curriculum.step()

    good, weak = [True] * 20, [True, False]
    hear(good, good, good, weak)
    assert curriculum.resting == ["Low"]
    hear(weak, good, good)
    state = json.loads(json.dumps(curriculum.state_dict()))
    curriculum = Rest(StaticCurriculum(NAMES, 0, LOW_HIGHEST), 0.1, patience=4)
    curriculum.load_state_dict(state)
    hear(good)
    assert curriculum.resting == ["Low"]
    hear(weak, weak, weak)
    assert curriculum.resting == ["Low"]
    hear(good)  # in the last four, 23 of 26 were right
    assert curriculum.resting == []


def test_an_environment_that_is_getting_somewhere_does_not_rest():
    """All solved, no signal, but h rises: it is on its way through what it knows already."""
    curriculum = Rest(AdaptiveCurriculum(["Sorting"], tau_num=4), 0.1, patience=1)
    for _ in range(5):
        curriculum.observe_group("Sorting", curriculum.bounds("Sorting")[1], [True] * 4, [1.0] * 4)
        assert curriculum.step()
        assert curriculum.resting == []


def test_all_layers_together():
    settings = CurriculumSettings(rehearsal=0.5, rest=0.1, weights={"Sorting": 2}, tau_num=1)
    curriculum = settings.build(NAMES, group=4)
    assert isinstance(curriculum, Weights)
    assert isinstance(curriculum.inner, Rest)
    assert curriculum.resting == []


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"rehearsal": 1.2}, "rehearsal must be above 0 and at most 1"),
        ({"rehearsal": 0.1, "static": (0, 3)}, "leaves no levels behind"),
        ({"rest": 0}, "rest must be above 0"),
        ({"weights": {"Sortin": 2}}, "did you mean 'Sorting'"),
        ({"weights": {"Sorting": 0}}, "leave it out of the environments"),
        ({"weights": {"Sorting": float("inf")}}, "above 0"),
        ({"curriculum": "twoway"}, "adaptive, two-way, learnability, bandit"),
        ({"curriculum": "bandit", "static": (0, 3)}, "never moves"),
        ({"target": 0.95, "curriculum": "two-way"}, "accuracies"),
    ],
)
def test_bad_settings_are_named(settings, complaint):
    with pytest.raises(UserError, match=complaint):
        CurriculumSettings(**settings).build(NAMES, group=4)
