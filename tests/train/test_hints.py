import copy
import json
from dataclasses import replace

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

import rlve
from rlve.contract import Verdict
from rlve.formats import BASE, CHAT, PLAIN
from rlve.gym import Gym
from rlve.models.engines.paged import PagedEngine
from rlve.registry import registered
from rlve.run_folders import latest_checkpoint
from rlve.stream import Item, Stream
from rlve.train.collect import Collector
from rlve.train.config import RolloutConfig, UpdateConfig
from rlve.train.hints import EASE, LESS, MORE, WAIT, Hints, beginning
from rlve.train.history import read_steps
from rlve.train.trainer import Run, train
from rlve.train.update import TrainingRow, Updater
from support.guided import FIRST, Guided
from support.run_tiny import tiny_config
from support.scripted import InstantPool, ScriptedEngine

PROMPT = 1  # tokens of a prompt of Guided


@pytest.fixture(autouse=True, scope="module")
def guided():
    with registered(Guided):
        yield


def letters(text):
    return [ord(letter) for letter in text]


def hints(form=PLAIN, max_tokens=1000):
    return Hints(form, InstantPool(), letters, max_tokens=max_tokens)


def item(seed=0, cls=Guided):
    problem = cls.generate(difficulty=0, seed=seed)
    return Item(seed, cls.__name__, 0, seed, problem)


def group(subject, correct, times=1):
    """Have groups finish, with the help of the moment, in which this many of 4 are correct.

    Where there is help, every other group has none, and is all wrong.
    """
    for _ in range(times):
        [hint] = subject.give([item()])
        finish(subject, hint, correct)
        if subject.shares and hint is not None:
            assert subject.give([item()]) == [None]
            finish(subject, None, 0)


def finish(subject, hint, correct):
    verdicts = [Verdict(float(i < correct), i < correct, True) for i in range(4)]
    subject.observe(item(), hint, [verdict.reward for verdict in verdicts], verdicts)


# What is given.


@pytest.mark.parametrize("form", [CHAT, BASE, PLAIN])
@pytest.mark.parametrize("name", ["Sorting", "Multiplication", "Guided"])
def test_a_hint_is_the_beginning_of_a_worked_output_without_the_answer(form, name):
    problem = rlve.environment(name).generate(difficulty=1, seed=3)
    lines, whole = problem.worked(), form.worked_output(problem)
    assert beginning(form, problem, lines, 0.0) == beginning(form, problem, [], 0.5) == ""
    before = ""
    for share in (0.01, 0.25, 0.5, 0.75, 1.0):
        text = beginning(form, problem, lines, share)
        assert text.startswith(before)
        assert whole.startswith(text)
        assert text.endswith("\n")
        assert 0 < text.strip().count("\n") + 1 < len(lines)
        before = text
    rest = whole.removeprefix(before)
    assert "boxed" in rest or "<answer>" in rest


def test_a_hint_that_leaves_no_room_is_not_given():
    subject = hints(max_tokens=20)
    group(subject, 0, WAIT)
    assert subject.shares == {"Guided": {0: MORE}}
    assert subject.give([item()]) == [None]


# How much of it.


def test_help_comes_where_there_is_no_signal_and_goes_with_success():
    subject = hints()
    group(subject, 0, WAIT - 1)
    assert subject.shares == {}
    group(subject, 1)  # signal: it begins anew
    group(subject, 0, WAIT - 1)
    assert subject.shares == {}
    group(subject, 0)
    assert subject.shares == {"Guided": {0: MORE}}
    group(subject, 0, WAIT)
    assert subject.shares == {"Guided": {0: 1.0}}
    group(subject, 0, 3 * WAIT)  # there is no more
    group(subject, 1, 3 * WAIT)  # with signal, all stays as it is
    seen = []
    while subject.shares:
        seen.append(subject.shares["Guided"][0])
        group(subject, 3, EASE)
    assert seen == [1 - i * LESS for i in range(int(1 / LESS))]
    assert subject.state_dict() == []
    group(subject, 4, 3 * WAIT)  # what is always right needs no help
    assert subject.shares == {}


def test_help_ends_where_a_group_without_it_has_signal():
    subject = hints()
    group(subject, 0, 2 * WAIT)
    assert subject.shares == {"Guided": {0: 1.0}}
    first, second, third = subject.give([item(), item(), item()])  # also in one call
    assert second is None
    assert first.share == third.share == 1.0
    finish(subject, second, 0)
    assert subject.shares == {"Guided": {0: 1.0}}
    finish(subject, second, 1)
    assert subject.shares == {}
    assert subject.state_dict() == []
    finish(subject, first, 4)  # begun when there was help
    assert subject.state_dict() == []
    group(subject, 0, WAIT)
    assert subject.shares == {"Guided": {0: MORE}}


def test_groups_begun_with_other_help_and_environments_without_work_change_nothing():
    subject, wrong = hints(), [Verdict(0.0, False, True)] * 4
    group(subject, 0, WAIT)
    state = json.loads(json.dumps(subject.state_dict()))
    for _ in range(2 * WAIT):
        subject.observe(item(), None, [0.0] * 4, wrong)
        subject.observe(item(cls=rlve.environment("Successor")), None, [0.0] * 4, wrong)
    assert json.loads(json.dumps(subject.state_dict())) == state
    other = hints()
    other.load_state_dict(state)
    for each in (subject, other):
        group(each, 2, EASE)
    assert other.state_dict() == subject.state_dict() != state


# In the collector.


class Counting(rlve.StaticCurriculum):
    seen = 0

    def observe_group(self, name, difficulty, correct, rewards):
        super().observe_group(name, difficulty, correct, rewards)
        self.seen += 1


def test_hinted_groups_give_signal_and_the_curriculum_does_not_see_them():
    answers = iter(range(10**6))

    def plan(rollout):  # every second output is right, where there is a hint
        return (rollout.prompt[0] + 1 + next(answers) % 2) % 10, 1

    curriculum = Counting(["Guided"], 0, 0)
    gym = Gym(group=4, format="plain", source=Stream(curriculum, seed=1), pool=InstantPool())
    subject = Collector(
        gym,
        ScriptedEngine(plan),
        RolloutConfig(problems=2, oversample=8, group=4, rounds=3, hints=True),
        encode=lambda problem: [problem.digit],
        decode=lambda tokens: "".join(map(chr, tokens[:-1])) + f"<answer>{tokens[-1]}</answer>",
        hints=hints(),
    )
    first = subject.collect(1)
    alone = [group for group in first.finished if group.hint is None]
    assert len(alone) == WAIT + 4 == curriculum.seen  # every other one
    assert len(first.groups) == 2
    assert gym.step().prompts == len(alone)
    for group in first.groups:
        assert group.hint.share == MORE
        for rollout in group.rollouts:
            assert rollout.prompt == [group.item.problem.digit, *group.hint.tokens]
            assert len(rollout.tokens) == 1  # what is given is not sampled
            assert rollout.text == f"{group.hint.text}<answer>{rollout.tokens[0]}</answer>"
    saved = json.loads(json.dumps(subject.state_dict()))
    assert any(group["hint"] for group in saved["cache"])
    subject.load_state_dict(saved)
    assert subject.state_dict() == saved
    shares = [MORE]
    while shares[-1]:  # half of them are right, so it ends
        batch = subject.collect(len(shares) + 1)
        shares.append(subject.hints.shares.get("Guided", {}).get(0, 0.0))
        alone += [group for group in batch.finished if group.hint is None]
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == 1 + MORE / LESS
    assert curriculum.seen == len(alone)


# In the update.


def test_given_tokens_carry_no_loss(tiny_policy):
    """An update with a hint is that of the policy's own tokens, worked out by hand."""
    start = AutoModelForCausalLM.from_pretrained(tiny_policy)
    prompt, hint = [7], [4, 5, 6, 7]
    outputs = [([15, 1], 1.0), ([14, 9, 1], -1.0)]

    def logprobs(model, tokens):
        ids = torch.tensor([prompt + hint + tokens])
        rows = model(ids).logits[0, :-1].log_softmax(-1)
        own = rows.gather(1, ids[0, 1:, None]).squeeze(1)
        return own[len(prompt + hint) - 1 :]

    rows = [
        TrainingRow(prompt + hint, tokens, logprobs(start, tokens).tolist(), advantage)
        for tokens, advantage in outputs
    ]
    updated, by_hand = copy.deepcopy(start), copy.deepcopy(start)
    config = UpdateConfig(learning_rate=0.1, max_grad_norm=1e9)
    Updater(updated, torch.optim.SGD(updated.parameters(), lr=0.1), config).update([rows])
    loss = -sum(advantage * logprobs(by_hand, tokens).sum() for tokens, advantage in outputs) / 5
    loss.backward()
    torch.optim.SGD(by_hand.parameters(), lr=0.1).step()
    moved = 0.0
    for one, other, was in zip(
        updated.parameters(), by_hand.parameters(), start.parameters(), strict=True
    ):
        assert torch.allclose(one, other, atol=1e-6)
        moved = max(moved, (one - was).abs().max().item())
    assert moved > 1e-3


# In a run.


def hinted_config(policy, folder, steps=6, hints=True):
    config = tiny_config(policy, folder, steps=steps)
    return replace(
        config,
        data=replace(config.data, environments=("Guided",)),
        rollout=replace(config.rollout, hints=hints, max_tokens=24),
    )


@pytest.fixture(scope="module")
def hinted(tiny_policy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hinted") / "run"
    train(hinted_config(tiny_policy, folder), show=False)
    return folder


def weights(folder):
    return load_file(latest_checkpoint(folder) / "model" / "model.safetensors")


def test_a_run_that_is_stuck_gets_signal_from_hints_alone(tiny_policy, hinted, tmp_path):
    steps = read_steps(hinted)
    assert sum(step.trained_groups for step in steps) > 0
    assert steps[0].hints == {"Guided": {0: MORE}}
    assert sum(step.hinted_groups for step in steps) > 8
    assert any(step.hinted_accuracy for step in steps)
    assert all(step.effective_prompt_ratio in (0, None) for step in steps)
    assert all(step.accuracy in (0, None) for step in steps)
    assert all(step.bounds == {"Guided": (0, 0)} for step in steps)
    lines = (hinted / "groups.jsonl").read_text().splitlines()
    given = [json.loads(line).get("hint", 0) for line in lines]
    assert {count > 0 for count in given} == {True, False}
    train(hinted_config(tiny_policy, tmp_path / "alone", steps=2, hints=False), show=False)
    assert all(not step.trained_groups for step in read_steps(tmp_path / "alone"))


def test_the_paged_engine_continues_what_is_given(tiny_policy, tmp_path):
    """Its tokens follow the hint, have the model's own log-probabilities, and alone carry loss."""
    config = hinted_config(tiny_policy, tmp_path / "run", steps=1)
    data = replace(config.data, max_prompt_tokens=PROMPT)  # so that hints take from the outputs
    config = replace(config, data=data, rollout=replace(config.rollout, engine="paged", rounds=4))
    start = AutoModelForCausalLM.from_pretrained(tiny_policy)
    trained = []
    with Run(config) as run:
        assert isinstance(run.engine, PagedEngine)
        update, collect = run.updater.update, run.collector.collect
        run.updater.update = lambda groups: trained.extend(groups) or update(groups)
        batches = []
        run.collector.collect = lambda *given: batches.append(collect(*given)) or batches[-1]
        [metrics] = run
        prompts = [run.policy.encode(group.item.problem) for group in batches[0].groups]
    assert metrics.sampler_gap < 1e-5
    assert len(trained) == len(batches[0].groups) > 0
    assert max(map(len, prompts)) == PROMPT
    for group, prompt, rows in zip(batches[0].groups, prompts, trained, strict=True):
        hint = group.hint.tokens
        for row, rollout in zip(rows, group.rollouts, strict=True):
            assert row.prompt == prompt + hint
            assert 0 < len(row.tokens) <= PROMPT + 24 - len(row.prompt)
            assert rollout.text == run.policy.decode(hint + row.tokens)
            ids = torch.tensor([row.prompt + row.tokens])
            with torch.no_grad():
                own = start(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])
            expected = own[len(row.prompt) - 1 :, 0]
            assert torch.allclose(torch.tensor(row.logprobs), expected, atol=1e-4)


def test_resumed_it_ends_the_same(tiny_policy, hinted, tmp_path):
    folder = tmp_path / "run"
    train(hinted_config(tiny_policy, folder, steps=2), show=False)
    with Run(hinted_config(tiny_policy, folder), resume=True) as run:
        assert run.collector.hints.shares
        run.finish()

    def without_time(folder):
        return [msgspec.structs.replace(step, seconds={}) for step in read_steps(folder)]

    assert without_time(folder) == without_time(hinted)
    expected = weights(hinted)
    for name, tensor in weights(folder).items():
        assert torch.equal(tensor, expected[name]), name


def test_what_is_given_is_stored_with_the_texts(hinted):
    samples = [json.loads(line) for line in (hinted / "rollouts.jsonl").read_text().splitlines()]
    given = [sample for sample in samples if sample.get("hint")]
    assert given
    for sample in given:
        assert sample["best"]["text"].startswith(FIRST)
