from collections import Counter
from random import Random

import pytest

from rlve.curricula import (
    CURRICULA,
    AdaptiveCurriculum,
    CurriculumSettings,
    Rehearsal,
    StaticCurriculum,
    Weights,
)
from rlve.errors import UserError
from support.curriculum_traces import NAMES


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


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"rehearsal": 1.2}, "rehearsal must be above 0 and at most 1"),
        ({"rehearsal": 0.1, "static": (0, 3)}, "leaves no levels behind"),
        ({"weights": {"Sortin": 2}}, "did you mean 'Sorting'"),
        ({"weights": {"Sorting": 0}}, "weight of Sorting must be above 0 and finite, not 0"),
        ({"weights": {"Sorting": float("inf")}}, "above 0"),
        ({"curriculum": "twoway"}, f"are {', '.join(CURRICULA)}, and MODULE:CLASS"),
        ({"curriculum": "two-way", "static": (0, 3)}, "never moves"),
        ({"target": 0.95, "curriculum": "two-way"}, "accuracies"),
    ],
)
def test_bad_settings_are_named(settings, complaint):
    with pytest.raises(UserError, match=complaint):
        CurriculumSettings(**settings).build(NAMES, group=4)
