"""Training on problems that answer back."""

from dataclasses import replace

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from rlve.collections import D_HELD_OUT
from rlve.curricula import StaticCurriculum
from rlve.dialogue import messages_of
from rlve.errors import UserError
from rlve.foundation.run_folders import latest_checkpoint
from rlve.gym import Gym
from rlve.models.engines.paged import PagedEngine
from rlve.pool import Failure
from rlve.registry import registered
from rlve.stream import Stream
from rlve.train.collect import Collector
from rlve.train.config import RolloutConfig, ValidationConfig
from rlve.train.history import read_steps, read_validations
from rlve.train.trainer import Run, train
from rlve.train.validation import plan_validation
from support.hidden_digit import HiddenDigit
from support.run_tiny import tiny_config
from support.scripted import InstantPool, ScriptedEngine

STEPS = 4


@pytest.fixture(autouse=True, scope="module")
def hidden_digit():
    with registered(HiddenDigit):
        yield


def config_of(policy, folder, steps=STEPS, **rollout):
    config = tiny_config(policy, folder, steps=steps)
    return replace(
        config,
        data=replace(config.data, environments=("HiddenDigit",)),
        rollout=replace(config.rollout, max_tokens=40, **rollout),
        validation=ValidationConfig(levels=(0, 3), problems=4, every=2),
    )


@pytest.fixture(scope="module")
def whole(tiny_policy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dialogues") / "run"
    train(config_of(tiny_policy, folder))
    return folder


@pytest.mark.parametrize("engine", ["in-process", "paged"])
def test_a_rollout_is_a_conversation_in_one_sequence_of_tokens(tiny_policy, tmp_path, engine):
    """Replies are given and carry no loss; all else has the model's own log-probabilities."""
    start = AutoModelForCausalLM.from_pretrained(tiny_policy)
    trained, batches = [], []
    config = config_of(tiny_policy, tmp_path / "run", steps=1, engine=engine, partial=False)
    with Run(replace(config, validation=ValidationConfig(every=0))) as run:
        assert isinstance(run.engine, PagedEngine) == (engine == "paged")
        update, collect = run.updater.update, run.collector.collect
        run.updater.update = lambda groups: trained.extend(groups) or update(groups)
        run.collector.collect = lambda *given: batches.append(collect(*given)) or batches[-1]
        [metrics] = run
    policy, finished = run.policy, batches[0].finished
    assert metrics.sampler_gap < 1e-5
    assert len(trained) == len(batches[0].groups) > 0
    rows = [row for group in trained for row in group]
    assert {len(row.given) for row in rows} >= {0, 1, 2}
    for row in rows:
        ids = torch.tensor([row.prompt + row.tokens])
        with torch.no_grad():
            own = start(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
        expected = own[len(row.prompt) - 1 :][row.learnt]
        assert torch.allclose(torch.tensor(row.logprobs)[row.learnt], expected, atol=1e-4)
        assert list(row.learnt) == [
            i for i in range(len(row.tokens)) if not any(a <= i < b for a, b in row.given)
        ]
        assert all(policy.tokenizer.eos_token_id == row.tokens[a - 1] for a, _ in row.given)
    for group in finished:
        for rollout in group.rollouts:
            problem, messages = group.item.problem, messages_of(rollout.text)
            assert messages == [policy.decode(tokens) for tokens in rollout.messages]
            assert rollout.judged == problem.verify(rollout.text)
            replies = list(problem.replies(messages))
            told = [policy.reply(rollout.tokens, reply.text) for reply in replies]
            heard = [rollout.tokens[a:b] for a, b in rollout.given]
            assert heard == told[: len(heard)]
            if rollout.ending == "stop":
                assert rollout.wasted == sum(not reply.readable for reply in replies)
            assert len(rollout.tokens) <= 40
    everything = [rollout for group in finished for rollout in group.rollouts]
    turns = sum(len(rollout.messages) for rollout in everything)
    assert metrics.turns == pytest.approx(turns / len(everything))
    assert metrics.wasted_turns == pytest.approx(sum(r.wasted for r in everything) / turns)
    assert len(metrics.turn_tokens) == 3
    assert metrics.tokens == sum(len(m) for r in everything for m in r.messages)


def without_time(folder):
    return [msgspec.structs.replace(step, seconds={}) for step in read_steps(folder)]


def test_stopped_in_the_middle_of_a_conversation_it_ends_the_same(tiny_policy, whole, tmp_path):
    folder = tmp_path / "run"
    train(config_of(tiny_policy, folder, steps=2))
    with Run(config_of(tiny_policy, folder), resume=True) as run:
        cached = [rollout for group in run.collector.cache for rollout in group.rollouts]
        assert any(rollout.given and rollout.ending is None for rollout in cached)
        run.finish()
    assert without_time(folder) == without_time(whole)
    measured = [[record.measured for record in read_validations(each)] for each in (folder, whole)]
    assert measured[0] == measured[1]
    mine, theirs = (
        load_file(latest_checkpoint(each) / "model" / "model.safetensors")
        for each in (folder, whole)
    )
    assert all(torch.equal(mine[name], theirs[name]) for name in theirs)


@pytest.mark.parametrize("shift", [-1, None])
def test_a_sampler_and_an_update_that_disagree_on_replies_are_caught(
    tiny_policy, tmp_path, monkeypatch, shift
):
    rows = Run._rows

    def disagreeing(self, group):
        return [
            replace(row, given=[(a + shift, b + shift) for a, b in row.given] if shift else ())
            for row in rows(self, group)
        ]

    monkeypatch.setattr(Run, "_rows", disagreeing)
    with pytest.raises(UserError, match="does not sample from the policy that is trained"):
        train(config_of(tiny_policy, tmp_path / "run", steps=1))


def scripted(pool, **settings):
    """A collector whose first rollout of two finds the digit with its second message."""
    right = {}

    def plan(rollout):  # messages of one token
        wins = right.setdefault(rollout, len(right) % 2 == 0)
        return rollout.prompt[0] if wins and rollout.given else 9, len(rollout.tokens) + 1

    config = RolloutConfig(
        **{"problems": 2, "oversample": 2, "group": 2, "rounds": 1, "max_tokens": 20} | settings
    )
    stream = Stream(StaticCurriculum(["HiddenDigit"], 3, 3), seed=0)
    return Collector(
        Gym(group=2, format="plain", source=stream, pool=pool, dialogues=True),
        ScriptedEngine(plan),
        config,
        encode=lambda problem: [problem.digit],
        decode=lambda tokens: f"<answer>{tokens[-1]}</answer>",
        reply=lambda message, text: [int(text[0]), int(text.split()[3])],
    )


def outcomes(batch):
    return [
        [(r.tokens, r.ending, r.judged.correct) for r in group.rollouts]
        for group in sorted(batch.finished, key=lambda group: group.item.position)
    ]


def test_groups_of_conversations_are_counted_and_their_limits_hold():
    batch = scripted(InstantPool()).collect(1)
    assert len(batch.groups) == 2
    for group, found in zip(batch.groups, outcomes(batch), strict=True):
        digit = group.item.problem.digit
        assert found == [
            ([9, 0, 2, digit], "stop", True),
            ([9, 0, 2, 9, 0, 1, 9], "stop", False),  # the turns are used up
        ]
        assert [rollout.given for rollout in group.rollouts] == [[(1, 3)], [(1, 3), (4, 6)]]
    # What leaves no room for a message is not said, and the rollout is truncated.
    short = scripted(InstantPool(), max_tokens=6).collect(1)
    assert [found[1] for found in outcomes(short)] == 2 * [([9, 0, 2, 9], "length", False)]


def test_a_slow_reply_holds_up_nobody_and_one_that_fails_is_no_verdict():
    pool = InstantPool()
    pool.held = {"<answer>9</answer>": 3}  # times that somebody waits in vain
    subject = scripted(pool)
    subject.load_state_dict(subject.state_dict())
    assert len(subject.collect(1).groups) == 2
    failing = InstantPool(reply=lambda talk: Failure("deadline", "too late"))
    batch = scripted(failing).collect(1)
    assert batch.groups == []
    assert all(rollout.judged.kind == "deadline" for g in batch.finished for rollout in g.rollouts)


def test_dialogues_are_measured_on_others_and_refused_where_nobody_replies(tiny_policy):
    config = replace(
        config_of(tiny_policy, None), validation=ValidationConfig(levels=(0,), held_out=30)
    )
    assert plan_validation(config, ["HiddenDigit"]).held_out == D_HELD_OUT
    assert len(plan_validation(config, ["HiddenDigit", "Sorting"]).held_out) == 30
    assert not {*plan_validation(config, ["Sorting"]).held_out} & {*D_HELD_OUT}
    for taken in (["D4"], ["Sorting_3Tries"]):
        with pytest.raises(UserError, match=r"BullsAndCows is a dialogue|Sorting_3Tries is a"):
            Gym(taken, group=2)
