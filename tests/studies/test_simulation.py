import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.pool import Pool
from rlve.studies.simulation import (
    Adaptive,
    Learner,
    Plan,
    Policy,
    Record,
    Static,
    corrupted,
    lesson,
    sample_group,
    simulate,
    summarise,
)

ADAPTIVE = Adaptive(tau_acc=0.9, tau_num=32, window=4)
SMALL = Plan(
    names=("Sorting", "Multiplication"),
    settings=(ADAPTIVE, Static(0, 1), Static(0, 20)),
    steps=6,
    problems=8,
    rollouts=4,
)


def learner(**assumed):
    policy = Policy(skill_spread=0, pace_spread=0, **assumed)
    return Learner(["Sorting"], policy, seed=0)


@pytest.mark.parametrize("evenness", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("difficulty", [0, 2, 3, 7])
def test_the_chance_averages_to_the_logistic_curve(evenness, difficulty):
    policy = learner(skill=2.5, width=1.5, evenness=evenness)
    quantiles = [(i + 0.5) / 5000 for i in range(5000)]
    mean = sum(policy.chance("Sorting", difficulty, q) for q in quantiles) / len(quantiles)
    assert mean == pytest.approx(1 / (1 + math.exp((difficulty - 2.5) / 1.5)), abs=2e-4)


def test_problems_of_a_level_differ_the_more_the_less_even_it_is():
    def distance(evenness):
        policy = learner(skill=3, evenness=evenness)
        return policy.chance("Sorting", 3, 0.9) - policy.chance("Sorting", 3, 0.1)

    assert distance(1.0) == pytest.approx(0)
    assert 0.2 < distance(0.8) < distance(0.4)


@given(
    skill=st.floats(-1e6, 1e6),
    evenness=st.floats(0.01, 1),
    difficulty=st.integers(0, 1000),
    quantile=st.floats(0, 1),
)
def test_a_chance_is_a_probability(skill, evenness, difficulty, quantile):
    assert 0 <= learner(skill=skill, evenness=evenness).chance("Sorting", difficulty, quantile) <= 1


@pytest.mark.parametrize("correct", range(17))
def test_a_lesson_of_0_1_rewards_is_largest_at_the_edge(correct):
    rewards = [1.0] * correct + [0.0] * (16 - correct)
    share = correct / 16
    expected = 2 * math.sqrt(share * (1 - share))
    assert lesson(rewards, [reward == 1 for reward in rewards]) == pytest.approx(expected)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.3, 1.0]), min_size=2, max_size=20))
def test_a_lesson_is_the_gradient_of_the_policy(rewards):
    """Against a finite difference of the mean of A log P(rollout), P logistic in the skill."""
    right = [reward == 1.0 for reward in rewards]
    if len(set(rewards)) == 1:
        assert lesson(rewards, right) == 0
        return
    mean = sum(rewards) / len(rewards)
    deviation = math.sqrt(sum((r - mean) ** 2 for r in rewards) / len(rewards))

    def objective(skill):
        chance = 1 / (1 + math.exp(-skill))
        logs = [math.log(chance if each else 1 - chance) for each in right]
        return sum((r - mean) / deviation * x for r, x in zip(rewards, logs, strict=True)) / len(
            rewards
        )

    gradient = (objective(0.4 + 1e-5) - objective(0.4 - 1e-5)) / 2e-5
    assert lesson(rewards, right) == pytest.approx(2 * gradient, abs=1e-6)


def test_a_group_that_is_all_wrong_teaches_nothing_even_if_its_rewards_differ():
    assert lesson([-1.0, 0.2, 0.5], [False, False, False]) == 0


def test_practice_counts_from_the_next_step_on():
    policy = learner(skill=1, pace=0.5)
    policy.practise("Sorting", [0, 1], [False, True])
    assert policy.skill["Sorting"] == 1
    policy.step()
    assert policy.skill["Sorting"] == 1.5
    policy.step()
    assert policy.skill["Sorting"] == 1.5


def test_an_environment_is_learnt_alike_whichever_others_there_are():
    alone, together = (
        Learner(names, Policy(), seed=3) for names in (["Sorting"], ["Multiplication", "Sorting"])
    )
    assert alone.skill["Sorting"] == together.skill["Sorting"] != together.skill["Multiplication"]
    assert alone.pace["Sorting"] == together.pace["Sorting"] != together.pace["Multiplication"]


@given(
    st.text(max_size=30) | st.from_regex(r"-?[0-9]+( -?[0-9]+){0,6}", fullmatch=True), st.randoms()
)
def test_a_corrupted_answer_is_another_text(text, rng):
    assert corrupted(text, rng) != text


class Counted(Sorting):
    """Sorting that notes what it is asked to judge."""

    def verify(self, output, *, marker="any"):
        self.judged.append(output)
        return super().verify(output, marker=marker)


class Lenient(Sorting):
    """Sorting that accepts whatever is a list of integers."""

    def score(self, answer):
        return 1.0


class Silent(Sorting):
    """Sorting without a reference answer."""

    def reference(self):
        return None


def test_a_group_is_judged_by_the_verifier_and_each_answer_once(monkeypatch):
    judged: list[str] = []
    monkeypatch.setattr(Counted, "judged", judged, raising=False)
    problem = Counted.generate(difficulty=5, seed=0)
    verdicts = sample_group(problem, 0.5, 64, Random(0))
    assert len(verdicts) == 64
    assert 20 < sum(verdict.correct for verdict in verdicts) < 44
    assert judged.count(f"<answer>{problem.reference()}</answer>") == 1
    assert 2 <= len(judged) <= 5


@pytest.mark.parametrize("d", [0, 4, 12])
def test_the_reference_is_right_and_a_corrupted_one_is_not(d):
    problem = Sorting.generate(difficulty=d, seed=1)
    assert all(verdict.correct for verdict in sample_group(problem, 1.0, 8, Random(0)))
    assert not any(verdict.correct for verdict in sample_group(problem, 0.0, 8, Random(0)))


def test_what_the_verifier_accepts_is_correct_whatever_was_intended():
    problem = Lenient.generate(difficulty=3, seed=1)
    assert all(verdict.correct for verdict in sample_group(problem, 0.0, 8, Random(0)))


def test_a_problem_without_a_reference_cannot_be_answered():
    with pytest.raises(UserError, match="Silent"):
        sample_group(Silent.generate(difficulty=0, seed=0), 0.5, 4, Random(0))


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
    able = Policy(skill=1000, skill_spread=0)
    plan = replace(SMALL, policy=able, settings=(Adaptive(0.9, 4, 2),))
    *_, last = simulate(plan)
    assert (last.accuracy, last.accuracy_at_high, last.effective_prompt_ratio) == (1, 1, 0)
    assert last.skill == [1000, 1000]
    assert min(last.high) > 0


def test_a_policy_that_knows_nothing_learns_nothing_and_stays():
    unable = Policy(skill=-1000, skill_spread=0)
    plan = replace(SMALL, policy=unable, settings=(Adaptive(0.9, 4, 2),))
    *_, last = simulate(plan)
    assert (last.accuracy, last.accuracy_at_high, last.effective_prompt_ratio) == (0, 0, 0)
    assert last.high == [0, 0]
    assert last.skill == [-1000, -1000]


def test_a_policy_at_its_edge_learns():
    *_, last = simulate(replace(SMALL, policy=Policy(skill=0, skill_spread=0, pace=0.2)))
    assert min(last.skill) >= 0
    assert max(last.skill) > 0


def test_h_stops_at_the_highest_difficulty():
    plan = Plan(
        names=("Sudoku",),
        settings=(Adaptive(0.9, 2, 2), Static(0, 20)),
        steps=12,
        problems=6,
        rollouts=2,
        policy=Policy(skill=1000),
    )
    from rlve.envs.puzzles.sudoku import Sudoku

    records = list(simulate(plan))
    assert [record.high for record in records[-2:]] == [[Sudoku.max_difficulty]] * 2


def test_shaped_rewards_can_differ_where_nothing_is_correct():
    unable = replace(
        SMALL, policy=Policy(skill=-1000), settings=(Static(8, 8),), names=("Sorting",)
    )
    assert {r.effective_prompt_ratio for r in simulate(unable)} == {0}
    shaped = list(simulate(replace(unable, reward="shaped")))
    assert max(r.effective_prompt_ratio for r in shaped) > 0
    assert shaped[0].skill == shaped[-1].skill


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 0}, "steps must be at least 1, not 0"),
        ({"problems": 0}, "problems must be at least 1"),
        ({"rollouts": 1}, "rollouts must be at least 2"),
        ({"reward": "none"}, "the reward is 'correct' or 'shaped'"),
        ({"names": ()}, "at least one environment"),
        ({"names": ("Sortin",)}, "did you mean 'Sorting'"),
        ({"names": ("Sorting", "Sorting")}, "more than once"),
        ({"settings": ()}, "nothing to simulate"),
        ({"settings": (Static(0, 1), Static(0, 1))}, r"static \[0, 1\] is listed twice"),
        ({"settings": (Static(3, 1),)}, "0 <= low <= high"),
        ({"settings": (Adaptive(1.5, 128, 4),)}, "tau_acc"),
        ({"settings": (Adaptive(0.9, 0, 4),)}, "tau_num"),
        ({"settings": (Adaptive(0.9, 128, 0),)}, "window"),
        ({"policy": Policy(width=0)}, "width must be above 0"),
        ({"policy": Policy(pace=-1)}, "pace must not be negative"),
        ({"policy": Policy(evenness=0)}, "evenness"),
        ({"policy": Policy(evenness=1.1)}, "evenness"),
        ({"policy": Policy(skill=math.nan)}, "skill must be a number"),
    ],
)
def test_what_cannot_be_simulated_is_said_before_any_work(change, message):
    with pytest.raises(UserError, match=message):
        replace(SMALL, **change)


def test_labels_say_how_settings_differ():
    plan = replace(SMALL, settings=(Adaptive(0.8, 64, 4), Adaptive(0.9, 64, 4), Static(0, 20)))
    assert plan.labels() == ("adaptive tau_acc=0.8", "adaptive tau_acc=0.9", "static [0, 20]")
    assert SMALL.labels()[0] == "adaptive"


def test_summary():
    def record(step, ratio, accuracy):
        return Record(
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
