from dataclasses import replace
from math import ceil
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlve
from rlve.collections import HELD_OUT, resolve
from rlve.contract import Verdict
from rlve.gym import Gym
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.policy import load_policy
from rlve.pool import Failure, Pool
from rlve.train.config import Config, RolloutConfig, RunConfig, ValidationConfig
from rlve.train.history import read_validations
from rlve.train.trainer import Run
from rlve.train.validation import (
    Validation,
    ValidationPlan,
    levels_of,
    plan_validation,
    temperatures_of,
)
from support.run_tiny import MEASURED, tiny_config

SOME = ("Sorting", "EuclidGame", "Sudoku", "FBI_BinaryTree", "Knapsack", "Division")


def config_of(steps=100, batch=128, group=16, **validation):
    return Config(
        rollout=RolloutConfig(problems=batch, oversample=batch, group=group),
        validation=ValidationConfig(**validation),
        run=RunConfig(steps=steps),
    )


def times(plan, steps):
    return sum(plan.due(step, steps) for step in range(steps + 1))


# The plan.


@given(
    steps=st.integers(1, 400),
    problems=st.integers(1, 200),
    group=st.integers(2, 32),
    wanted=st.integers(1, 40),
    environments=st.integers(1, 6),
    names=st.sets(st.sampled_from(SOME), min_size=1),
    held_out=st.integers(0, 3),
    levels=st.sets(st.integers(0, 9), min_size=1),
    share=st.floats(0.001, 1.0),
    temperatures=st.none() | st.just((0.6,)) | st.just((1.0, 0.6, 0.0)),
)
def test_the_measurements_keep_within_their_share(
    steps, problems, group, wanted, environments, names, held_out, levels, share, temperatures
):
    config = replace(
        config_of(steps, problems, group),
        validation=ValidationConfig(
            levels=tuple(levels),
            problems=wanted,
            environments=environments,
            held_out=held_out,
            share=share,
            temperatures=temperatures,
        ),
    )
    if not any(levels_of(config.validation, name) for name in names):
        with pytest.raises(rlve.UserError, match="no environment has any of"):
            plan_validation(config, sorted(names))
        return
    plan = plan_validation(config, sorted(names))
    assert set(plan.names) <= names
    assert 1 <= len(plan.names) <= environments
    assert len(plan.held_out) == held_out
    assert not set(plan.held_out) & names
    assert 1 <= plan.problems <= wanted
    assert plan.due(0, steps)
    assert plan.due(steps, steps)
    questions = sum(len(levels_of(config.validation, n)) for n in (*plan.names, *plan.held_out))
    one_problem = questions * len(temperatures_of(config))
    sampled = one_problem * plan.problems * times(plan, steps)
    budget = share * steps * problems * group
    least = 2 * one_problem  # one problem of each level, before and after
    assert sampled <= max(budget, least)
    assert times(plan, steps) <= 10
    # What is affordable is not left undone.
    if one_problem * 2 * (plan.problems + 1) <= budget:
        assert plan.problems == wanted
    if plan.every is None and steps > 1:
        assert 3 * one_problem * plan.problems > budget


def test_the_plan_is_the_same_on_every_machine():
    names = resolve(["C256"])
    config = config_of(environments=4, held_out=2)
    plan = plan_validation(config, names)
    assert plan == plan_validation(config, names[::-1])
    elsewhere = replace(config, run=replace(config.run, workers=7, seed=3, folder=None))
    assert plan_validation(elsewhere, names) == plan
    # Written down, so that another machine or another Python would be noticed.
    assert plan.names == (
        "PolynomialRemainder",
        "QuantumLockPuzzle",
        "Tournament_LongestPath",
        "TreeDynamic_XORZeroPath",
    )
    assert plan.held_out == ("Maximum_IndependentSet_Tree", "SkyscraperPuzzle")
    assert set(plan.held_out) < set(HELD_OUT)


def test_few_environments_are_all_measured():
    assert plan_validation(config_of(), SOME).names == SOME
    assert plan_validation(config_of(), ("Sorting",)).held_out == ()
    trained = [*HELD_OUT[:3], "Sorting"]
    assert not {*plan_validation(config_of(held_out=50), trained).held_out} & {*trained}


def test_levels_that_an_environment_does_not_have_are_left_out():
    highest = rlve.environment("FBI_BinaryTree").max_difficulty
    settings = ValidationConfig(levels=(0, highest, highest + 1, 100))
    assert levels_of(settings, "FBI_BinaryTree") == [0, highest]
    assert levels_of(settings, "Sorting") == [0, highest, highest + 1, 100]
    far = config_of(levels=(100,))
    assert plan_validation(far, ("FBI_BinaryTree", "Sorting")).names == ("Sorting",)
    with pytest.raises(rlve.UserError, match=r"no environment has any of validation\.levels"):
        plan_validation(far, ("FBI_BinaryTree",))


@pytest.mark.parametrize(
    ("every", "expected"),
    [(3, [0, 3, 6, 9, 10]), (5, [0, 5, 10]), (20, [0, 10]), (None, [0, 10])],
)
def test_accuracy_is_measured_before_every_so_often_and_after(every, expected):
    plan = ValidationPlan(("Sorting",), (), 8, every)
    assert [step for step in range(11) if plan.due(step, 10)] == expected


def test_it_can_be_asked_for_more_or_less():
    assert plan_validation(config_of(every=0), SOME) is None
    asked = plan_validation(config_of(every=7, problems=8, share=1e-9), SOME)
    assert (asked.every, asked.problems) == (7, 8)
    ten = plan_validation(config_of(steps=95, share=1.0), ("Sorting",))
    assert (ten.every, times(ten, 95)) == (ceil(95 / 9), 10)


def test_the_temperatures_are_those_of_training_and_evaluation():
    assert temperatures_of(config_of()) == (1.0, 0.6)
    assert temperatures_of(config_of(temperatures=(0.0,))) == (0.0,)
    config = config_of()
    cold = replace(config, rollout=replace(config.rollout, temperature=0.6))
    assert temperatures_of(cold) == (0.6,)


# Measuring.


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as pool:
        yield pool


@pytest.fixture
def subject(tiny_policy, pool, tmp_path):
    """Makes a validation of the tiny policy, with an engine that has sampled already."""

    def make(names=("Successor",), validation=MEASURED, judge=None, **plan):
        config = tiny_config(tiny_policy, tmp_path, validation=validation)
        policy = load_policy(config.policy, context=128)
        engine = InProcessEngine(policy.model, stop_tokens=policy.stop_tokens, max_tokens=3, seed=5)
        judging = pool
        if judge is not None:
            judging = SimpleNamespace(
                generate=pool.generate,
                judge=lambda outputs, marker: [judge(*each) for each in outputs],
            )
        plan = ValidationPlan(**{"names": names, "held_out": (), "problems": 6, "every": 1} | plan)
        return Validation(config, plan, policy, engine, judging, max_prompt_tokens=64)

    return make


def without_time(record):
    return msgspec.structs.replace(record, seconds=0.0)


def test_the_same_policy_is_measured_the_same(subject):
    validation = subject()
    told = []
    first = validation.measure(0, lambda done, total: told.append((done, total)))
    assert without_time(validation.measure(0)) == without_time(first)
    assert without_time(subject().measure(0)) == without_time(first)
    assert first.problems == 2 * 6
    assert [each.temperature for each in first.measured] == [1.0, 0.6]
    for each in first.measured:
        assert each.by_level.keys() == {"Successor"}
        assert each.by_level["Successor"].keys() == {0, 3}
        assert all(
            share * 6 == pytest.approx(round(share * 6))
            for share in each.by_level["Successor"].values()
        )
        assert 12 <= each.tokens <= 36
    assert told[-1] == (24, 24)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_the_engine_is_left_as_it_was(subject):
    validation = subject()
    engine = validation.engine
    engine.top_p = 0.9
    before = engine.state_dict()["generator"].clone()
    validation.measure(0)
    assert (engine.temperature, engine.top_p) == (1.0, 0.9)
    assert engine.state_dict()["generator"].equal(before)
    assert engine.collect() == []


def test_training_samples_everything_and_evaluation_the_likeliest(subject, monkeypatch):
    validation = subject()
    seen = []
    submit = InProcessEngine.submit

    def spied(engine, rollouts):
        seen.append((engine.temperature, engine.top_p, len(rollouts)))
        submit(engine, rollouts)

    monkeypatch.setattr(InProcessEngine, "submit", spied)
    validation.measure(0)
    assert seen == [(1.0, 1.0, 12), (0.6, 0.95, 12)]


def test_a_right_answer_is_right_and_what_failed_is_not(subject):
    right = Verdict(reward=1.0, correct=True, well_formed=True)
    wrong = Verdict(reward=-1.0, correct=False, well_formed=False)

    def judge(problem, output):
        return right if problem.N == 4 else wrong if problem.digit % 2 else Failure("crash", "!")

    validation = subject(judge=judge)
    record = validation.measure(7)
    assert record.step == 7
    odd = [q.problem.digit % 2 for q in validation._questions() if q.difficulty == 3]
    assert 0 < sum(odd) < 6
    for each in record.measured:
        assert each.by_level == {"Successor": {0: 1.0, 3: 0.0}}
        assert each.mean() == 0.5
        assert each.ill_formed == sum(odd) / (6 + sum(odd))
    assert record.failures == 2 * (6 - sum(odd))


def test_held_out_environments_are_told_apart(subject):
    validation = subject(names=("Successor",), held_out=("Division",), problems=2)
    record = validation.measure(0)
    assert record.problems == 2 * 2 * 2
    assert record.trained == ["Successor"]
    assert record.held_out == ["Division"]
    accuracy = record.measured[0]
    assert accuracy.by_level.keys() == {"Successor", "Division"}
    for names in (record.held_out, record.trained):
        levels = accuracy.by_level[names[0]]
        assert accuracy.mean(names) == (levels[0] + levels[3]) / 2


def test_the_problems_are_fixed_and_never_those_of_training(subject, pool):
    asked = subject()._questions()
    successor = rlve.environment("Successor")
    assert [question.problem for question in asked] == [
        successor.generate(difficulty=difficulty, seed=-1 - i)
        for difficulty in (0, 3)
        for i in range(6)
    ]
    # Training never has such seeds.
    gym = Gym(["Successor"], group=2, pool=pool, seed=-7)
    assert min(item.seed for item in gym.take(200)) >= 0


def test_more_problems_are_others_besides_the_same(subject):
    few, more = subject(problems=2)._questions(), subject(problems=5)._questions()
    assert [q.problem for q in few if q.difficulty == 3] == [
        q.problem for q in more if q.difficulty == 3
    ][:2]


def test_prompts_beyond_the_limit_count_as_not_solved(subject):
    levels = replace(MEASURED, levels=(0, 30))
    right = Verdict(reward=1.0, correct=True, well_formed=True)
    validation = subject(("Sorting",), levels, judge=lambda problem, output: right)
    validation.max_prompt_tokens = 40
    record = validation.measure(0)
    assert record.too_long == 6
    for each in record.measured:
        assert each.by_level == {"Sorting": {0: 1.0, 30: 0.0}}


def test_a_level_without_problems_is_named(subject, monkeypatch):
    validation = subject()
    failing = [Failure("error", "no such thing")] * 12
    monkeypatch.setattr(validation, "pool", SimpleNamespace(generate=lambda wanted: failing))
    with pytest.raises(
        rlve.UserError,
        match=r"Successor gave no problem .* at difficulty 0: no such thing; .*validation\.levels",
    ):
        validation.measure(0)


def test_a_run_measures_by_itself(tiny_policy, tmp_path):
    default = ValidationConfig()
    config = tiny_config(tiny_policy, tmp_path / "run", steps=2, validation=default)
    with Run(config) as run:
        assert run.validation.plan == plan_validation(config, ["Successor"])
        list(run)
    records = read_validations(tmp_path / "run")
    assert [record.step for record in records] == [0, 2]
    assert [each.temperature for each in records[0].measured] == [1.0, 0.6]
    assert records[0].measured[0].by_level["Successor"].keys() == {0, 2, 4}
    outputs = sum(2 * record.problems for record in records)
    assert outputs <= max(0.1 * 2 * 8 * 8, 2 * 2 * 3)


def test_what_is_held_out_has_levels_and_problems_of_its_own(subject):
    settings = replace(MEASURED, held_out_levels=(1,), held_out_problems=4, held_out=1)
    plan = plan_validation(config_of(held_out_levels=(1,), held_out=1, every=1), ("Sorting",))
    assert (len(plan.held_out), plan.unseen_problems) == (1, None)
    record = subject(validation=settings, held_out=plan.held_out, unseen_problems=4).measure(0)
    [other] = plan.held_out
    for each in record.measured:
        assert {name: {*levels} for name, levels in each.by_level.items()} == {
            "Successor": {0, 3},
            other: {1},
        }
        assert [len(solved) for solved in each.solved["Successor"].values()] == [6, 6]
        assert len(each.solved[other][1]) == 4
        for name, levels in each.by_level.items():
            for level, share in levels.items():
                bits = each.solved[name][level]
                assert share == pytest.approx(bits.count("1") / len(bits))
    assert (record.problems, record.trained_problems) == (16, 12)


@pytest.mark.parametrize("wrong", [{"held_out_levels": ()}, {"held_out_problems": 0}])
def test_held_out_settings_are_checked(wrong):
    with pytest.raises(rlve.UserError, match=r"validation\.held-out-"):
        config_of(**wrong).check()
