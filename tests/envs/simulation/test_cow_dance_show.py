from rlve.envs.simulation.cow_dance_show import CowDanceShow

# Cow 3 starts at time 2, cow 4 at time 3, cow 5 at time 4.
PROBLEM = CowDanceShow(N=5, d=[3, 2, 2, 2, 3], K=2, reference_answer=7)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {1.0: ["7", "07"], 0.0: ["6", "-7", "9" * 1000], -1.0: ["7.0", "7 units", ""]}
SAMPLES = {150: {"N": range(3, 18)}}


def test_answer_is_that_of_stepping_the_clock(problem):
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
