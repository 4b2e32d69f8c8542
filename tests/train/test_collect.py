import json
from collections import Counter, deque
from random import Random

import pytest

import rlve
from rlve.pool import Pool
from rlve.stream import Stream
from rlve.train.collect import Collector
from rlve.train.config import RolloutConfig


class ScriptedEngine:
    """Gives every rollout one token at a time; `plan` says what it answers, and after how many."""

    def __init__(self, plan):
        self.plan = plan
        self.active = deque()

    def submit(self, rollouts):
        self.active.extend(rollouts)

    def collect(self):
        ended = []
        while self.active and not ended:
            for rollout in list(self.active):
                answer, length = self.plan(rollout)
                rollout.tokens.append(answer)
                rollout.logprobs.append(-0.5 - len(rollout.tokens))
                if len(rollout.tokens) >= length:
                    rollout.ending = "stop"
                    self.active.remove(rollout)
                    ended.append(rollout)
        return ended

    def stop(self):
        unfinished = list(self.active)
        self.active.clear()
        return unfinished


class Counting(rlve.StaticCurriculum):
    """Counts what it is fed."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.seen = Counter()

    def observe(self, name, difficulty, correct):
        super().observe(name, difficulty, correct)
        self.seen[correct] += 1


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as pool:
        yield pool


def collector(pool, plan, **settings):
    curriculum = Counting(["Successor"], 6, 6)
    config = RolloutConfig(**{"problems": 4, "oversample": 8, "group": 4, "rounds": 3} | settings)
    return Collector(
        Stream(curriculum, seed=1),
        ScriptedEngine(plan),
        pool,
        config,
        encode=lambda problem: [problem.digit],
        decode=lambda tokens: f"<answer>{tokens[-1]}</answer>",
        marker="answer",
    )


def right(digit):
    return (digit + 1) % 10


def test_groups_without_signal_never_contribute_but_are_counted(pool):
    # Even digits are always answered rightly; odd ones by every rollout at random.
    rng = Random(0)

    def plan(rollout):
        digit = rollout.prompt[0]
        return (right(digit) if digit % 2 == 0 else rng.choice([right(digit), 3]), 1)

    subject = collector(pool, plan)
    batch = subject.collect(1)
    assert len(batch.groups) == 4
    for group in batch.groups:
        assert len({verdict.reward for verdict in group.verdicts}) > 1
    dropped = [group for group in batch.finished if group not in batch.groups + subject.cache]
    assert dropped
    assert all(len({v.reward for v in group.verdicts}) == 1 for group in dropped)
    seen = subject.stream.curriculum.seen
    assert seen.total() == 4 * len(batch.finished)
    assert seen[True] == sum(v.correct for group in batch.finished for v in group.verdicts)
    signal = len(batch.finished) - len(dropped)
    assert batch.effective_prompt_ratio == signal / len(batch.finished)


def test_what_is_unfinished_is_resumed_first_with_its_tokens_and_log_probabilities(pool):
    # The problems differ in how long their outputs are: some end within the step, others do not.
    rng = Random(0)

    def plan(rollout):
        digit = rollout.prompt[0]
        return (rng.choice([right(digit), 3]), 1 if digit % 2 else 9)

    subject = collector(pool, plan)
    first = subject.collect(1)
    partial = [group for group in subject.cache if not group.finished]
    assert partial
    before = [[(list(r.tokens), list(r.logprobs)) for r in group.rollouts] for group in partial]
    assert any(tokens for group in before for tokens, _ in group)
    saved = json.loads(json.dumps(subject.state_dict()))
    subject.load_state_dict(saved)
    assert subject.state_dict() == saved
    taken = subject.stream.position
    second = subject.collect(2)
    again = {group.item.position: group for group in second.finished + subject.cache}
    for group, rollouts in zip(partial, before, strict=True):
        resumed = again[group.item.position]
        assert resumed.step == 1
        for rollout, (tokens, logprobs) in zip(resumed.rollouts, rollouts, strict=True):
            assert rollout.tokens[: len(tokens)] == tokens
            assert rollout.logprobs[: len(tokens)] == logprobs
    fresh = subject.stream.position - taken
    assert fresh <= 8  # those that were cached took the place of new ones
    assert not {id(g) for g in first.groups} & {id(g) for g in second.groups}


def test_without_partial_rollouts_nothing_is_kept(pool):
    rng = Random(0)

    def plan(rollout):
        digit = rollout.prompt[0]
        return (rng.choice([right(digit), 3]), 1 if digit % 2 else 9)

    subject = collector(pool, plan, partial=False)
    subject.collect(1)
    assert subject.cache == []


def test_more_is_drawn_before_the_longest_output_ends(pool):
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

    subject = collector(pool, plan, rounds=20)
    batch = subject.collect(1)
    assert len(batch.groups) == 4
    assert len(batch.finished) > 8
    assert len(slow[0].tokens) < 10


def test_a_step_gives_up_when_no_group_has_signal(pool):
    subject = collector(pool, lambda rollout: (right(rollout.prompt[0]), 1))
    batch = subject.collect(1)
    assert batch.groups == []
    assert len(batch.finished) == 3 * 8  # rounds x oversample
    assert batch.effective_prompt_ratio == 0
    assert subject.stream.curriculum.seen == {True: 96}


def test_correctness_can_be_what_is_compared(pool):
    # Two wrong answers: the shaped rewards differ, the correctness does not.
    answers = deque()

    def plan(rollout):
        digit = rollout.prompt[0]
        if not answers:
            answers.extend([right(right(digit)), right(right(right(digit)))])
        return (answers.popleft(), 1)

    assert collector(pool, plan, signal="reward").collect(1).groups
    assert collector(pool, plan, signal="correct").collect(1).groups == []


def test_a_group_that_was_finished_before_is_not_counted_again(pool):
    rng = Random(0)
    subject = collector(pool, lambda r: (rng.choice([right(r.prompt[0]), 3]), 1))
    first = subject.collect(1)
    surplus = [group for group in subject.cache if group.finished]
    assert surplus
    second = subject.collect(2)
    assert second.groups[: len(surplus)] == surplus
    assert not {id(g) for g in first.finished} & {id(g) for g in second.finished}
