import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.registry import family
from rlve.studies.simulated_policy import (
    Learner,
    SimulatedPolicy,
    corrupt,
    lesson,
    sample_group,
)


def learner(**assumed):
    policy = SimulatedPolicy(skill_spread=0, pace_spread=0, **assumed)
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
    policy.practise("Sorting", 0, [0, 1], [False, True])
    assert policy.skill["Sorting"] == 1
    policy.step()
    assert policy.skill["Sorting"] == 1.5
    policy.step()
    assert policy.skill["Sorting"] == 1.5


def test_what_is_not_practised_is_forgotten_and_comes_back_with_practice():
    policy = learner(skill=8, pace=0.0, forgetting=0.1)
    policy.step()
    at_first = policy.accuracy("Sorting", 2)
    policy.practise("Sorting", 2, [1, 1], [True, True])
    policy.step()
    assert ("Sorting", 2) in policy.mastered
    assert policy.accuracy("Sorting", 2) == pytest.approx(0.9 * at_first)
    for _ in range(3):
        policy.step()
    assert policy.accuracy("Sorting", 2) == pytest.approx(0.9**4 * at_first)
    assert policy.accuracy("Sorting", 1) > 0.99  # never practised, so nothing is lost
    assert policy.kept() < 0.99
    policy.practise("Sorting", 2, [0, 1], [False, True])  # a lesson of 1: half comes back
    policy.step()
    assert policy.accuracy("Sorting", 2) == pytest.approx((1 - (1 - 0.9**5) / 2) * at_first)
    quantiles = [(i + 0.5) / 2000 for i in range(2000)]
    mean = sum(policy.chance("Sorting", 2, q) for q in quantiles) / len(quantiles)
    assert mean == pytest.approx(policy.accuracy("Sorting", 2), abs=1e-3)


def test_relatives_learn_from_each_other():
    names = ["Sorting", "BucketSorting", "Multiplication"]
    assert family("Sorting") == family("BucketSorting") != family("Multiplication")
    policy = Learner(names, SimulatedPolicy(transfer=0.25, pace=0.4, pace_spread=0), seed=0)
    before = dict(policy.skill)
    policy.practise("Sorting", 0, [0, 1], [False, True])
    policy.step()
    gained = {name: policy.skill[name] - before[name] for name in names}
    assert gained == pytest.approx({"Sorting": 0.4, "BucketSorting": 0.1, "Multiplication": 0.0})


def test_an_environment_is_learnt_alike_whichever_others_there_are():
    alone, together = (
        Learner(names, SimulatedPolicy(), seed=3)
        for names in (["Sorting"], ["Multiplication", "Sorting"])
    )
    assert alone.skill["Sorting"] == together.skill["Sorting"] != together.skill["Multiplication"]
    assert alone.pace["Sorting"] == together.pace["Sorting"] != together.pace["Multiplication"]


@given(
    st.text(max_size=30) | st.from_regex(r"-?[0-9]+( -?[0-9]+){0,6}", fullmatch=True), st.randoms()
)
def test_a_corrupted_answer_is_another_text(text, rng):
    assert corrupt(text, rng) != text


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
