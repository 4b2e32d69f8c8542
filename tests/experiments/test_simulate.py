"""Simulations are reproducible, find every curriculum, and print what is published."""

import json
import math
from pathlib import Path
from random import Random

import pytest

from experiments.simulate import main, simulate, table
from experiments.simulated_policy import Learner, SimulatedPolicy, lesson, sample_group
from rlve.curricula import CURRICULA, AdaptiveCurriculum, CurriculumSettings
from rlve.curricula.settings import CurriculumKind
from rlve.envs.arrays.sorting import Sorting

FOLDER = Path(__file__).parents[2] / "docs/results/curricula/simulation"


def learner(**assumed):
    policy = SimulatedPolicy(skill_spread=0, pace_spread=0, **assumed)
    return Learner(["Sorting"], policy, seed=0)


def test_the_published_table_is_that_of_the_metrics():
    page = (FOLDER.parent / "README.md").read_text()
    assert table(FOLDER).removeprefix("| arm ") in page


def test_its_first_steps_come_out_the_same_again():
    plan = json.loads((FOLDER / "config.json").read_text())
    published = [json.loads(line) for line in (FOLDER / "metrics.jsonl").read_text().splitlines()]
    policy = SimulatedPolicy(**plan["policy"])
    shared = {key: plan[key] for key in ("problems", "rollouts", "seed")}
    for share in (0.0, 0.2):
        for name in ("adaptive", "two-way"):
            arm = CurriculumSettings(curriculum=name, rehearsal=share)
            steps = [*simulate(plan["names"], arm, policy, steps=2, **shared)]
            kept = [row for row in published if row["setting"] == arm.label()][:2]
            assert [step.skill for step in steps] == [row["skill"] for row in kept]
            assert [step.accuracy for step in steps] == [row["accuracy"] for row in kept]


def test_a_new_curriculum_is_found(monkeypatch, tmp_path, capsys):
    row = CurriculumKind(
        lambda names, _: AdaptiveCurriculum(names, tau_num=8),
        "steady as she goes", "h rises steadily.", goal="tau_acc",
    )  # fmt: skip
    monkeypatch.setitem(CURRICULA, "steady", row)
    folder = tmp_path / "simulated"
    main(("Sorting",), steps=2, problems=2, rollouts=2, folder=folder)
    printed = capsys.readouterr().out
    for name in (*CURRICULA, "static [0, 1]", "static [0, 20]"):
        assert f"| {name} | " in printed
    main(show=folder)
    assert capsys.readouterr().out == printed
    with pytest.raises(SystemExit, match="already exists"):
        main(("Sorting",), folder=folder)


@pytest.mark.parametrize("evenness", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("difficulty", [0, 3, 7])
def test_the_chance_averages_to_the_logistic_curve(evenness, difficulty):
    policy = learner(skill=2.5, width=1.5, evenness=evenness)
    quantiles = [(i + 0.5) / 5000 for i in range(5000)]
    mean = sum(policy.chance("Sorting", difficulty, q) for q in quantiles) / len(quantiles)
    assert mean == pytest.approx(1 / (1 + math.exp((difficulty - 2.5) / 1.5)), abs=2e-4)


@pytest.mark.parametrize("correct", range(17))
def test_a_lesson_of_0_1_rewards_is_largest_at_the_edge(correct):
    rewards = [1.0] * correct + [0.0] * (16 - correct)
    share = correct / 16
    expected = 2 * math.sqrt(share * (1 - share))
    assert lesson(rewards, [reward == 1 for reward in rewards]) == pytest.approx(expected)


def test_what_is_not_practised_is_forgotten_and_comes_back_with_practice():
    policy = learner(skill=8, pace=0.0, forgetting=0.1)
    at_first = policy.accuracy("Sorting", 2)
    policy.practise("Sorting", 2, [1, 1], [True, True])
    for _ in range(4):
        policy.step()
    assert policy.accuracy("Sorting", 2) == pytest.approx(0.9**4 * at_first)
    policy.practise("Sorting", 2, [0, 1], [False, True])  # a lesson of 1: half comes back
    policy.step()
    assert policy.accuracy("Sorting", 2) == pytest.approx((1 - (1 - 0.9**5) / 2) * at_first)


@pytest.mark.parametrize("d", [0, 4, 12])
def test_the_reference_is_right_and_a_corrupted_one_is_not(d):
    problem = Sorting.generate(difficulty=d, seed=1)
    assert all(verdict.correct for verdict in sample_group(problem, 1.0, 8, Random(0)))
    assert not any(verdict.correct for verdict in sample_group(problem, 0.0, 8, Random(0)))
