import math
from dataclasses import replace

import pytest

from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.pool import Pool
from rlve.studies.simulated_policy import SimulatedPolicy
from rlve.studies.simulation import (
    SimulatedStep,
    SimulationPlan,
    read_simulation,
    simulate,
    simulate_into,
    summarise,
)


def adaptive(tau_acc, tau_num, window):
    return CurriculumSettings(tau_acc=tau_acc, tau_num=tau_num, window=window)


def static(low, high):
    return CurriculumSettings(static=(low, high))


ADAPTIVE = adaptive(0.9, 32, 4)
SMALL = SimulationPlan(
    names=("Sorting", "Multiplication"),
    settings=(ADAPTIVE, static(0, 1), static(0, 20)),
    steps=6,
    problems=8,
    rollouts=4,
)


def test_the_same_plan_gives_the_same_records():
    first, second = (list(simulate(SMALL)) for _ in range(2))
    assert first == second
    assert list(simulate(replace(SMALL, seed=1))) != first


def test_a_pool_changes_nothing():
    with Pool(1) as pool:
        assert list(simulate(SMALL, pool)) == list(simulate(SMALL))


def test_records_come_step_by_step_and_setting_by_setting():
    records = list(simulate(SMALL))
    labels = ("adaptive", "static [0, 1]", "static [0, 20]")
    assert [(r.step, r.setting) for r in records] == [
        (step, label) for step in range(1, 7) for label in labels
    ]
    assert all(0 <= r.effective_prompt_ratio <= 1 and 0 <= r.accuracy <= 1 for r in records)
    assert {tuple(r.high) for r in records if r.setting == "static [0, 20]"} == {(20, 20)}


def test_a_setting_is_simulated_alike_whichever_others_there_are():
    together = [r for r in simulate(SMALL) if r.setting == "adaptive"]
    assert list(simulate(replace(SMALL, settings=(ADAPTIVE,)))) == together


def test_a_policy_that_knows_everything_learns_nothing_and_climbs():
    able = SimulatedPolicy(skill=1000, skill_spread=0)
    plan = replace(SMALL, policy=able, settings=(adaptive(0.9, 4, 2),))
    *_, last = simulate(plan)
    assert (last.accuracy, last.accuracy_at_high, last.effective_prompt_ratio) == (1, 1, 0)
    assert last.skill == [1000, 1000]
    assert min(last.high) > 0


def test_a_policy_that_knows_nothing_learns_nothing_and_stays():
    unable = SimulatedPolicy(skill=-1000, skill_spread=0)
    plan = replace(SMALL, policy=unable, settings=(adaptive(0.9, 4, 2),))
    *_, last = simulate(plan)
    assert (last.accuracy, last.accuracy_at_high, last.effective_prompt_ratio) == (0, 0, 0)
    assert last.high == [0, 0]
    assert last.skill == [-1000, -1000]


def test_a_policy_at_its_edge_learns():
    *_, last = simulate(replace(SMALL, policy=SimulatedPolicy(skill=0, skill_spread=0, pace=0.2)))
    assert min(last.skill) >= 0
    assert max(last.skill) > 0


def test_h_stops_at_the_highest_difficulty():
    plan = SimulationPlan(
        names=("Sudoku",),
        settings=(adaptive(0.9, 2, 2), static(0, 20)),
        steps=12,
        problems=6,
        rollouts=2,
        policy=SimulatedPolicy(skill=1000),
    )
    from rlve.envs.puzzles.sudoku import Sudoku

    records = list(simulate(plan))
    assert [record.high for record in records[-2:]] == [[Sudoku.max_difficulty]] * 2


def test_shaped_rewards_can_differ_where_nothing_is_correct():
    unable = replace(
        SMALL, policy=SimulatedPolicy(skill=-1000), settings=(static(8, 8),), names=("Sorting",)
    )
    assert {r.effective_prompt_ratio for r in simulate(unable)} == {0}
    shaped = list(simulate(replace(unable, reward="shaped")))
    assert max(r.effective_prompt_ratio for r in shaped) > 0
    assert shaped[0].skill == shaped[-1].skill


def test_rehearsal_keeps_what_algorithm_1_forgets():
    plan = SimulationPlan(
        names=("Sorting", "Multiplication"),
        settings=(adaptive(0.9, 128, 4), replace(adaptive(0.9, 128, 4), rehearsal=0.3)),
        steps=300,
        problems=16,
        rollouts=16,
        policy=SimulatedPolicy(forgetting=0.02, pace=0.01),
    )
    found = {}
    for step in simulate(plan):
        found.setdefault(step.setting, []).append(step)
    without, rehearsed = (summarise(steps) for steps in found.values())
    assert without.kept < 0.6
    assert rehearsed.kept > 0.85


def test_every_curriculum_can_be_simulated():
    kinds = ("adaptive", "two-way", "learnability", "bandit")
    settings = tuple(CurriculumSettings(curriculum=kind, rehearsal=0.5) for kind in kinds)
    records = list(simulate(replace(SMALL, settings=settings)))
    assert [record.setting for record in records[:4]] == [f"{k} + 50% rehearsal" for k in kinds]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 0}, "steps must be at least 1, not 0"),
        ({"problems": 0}, "problems must be at least 1"),
        ({"rollouts": 1}, "rollouts must be at least 2"),
        ({"reward": "none"}, "the reward must be 'correct' or 'shaped'"),
        ({"names": ()}, "at least one environment"),
        ({"names": ("Sortin",)}, "did you mean 'Sorting'"),
        ({"names": ("Sorting", "Sorting")}, "more than once"),
        ({"settings": ()}, "nothing to simulate"),
        ({"settings": (static(0, 1), static(0, 1))}, r"static \[0, 1\] is listed twice"),
        ({"settings": (static(3, 1),)}, "0 <= low <= high"),
        ({"settings": (adaptive(1.5, 128, 4),)}, "tau_acc"),
        ({"settings": (adaptive(0.9, 0, 4),)}, "tau_num"),
        ({"settings": (adaptive(0.9, 128, 0),)}, "window"),
        ({"policy": SimulatedPolicy(width=0)}, "width must be above 0"),
        ({"policy": SimulatedPolicy(forgetting=2)}, "forgetting must be from 0 to 1"),
        ({"policy": SimulatedPolicy(pace=-1)}, "pace must be at least 0"),
        ({"policy": SimulatedPolicy(evenness=0)}, "evenness"),
        ({"policy": SimulatedPolicy(evenness=1.1)}, "evenness"),
        ({"policy": SimulatedPolicy(skill=math.nan)}, "skill must be a number"),
    ],
)
def test_what_cannot_be_simulated_is_said_before_any_work(change, message):
    with pytest.raises(UserError, match=message):
        replace(SMALL, **change).check()


def test_labels_say_how_settings_differ():
    plan = replace(SMALL, settings=(adaptive(0.8, 64, 4), adaptive(0.9, 64, 4), static(0, 20)))
    assert plan.labels() == ("adaptive tau_acc=0.8", "adaptive tau_acc=0.9", "static [0, 20]")
    assert SMALL.labels()[0] == "adaptive"


def test_no_two_settings_have_the_same_label():
    shares = tuple(replace(ADAPTIVE, rehearsal=share) for share in (0.1, 0.104))
    assert replace(SMALL, settings=shares).labels() == (
        "adaptive + 10% rehearsal",
        "adaptive + 10.4% rehearsal",
    )
    own = tuple(CurriculumSettings(curriculum=f"{module}:Mine") for module in "ab")
    assert replace(SMALL, settings=own[:1]).labels() == ("Mine",)
    assert replace(SMALL, settings=own).labels() == (
        "Mine curriculum=a:Mine",
        "Mine curriculum=b:Mine",
    )
    weighted = tuple(replace(ADAPTIVE, weights={"Sorting": weight}) for weight in (2.0, 3.0))
    with pytest.raises(UserError, match=r"two settings have the same name, adaptive \+ weights;"):
        replace(SMALL, settings=weighted).check()


def test_summary():
    def record(step, ratio, accuracy):
        return SimulatedStep(
            setting="adaptive",
            step=step,
            effective_prompt_ratio=ratio,
            accuracy=0.5,
            accuracy_at_high=accuracy,
            high=[step, 3 * step],
            skill=[0.5, 1.0],
        )

    records = [record(step, 0.2, 0.1) for step in range(1, 19)]
    records += [record(19, 0.4, None), record(20, 0.8, 0.7)]
    summary = summarise(records)
    assert (summary.high_mean, summary.high_min, summary.high_max) == (40, 20, 60)
    assert summary.accuracy_at_high == 0.7
    assert summary.effective == pytest.approx((18 * 0.2 + 1.2) / 20)
    assert summary.effective_at_end == pytest.approx(0.6)
    assert summary.skill_mean == 0.75
    assert summarise(records[18:19]).accuracy_at_high is None


def test_a_simulation_is_read_back_from_its_folder(tmp_path):
    folder = tmp_path / "made" / "here"
    seen = []
    simulate_into(folder, SMALL, watch=seen.append)
    assert seen == list(simulate(SMALL))
    found = read_simulation(folder)
    assert found.plan == SMALL
    assert found.steps == SMALL.steps
    assert [step for steps in zip(*found.history.values(), strict=True) for step in steps] == seen
    assert [summary.setting for summary in found.summaries()] == list(SMALL.labels())


def test_of_an_interrupted_simulation_the_steps_count_that_all_settings_have_done(tmp_path):
    def interrupt(step):
        if (step.step, step.setting) == (3, "adaptive"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_into(tmp_path, SMALL, watch=interrupt)
    assert read_simulation(tmp_path).steps == 2
    assert {len(steps) for steps in read_simulation(tmp_path).history.values()} == {2}


def test_a_folder_in_use_and_one_that_is_damaged_are_named(tmp_path):
    with pytest.raises(UserError, match="is not the folder of a simulation"):
        read_simulation(tmp_path)
    simulate_into(tmp_path, SMALL)
    with pytest.raises(UserError, match="already exists"):
        simulate_into(tmp_path, SMALL)
    for damaged in ('{"kind": "simulate", "names": 1}', '{"kind": "simulate"}', "{"):
        (tmp_path / "config.json").write_text(damaged)
        with pytest.raises(UserError, match=r"config\.json is damaged"):
            read_simulation(tmp_path)
