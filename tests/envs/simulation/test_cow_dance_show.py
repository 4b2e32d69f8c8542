from random import Random

import pytest

from rlve.envs.simulation.cow_dance_show import CowDanceShow

# Cow 3 starts at time 2, cow 4 at time 3, cow 5 at time 4.
PROBLEM = CowDanceShow(N=5, d=[3, 2, 2, 2, 3], K=2, reference_answer=7)


def test_schedule():
    assert [CowDanceShow.level(d) for d in (0, 1, 20)] == [[{"N": 4}], [{"N": 5}], [{"N": 24}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("7", 1.0),
        ("07", 1.0),
        ("6", 0.0),
        ("-7", 0.0),
        ("9" * 1000, 0.0),
        ("7.0", -1.0),
        ("7 units", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_is_that_of_stepping_the_clock():
    for seed in range(150):
        problem = CowDanceShow.sample(Random(seed), N=3 + seed % 15)
        assert len(problem.d) == problem.N
        assert 2 <= problem.K < problem.N
        assert all(1 <= time <= problem.N for time in problem.d)
        waiting, stage, clock = list(problem.d), [], 0
        while waiting or stage:
            while waiting and len(stage) < problem.K:
                stage.append(waiting.pop(0))
            clock += 1
            stage = [left - 1 for left in stage if left > 1]
        assert problem.reference_answer == clock
