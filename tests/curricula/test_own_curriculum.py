import json
from random import Random

import pytest

from rlve.curricula import CurriculumSettings, Rehearsal
from rlve.curricula.protocol import check_changes
from rlve.errors import UserError
from rlve.gym import Gym
from rlve.targets import load_object

# What docs/curricula.md shows.
OWN = '''
from rlve import Change


class Timetable:
    """A level more every so many steps, whatever the policy does."""

    def __init__(self, names, settings):
        self.names = names
        self.every = 10
        self.steps = 0

    def draw(self, rng):
        return rng.choice(self.names), rng.randint(*self.bounds(""))

    def observe_group(self, name, difficulty, correct, rewards):
        pass

    def step(self):
        self.steps += 1
        moved = self.names if self.steps % self.every == 0 else []
        return [Change(name, *self.bounds(name)) for name in moved]

    def bounds(self, name):
        high = self.steps // self.every
        return max(0, high - 3), high

    def state_dict(self):
        return {"steps": self.steps}

    def load_state_dict(self, state):
        self.steps = state["steps"]


class Counting(Timetable):
    def draw(self, rng):
        self.steps += 1
        return super().draw(rng)


class Hidden(Timetable):
    """Its state does not say how many were drawn."""

    drawn = 0

    def draw(self, rng):
        self.drawn += 1
        return self.names[0], self.drawn


class Silent(Timetable):
    def step(self):
        super().step()
        return []


class Half:
    def draw(self, rng):
        return "Sorting", 0


LEVELS = 3
'''


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "mine.py"
    place.write_text(OWN)
    return place


def test_a_class_of_ones_own(file):
    settings = CurriculumSettings(curriculum=f"{file}:Timetable", rehearsal=0.5)
    curriculum = settings.build(["Sorting", "Division"], group=4)
    assert isinstance(curriculum, Rehearsal)
    for _ in range(60):
        curriculum.step()
    levels = {curriculum.draw(Random(seed))[1] for seed in range(300)}
    assert levels == {*range(7)}
    again = settings.build(["Sorting", "Division"], group=4)
    again.load_state_dict(json.loads(json.dumps(curriculum.state_dict())))
    assert again.bounds("Sorting") == (3, 6)
    assert settings.label() == "Timetable + 50% rehearsal"


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("Half", "it has no method observe_group"),
        ("LEVELS", "is not a class"),
        ("Nothing", "defines no Nothing"),
    ],
)
def test_what_is_no_curriculum_is_refused(file, name, complaint):
    with pytest.raises(UserError, match=complaint):
        CurriculumSettings(curriculum=f"{file}:{name}").build(["Sorting"], group=4)


def test_a_missing_file_is_named():
    with pytest.raises(UserError, match=r"there is no Python file nowhere\.py"):
        CurriculumSettings(curriculum="nowhere.py:Timetable").build(["Sorting"], group=4)


@pytest.mark.parametrize("name", ["Counting", "Hidden"])
def test_a_draw_that_changes_the_curriculum_is_refused(file, name):
    settings = CurriculumSettings(curriculum=f"{file}:{name}")
    with pytest.raises(UserError, match=rf"{name}\.draw\(\) changes the curriculum"):
        settings.build(["Sorting"], group=4)
    own = load_object(f"{file}:{name}")(["Sorting"], settings)
    with pytest.raises(UserError, match=rf"{name}\.draw\(\) changes the curriculum"):
        Gym(group=4, curriculum=own, workers=1)


def test_a_step_that_moves_h_says_so(file):
    settings = CurriculumSettings(curriculum=f"{file}:Timetable")
    with Gym(["Sorting", "Division"], group=4, curriculum=settings, workers=1) as gym:
        raised = [gym.step().raised for _ in range(10)]
    assert raised == [{}] * 9 + [{"Sorting": 1, "Division": 1}]
    silent = CurriculumSettings(curriculum=f"{file}:Silent")
    with Gym("Sorting", group=4, curriculum=silent, workers=1) as gym:
        for _ in range(9):
            gym.step()
        with pytest.raises(
            UserError, match=r"moved the range of Sorting from \(0, 0\) to \(0, 1\)"
        ):
            gym.step()
    with pytest.raises(UserError, match="and did not say so"):  # nor may l move
        check_changes({"Sorting": (0, 4)}, {"Sorting": (1, 4)}, [])
