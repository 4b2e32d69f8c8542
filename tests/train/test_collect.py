import json
from collections import Counter, deque
from math import comb, inf, sqrt
from random import Random

import pytest

import rlve
from rlve.curricula import AdaptiveCurriculum
from rlve.gym import Gym
from rlve.pool import Failure, Pool
from rlve.registry import registered
from rlve.stream import Stream
from rlve.train import collect
from rlve.train.collect import Collector
from rlve.train.config import RolloutConfig
from rlve.train.rlvr import DatasetProblem, DatasetStream
from support.misbehaving import Misbehaving
from support.scripted import InstantPool, ScriptedEngine


class Counting(rlve.StaticCurriculum):
    """Counts what it is fed."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.seen = Counter()

    def observe_group(self, name, difficulty, correct, rewards):
        super().observe_group(name, difficulty, correct, rewards)
        self.seen.update(correct)


def collector(plan, *, pool=None, curriculum=None, source=None, slots=None, seed=1, **settings):
    curriculum = curriculum or Counting(["Successor"], 6, 6)
    config = RolloutConfig(**{"problems": 4, "oversample": 8, "group": 4, "rounds": 3} | settings)
    gym = Gym(
        group=config.group,
        format="base",
        signal=config.signal,
        source=source or Stream(curriculum, seed=seed),
        pool=pool or InstantPool(),
    )
    return Collector(
        gym,
        ScriptedEngine(plan, slots),
        config,
        encode=lambda problem: [problem.digit],
        decode=lambda tokens: f"<answer>{tokens[-1]}</answer>",
    )


def right(digit):
    return (digit + 1) % 10


def verdicts(group):
    return [verdict for _, verdict in group.learnable]


def uneven(rng, long=9):
    """Half of all answers are right; those to even digits take long."""

    def plan(rollout):
        digit = rollout.prompt[0]
        return rng.choice([right(digit), 3]), 1 if digit % 2 else long

    return plan


def test_groups_without_signal_never_contribute_but_are_counted():
    # Even digits are always answered rightly; odd ones by every rollout at random.
    rng = Random(0)

    def plan(rollout):
        digit = rollout.prompt[0]
        return (right(digit) if digit % 2 == 0 else rng.choice([right(digit), 3]), 1)

    with Pool(1) as pool:
        subject = collector(plan, pool=pool)
        batch = subject.collect(1)
    assert len(batch.groups) == 4
    for group in batch.groups:
        assert len({verdict.reward for verdict in verdicts(group)}) > 1
    dropped = [group for group in batch.finished if group not in batch.groups + subject.cache]
    assert dropped
    assert all(len({v.reward for v in verdicts(group)}) == 1 for group in dropped)
    seen = subject.gym.curriculum.seen
    assert seen.total() == 4 * len(batch.finished)
    assert seen[True] == sum(v.correct for group in batch.finished for v in verdicts(group))
    metrics = subject.gym.step()
    assert metrics.prompts == len(batch.finished)
    assert metrics.effective_prompt_ratio == 1 - len(dropped) / len(batch.finished)


def test_what_is_unfinished_is_resumed_first_with_its_tokens_and_log_probabilities():
    # The problems differ in how long their outputs are: some end within the step, others do not.
    subject = collector(uneven(Random(0)))
    first = subject.collect(1)
    partial = [group for group in subject.cache if not group.finished]
    assert partial
    before = [[(list(r.tokens), list(r.logprobs)) for r in group.rollouts] for group in partial]
    assert any(tokens for group in before for tokens, _ in group)
    saved = json.loads(json.dumps(subject.state_dict()))
    subject.load_state_dict(saved)
    assert subject.state_dict() == saved
    taken = subject.gym.stream.position
    second = subject.collect(2)
    again = {group.item.position: group for group in second.finished + subject.cache}
    for group, rollouts in zip(partial, before, strict=True):
        resumed = again[group.item.position]
        assert resumed.step == 1
        for rollout, (tokens, logprobs) in zip(resumed.rollouts, rollouts, strict=True):
            assert rollout.tokens[: len(tokens)] == tokens
            assert rollout.logprobs[: len(tokens)] == logprobs
            assert rollout.stale == len(tokens)  # sampled by older weights
    fresh = subject.gym.stream.position - taken
    assert fresh <= 8  # those that were cached took the place of new ones
    assert not {id(g) for g in first.groups} & {id(g) for g in second.groups}


def test_without_partial_rollouts_nothing_is_kept():
    subject = collector(uneven(Random(0)), partial=False)
    subject.collect(1)
    assert subject.cache == []


@pytest.mark.parametrize("settings", [{}, {"partial": False}])
def test_no_problem_of_a_fixed_set_is_lost(settings):
    # The engine starts two of eight problems; the others must come again.
    problems = [rlve.environment("Successor").generate(difficulty=6, seed=i) for i in range(24)]
    source = DatasetStream([DatasetProblem(problem) for problem in problems], seed=0)
    rng, fate = Random(0), {}

    def plan(rollout):
        answer = right(rollout.prompt[0])
        return fate.setdefault(rollout, (rng.choice([answer, 3]), rng.randint(1, 4)))

    subject = collector(plan, source=source, slots=8, **settings)
    finished, step = [], 0
    while source.position < 5 * 24:
        step += 1
        finished += positions(subject.collect(step).finished)
        state = json.loads(json.dumps(source.state_dict()))
        known = {*finished, *positions(subject.cache), *state["put_back"]}
        assert known == set(range(source.position))
        source = DatasetStream([DatasetProblem(problem) for problem in problems], seed=0)
        source.load_state_dict(state)
        subject.gym.stream = source
    assert {*finished} >= set(range(4 * 24))  # and none waits for ever


def test_more_is_drawn_before_the_longest_output_ends():
    # The first problem goes on for ever; the others end at once, and few groups have signal.
    rng = Random(0)
    slow = []

    def plan(rollout):
        if not slow:
            slow.append(rollout)
        digit = rollout.prompt[0]
        if rollout is slow[0]:
            return right(digit), 1000
        return (rng.choice([right(digit), 3]) if digit % 3 == 0 else right(digit), 1)

    subject = collector(plan, rounds=20)
    batch = subject.collect(1)
    assert len(batch.groups) == 4
    assert len(batch.finished) > 8
    assert len(slow[0].tokens) < 20


def test_a_step_gives_up_when_no_group_has_signal():
    subject = collector(lambda rollout: (right(rollout.prompt[0]), 1))
    batch = subject.collect(1)
    assert batch.groups == []
    assert len(batch.finished) == 3 * 8  # rounds x oversample
    assert subject.gym.curriculum.seen == {True: 96}
    assert subject.gym.step().effective_prompt_ratio == 0


def test_correctness_can_be_what_is_compared():
    # Two wrong answers: the shaped rewards differ, the correctness does not.
    answers = deque()

    def plan(rollout):
        digit = rollout.prompt[0]
        if not answers:
            answers.extend([right(right(digit)), right(right(right(digit)))])
        return (answers.popleft(), 1)

    assert collector(plan, signal="reward").collect(1).groups
    assert collector(plan, signal="correct").collect(1).groups == []


def test_a_group_that_was_finished_before_is_not_counted_again():
    rng = Random(0)
    subject = collector(lambda r: (rng.choice([right(r.prompt[0]), 3]), 1))
    first = subject.collect(1)
    surplus = [group for group in subject.cache if group.finished]
    assert surplus
    second = subject.collect(2)
    assert second.groups[: len(surplus)] == surplus
    assert not {id(g) for g in first.finished} & {id(g) for g in second.finished}
    assert subject.gym.curriculum.seen.total() == 4 * len(first.finished + second.finished)


def test_a_step_draws_in_proportion_to_what_its_batch_lacks():
    answers = Counter()

    def plan(rollout):  # every second answer is right, so that every group has signal
        digit = rollout.prompt[0]
        answers[digit] += 1
        return right(digit + answers[digit] % 2), 1

    subject = collector(plan, problems=8, oversample=12)
    drawn, stale = [], []
    for step in range(1, 5):
        before = subject.gym.stream.position
        batch = subject.collect(step)
        drawn.append(subject.gym.stream.position - before)
        stale.append(sum(step - group.step for group in batch.groups))
        assert len(batch.groups) == 8
    assert drawn == [12, 6, 9, 8]  # 12/8 of what the batch lacks: 8, 4, 6 and 5
    assert stale == [0, 4, 2, 3]


# Algorithm 1 counts finished groups.

ACCURACY, TAU_ACC, GROUP = 0.85, 0.9, 8


def decisions(seed, wrong_length, steps=100):
    """What each decision of Algorithm 1 goes by, (a, b), and what single rollouts would have given.

    The policy solves 85% of its problems at any level. Partial rollouts are resumed, as there are
    more of them than the engine can sample at once.
    """
    rng, fate = Random(seed), {}
    curriculum = AdaptiveCurriculum(["Successor"], tau_acc=TAU_ACC, tau_num=8 * GROUP)

    def plan(rollout):
        correct = fate.setdefault(rollout, rng.random() < ACCURACY)
        digit = rollout.prompt[0]
        return right(digit if correct else right(digit)), 2 if correct else wrong_length

    subject = collector(
        plan,
        curriculum=curriculum,
        slots=128,
        seed=seed,
        group=GROUP,
        problems=12,
        oversample=36,
    )
    found, alone, ended = [], [], set()
    for step in range(1, steps + 1):
        subject.collect(step)
        a, b = curriculum.counts("Successor")
        assert b % GROUP == 0  # whole groups
        raised = subject.gym.step().raised
        if b >= 8 * GROUP:
            found.append((a, b))
            assert bool(raised) == (a / b >= TAU_ACC)
        new = [rollout for rollout in fate if rollout.ending and rollout not in ended]
        if len(new) >= 8 * GROUP:
            alone.append((sum(fate[rollout] for rollout in new), len(new)))
            ended.update(new)
    return found, alone


def too_often(found):
    """By how many standard deviations h rises more often than with independent rollouts."""

    def chance(b):
        return sum(
            comb(b, a) * ACCURACY**a * (1 - ACCURACY) ** (b - a)
            for a in range(b + 1)
            if a / b >= TAU_ACC
        )

    chances = [chance(b) for _, b in found]
    rises = sum(a / b >= TAU_ACC for a, b in found)
    return (rises - sum(chances)) / sqrt(sum(p * (1 - p) for p in chances))


@pytest.mark.parametrize("wrong_length", [2, 8])
def test_long_wrong_outputs_do_not_lift_the_difficulty(wrong_length):
    runs = [decisions(seed, wrong_length) for seed in range(3)]
    found = [decision for groups, _ in runs for decision in groups]
    assert len(found) > 100
    assert abs(too_often(found)) < 2
    alone = [decision for _, rollouts in runs for decision in rollouts]
    # Counted one by one as they end, those that end early are too often right.
    assert (too_often(alone) > 5) == (wrong_length == 8)


# Judging does not hold up sampling.

SLOW = "<answer>77</answer>"


def with_a_slow_verdict(pool, **settings):
    """The verdict on the very first output takes long; the others have several lengths."""
    rng, first = Random(0), []

    def plan(rollout):
        digit = rollout.prompt[0]
        if not first:
            first.append(rollout)
        return 77 if rollout is first[0] else rng.choice([right(digit), 3]), 1 + digit % 5

    return collector(plan, pool=pool, **settings), first


@pytest.fixture
def pool():
    pool = InstantPool()
    pool.held = {SLOW: inf}
    return pool


def positions(groups):
    return [group.item.position for group in groups]


def test_a_slow_verdict_does_not_stop_the_engine(pool):
    subject, _ = with_a_slow_verdict(pool)
    finished = []
    for step in (1, 2, 3):
        rounds = subject.engine.rounds
        batch = subject.collect(step)
        assert len(batch.groups) == 4
        assert subject.engine.rounds > rounds  # it sampled on
        finished += batch.finished
        assert 0 not in positions(finished)
        assert 0 in positions(subject.cache)
    assert pool.judged.count(SLOW) == 1  # it is under way, and was not asked for again
    assert pool.in_vain == 1  # nor waited for
    pool.held = {}
    last = subject.collect(4)
    finished += last.finished
    assert 0 in positions(last.finished)  # it counts when it comes
    assert len(finished) == len(set(positions(finished)))
    assert subject.gym.curriculum.seen.total() == 4 * len(finished)
    known = {*positions(finished), *positions(subject.cache)}
    assert known == set(range(subject.gym.stream.position))  # none is lost


def test_a_verdict_that_was_not_there_when_the_run_stopped_is_asked_for_again(pool):
    subject, _ = with_a_slow_verdict(pool)
    before = subject.collect(1)
    state = json.loads(json.dumps(subject.state_dict()))
    pool.held = {}
    resumed = collector(uneven(Random(0)), pool=pool)
    resumed.gym.load_state_dict(subject.gym.state_dict())
    resumed.load_state_dict(state)
    after = resumed.collect(2)
    assert pool.judged.count(SLOW) == 2
    assert positions(before.finished + after.finished).count(0) == 1
    assert resumed.gym.curriculum.seen.total() == 4 * len(after.finished)


def test_when_nothing_else_is_left_the_verdict_is_waited_for(pool):
    pool.held = {SLOW: 5}
    subject, _ = with_a_slow_verdict(pool, problems=8, rounds=1)
    batch = subject.collect(1)
    assert 0 in positions(batch.finished)
    assert len(batch.finished) == 8


def test_while_a_verdict_is_slow_others_are_sampled_in_its_place(pool):
    asked = []

    def plan(rollout):  # every group has signal; all that is missing is the first verdict
        asked.append(rollout)
        answer = right(rollout.prompt[0]) if len(asked) % 2 else 33
        return 77 if len(asked) == 1 else answer, 1

    subject = collector(plan, pool=pool, problems=4, oversample=4)
    batch = subject.collect(1)
    assert len(batch.groups) == 4
    assert 0 not in positions(batch.finished)
    assert 0 in positions(subject.cache)


def test_a_verdict_that_comes_when_the_waiting_is_over_is_not_lost(pool):
    pool.held, pool.late = {}, {SLOW}
    subject, _ = with_a_slow_verdict(pool, problems=8, rounds=1)
    batch = subject.collect(1)
    assert len(batch.finished) == 8


def test_without_partial_rollouts_a_slow_group_is_left(pool):
    subject, first = with_a_slow_verdict(pool, partial=False)
    subject.collect(1)
    pool.held = {}
    assert 0 not in positions(subject.collect(2).finished)
    assert first[0].judged is None


def test_a_worker_that_hangs_holds_up_nobody(tmp_path, monkeypatch):
    """The same with processes: one output is judged only when a file is there."""
    monkeypatch.setattr(collect, "PATIENCE", 0.05)
    file = tmp_path / "now"
    texts = {1: "<answer>well</answer>", 2: "no answer", 3: f"<answer>wait for {file}</answer>"}
    rng, seen = Random(0), []

    def plan(rollout):
        if rollout not in seen:
            seen.append(rollout)
        return 3 if rollout is seen[0] else rng.choice([1, 2]), 1

    config = RolloutConfig(problems=4, oversample=8, group=4, rounds=3)
    with (
        registered(Misbehaving),
        Pool(2, deadline=60) as pool,
    ):
        gym = Gym(group=4, format="base", curriculum=Counting(["Misbehaving"], 0, 0), pool=pool)
        subject = Collector(
            gym,
            ScriptedEngine(plan),
            config,
            encode=lambda problem: [1],
            decode=lambda tokens: texts[tokens[-1]],
        )
        finished = list(subject.collect(1).finished)
        assert 0 not in positions(finished)
        assert len(finished) >= 4
        file.touch()
        for step in range(2, 1000):
            finished += subject.collect(step).finished
            if 0 in positions(finished):
                break
    assert len(finished) == len(set(positions(finished)))
    assert gym.curriculum.seen.total() == 4 * len(finished)


# What could not be judged.


def test_a_rollout_that_could_not_be_judged_is_dropped_from_its_group():
    kinds = {7: "deadline", 8: "crash"}

    def judge(problem, output):
        kind = kinds.get(int(output[8]))
        return Failure(kind, "no verdict") if kind else problem.verify(output)

    answers = deque()

    def plan(rollout):  # in every group one is right, one wrong, and two cannot be judged
        if not answers:
            answers.extend([right(rollout.prompt[0]), 3, 7, 8])
        return answers.popleft(), 1

    curriculum = Counting(["Successor"], 0, 0)  # no answer to it is 7 or 8
    subject = collector(plan, pool=InstantPool(judge), curriculum=curriculum)
    batch = subject.collect(1)
    assert len(batch.groups) == 4
    for group in batch.groups:
        assert len(group.judged) == 4
        assert [rollout.tokens[-1] for rollout, _ in group.learnable] == [
            right(group.item.problem.digit),
            3,
        ]
    count = len(batch.finished)
    assert curriculum.seen.total() == 2 * count
    metrics = subject.gym.step()
    assert metrics.failures == {"Successor": {"deadline": count, "crash": count}}
    saved = json.loads(json.dumps(subject.state_dict()))
    assert "no verdict" in json.dumps(saved)
    subject.load_state_dict(saved)
    assert subject.state_dict() == saved


def test_a_group_with_fewer_than_two_verdicts_trains_nothing():
    def judge(problem, output):
        return problem.verify(output) if output[8] == "9" else Failure("crash", "it died")

    answers = deque()

    def plan(rollout):
        if not answers:
            answers.extend([9, 1, 1, 1])
        return answers.popleft(), 1

    subject = collector(plan, pool=InstantPool(judge))
    batch = subject.collect(1)
    assert batch.groups == []
    assert len(batch.finished) == 24
    assert subject.gym.curriculum.seen.total() == 24
    assert subject.gym.step().failures == {"Successor": {"crash": 72}}
