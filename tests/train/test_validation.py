from dataclasses import replace
from math import ceil, inf, nan
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlve
from rlve.collections import HELD_OUT, resolve
from rlve.contract import Verdict
from rlve.foundation.files import read_lines
from rlve.gym import Gym
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.policy import load_policy
from rlve.pool import Failure, Pool
from rlve.train.config import Config, RolloutConfig, RunConfig, ValidationConfig
from rlve.train.history import GroupRecord, read_validations
from rlve.train.teaching.config import TeachingConfig
from rlve.train.trainer import Run, train
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
    steps,
    problems,
    group,
    wanted,
    environments,
    names,
    held_out,
    levels,
    share,
    temperatures,
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
    if not any(levels_of(name, config.validation.levels) for name in names):
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
    measured = (*plan.names, *plan.held_out)
    each = sum(len(levels_of(name, config.validation.levels)) for name in measured)
    each *= len(temperatures_of(config))  # outputs for one problem of each level
    budget = share * steps * (problems * group)  # in this order: 0.001 is not exact
    assert each * plan.problems * times(plan, steps) <= max(budget, 2 * each)
    assert times(plan, steps) <= 10
    # What is affordable is not left undone.
    if 2 * each * (plan.problems + 1) <= budget:
        assert plan.problems == wanted
    if plan.every is None and steps > 1:
        assert 3 * each * plan.problems > budget


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
    settings = ValidationConfig(levels=(0, highest, highest + 1, 60))
    assert levels_of("FBI_BinaryTree", settings.levels) == [0, highest]
    assert levels_of("Sorting", settings.levels) == [0, highest, highest + 1, 60]
    far = config_of(levels=(60,))
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
    for first in range(11):
        assert plan.count(first, 10) == sum(plan.due(step, 10) for step in range(first, 11))
    assert plan.count(0, 10**9) > 1  # at once, however many steps there are


def test_it_can_be_asked_for_more_or_less():
    assert plan_validation(config_of(every=0), SOME) is None
    asked = plan_validation(config_of(every=7, problems=8, share=1e-9), SOME)
    assert (asked.every, asked.problems) == (7, 8)
    ten = plan_validation(config_of(steps=95, share=1.0), ("Sorting",))
    assert (ten.every, times(ten, 95)) == (ceil(95 / 9), 10)


def test_a_share_that_cuts_what_was_asked_for_is_said(caplog):
    def said(**settings):
        caplog.clear()
        return plan_validation(config_of(steps=1, batch=1, **settings), SOME), caplog.text

    plan, text = said(problems=6)
    assert plan.problems == 1
    assert "validation.share (0.1) leaves 1 test problem of" in text
    assert "rather than 6; raise it" in text
    assert said(problems=6, share=100.0)[1] == ""
    assert said()[1] == ""  # nobody asked for a number


def test_a_cpu_measures_fewer_problems_unless_it_is_asked_for_more():
    numbers = [
        plan_validation(config_of(share=1.0, **settings), SOME, on_cpu=on_cpu).problems
        for on_cpu in (False, True)
        for settings in ({}, {"problems": 5})
    ]
    assert numbers == [8, 5, 2, 5]


def test_held_out_environments_are_not_measured_alone():
    assert plan_validation(config_of(), ()) is None
    assert plan_validation(config_of(held_out=5, every=0), ()) is None
    with pytest.raises(rlve.UserError, match=r"validation\.held-out needs .* rlve eval --suite"):
        plan_validation(config_of(held_out=5), ())


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
                judge=lambda outputs, marker, reading: [judge(*each) for each in outputs],
            )
        plan = ValidationPlan(**{"names": names, "held_out": (), "problems": 6, "every": 1} | plan)
        config = config.with_limits(64, config.limits[1])
        return Validation(config, plan, policy, engine, judging)

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
    odd = [q.problem.digit % 2 for q in validation._questions if q.difficulty == 3]
    assert 0 < sum(odd) < 6
    for each in record.measured:
        assert each.by_level == {"Successor": {0: 1.0, 3: 0.0}}
        assert each.mean() == 0.5
        assert each.ill_formed == sum(odd) / (6 + sum(odd))
    assert record.failures == 2 * (6 - sum(odd))


@pytest.mark.parametrize(("reading", "accuracy"), [("exact", 0.0), ("forgiving", 1.0)])
def test_answers_are_read_as_in_training(subject, pool, reading, accuracy):
    def judge(outputs, **how):
        dressed = [(problem, f"<answer>{problem.reference()}.</answer>") for problem, _ in outputs]
        return pool.judge(dressed, **how)

    validation = subject()
    validation.pool = SimpleNamespace(generate=pool.generate, judge=judge)
    rollout = replace(validation.config.rollout, reading=reading)
    validation.config = replace(validation.config, rollout=rollout)
    assert [each.mean() for each in validation.measure(0).measured] == [accuracy, accuracy]
    assert TeachingConfig().reading == "exact"


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


def test_the_problems_are_fixed_and_have_seeds_of_their_own(subject, pool):
    asked = subject()._questions
    successor = rlve.environment("Successor")
    assert [question.problem for question in asked] == [
        successor.generate(difficulty=difficulty, seed=-1 - i)
        for difficulty in (0, 3)
        for i in range(6)
    ]
    # Training never has such seeds.
    gym = Gym(["Successor"], group=2, pool=pool, seed=-7)
    assert min(item.seed for item in gym.take(200)) >= 0


def test_problems_that_come_up_in_training_are_marked(subject):
    validation = subject(held_out=("Division",))
    successor, division = rlve.environment("Successor"), rlve.environment("Division")
    asked = {q.text for q in validation._questions if q.name == "Successor"}
    known = validation._questions[0].text
    assert len(asked) > 2
    assert validation.measure(0).seen is msgspec.UNSET
    validation.mark_seen(
        [
            next(p for p in successors(successor) if p.prompt() == known),
            next(p for p in successors(successor) if p.prompt() not in asked),
            division.generate(difficulty=0, seed=-1),  # it is not trained on
        ]
    )
    record = validation.measure(2)
    assert record.seen == {
        "Successor": {
            level: "".join(
                "01"[successor.generate(difficulty=level, seed=-1 - i).prompt() == known]
                for i in range(6)
            )
            for level in (0, 3)
        }
    }
    assert 0 < record.seen_problems < 12
    assert msgspec.json.decode(msgspec.json.encode(record), type=type(record)) == record
    # Another process continues from the state.
    state = msgspec.json.decode(msgspec.json.encode(validation.state_dict()))
    resumed = subject(held_out=("Division",))
    resumed.load_state_dict(state)
    assert without_time(resumed.measure(2)) == without_time(record)


def successors(environment):
    return (environment.generate(difficulty=9, seed=seed) for seed in range(1000))


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
        assert run.validation.plan == plan_validation(config, ["Successor"], on_cpu=True)
        list(run)
    records = read_validations(tmp_path / "run")
    assert [record.step for record in records] == [0, 2]
    assert [each.temperature for each in records[0].measured] == [1.0, 0.6]
    assert records[0].measured[0].by_level["Successor"].keys() == {0, 2, 4}
    outputs = sum(2 * record.problems for record in records)
    assert outputs <= max(0.1 * 2 * 8 * 8, 2 * 2 * 3)


def test_a_run_counts_the_test_problems_that_come_up(tiny_policy, tmp_path):
    whole = tmp_path / "whole"
    train(tiny_config(tiny_policy, whole, steps=4, validation=MEASURED, static=(0, 0)))
    groups, records = read_lines(whole / "groups.jsonl", GroupRecord), read_validations(whole)
    successor = rlve.environment("Successor")
    for record in records:
        drawn = {
            successor.generate(difficulty=group.difficulty, seed=group.seed).prompt()
            for group in groups
            if group.step <= record.step
        }
        marks = {
            level: "".join(
                "01"[successor.generate(difficulty=level, seed=-1 - i).prompt() in drawn]
                for i in range(6)
            )
            for level in (0, 3)
        }
        assert record.seen == ({"Successor": marks} if record.step else msgspec.UNSET)
    assert 0 < records[-1].seen_problems < records[-1].problems
    assert b"seen" not in (whole / "validation.jsonl").read_bytes().splitlines()[0]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"held_out": -3}, r"validation\.held-out must be at least 0, not -3"),
        ({"every": -1}, r"validation\.every must be at least 0"),
        ({"levels": (0, 3, 0)}, r"validation\.levels has 0 more than once"),
        ({"temperatures": ()}, r"validation\.temperatures must be one or more"),
        ({"temperatures": (nan,)}, r"validation\.temperatures must be at least 0 .* not nan"),
        ({"temperatures": (0.6, 0.6)}, r"validation\.temperatures has 0\.6 more than once"),
        ({"top_p": 0.0}, r"validation\.top-p must be above 0 and at most 1"),
        ({"share": inf}, r"validation\.share must be above 0 and finite"),
    ],
)
def test_settings_that_cannot_work_are_refused(wrong, complaint):
    with pytest.raises(rlve.UserError, match=complaint):
        config_of(**wrong).check()
