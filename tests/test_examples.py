"""The example runs, learns, and computes what the trainer computes."""

import copy
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlve.train.advantages import group_advantages
from rlve.train.config import UpdateConfig
from rlve.train.loss import Outputs, batch_size, policy_loss
from rlve.train.update import TrainingRow, Updater
from support.programs import load
from support.training_fixtures import one_thread, successor, tiny_policy

__all__ = ["one_thread", "successor", "tiny_policy"]

CONFIG = UpdateConfig()


loop = load("examples/loop.py")


def test_the_loop_trains_nano(capsys, monkeypatch):
    monkeypatch.setattr(loop, "ENVIRONMENTS", ["Sorting"])
    loop.main(steps=2, problems=2, group=4)
    before, *steps, after = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"solved before: \d+\.\d%", before)
    assert re.fullmatch(r"solved after: \d+\.\d%", after)
    assert [line.split(":")[0] for line in steps] == ["step 1", "step 2"]


def test_the_loop_learns(successor, tiny_policy, capsys, monkeypatch):
    monkeypatch.setattr(loop, "ENVIRONMENTS", ["Successor"])
    monkeypatch.setattr(loop, "NANO", tiny_policy)
    monkeypatch.setattr(loop, "RATE", 1e-2)
    monkeypatch.setattr(loop, "LIMIT", 2)
    loop.main(steps=60)
    before, *steps, after = capsys.readouterr().out.splitlines()
    assert solved(after) > 0.5 > solved(before)
    assert int(steps[-1].rsplit(maxsplit=1)[-1]) > 0  # h


def solved(line: str) -> float:
    return float(line.split()[-1].removesuffix("%")) / 100


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=16))
def test_advantages_are_the_trainers(rewards):
    assert loop.advantages(rewards) == pytest.approx(group_advantages(rewards))


def test_the_loss_is_the_trainers():
    torch.manual_seed(0)
    lengths = [3, 1, 6]
    tokens = sum(lengths)
    old = -torch.rand(tokens)
    new = (old + 0.5 * torch.randn(tokens)).requires_grad_()  # many are clipped
    outputs = Outputs(
        sampled=old,
        output=torch.repeat_interleave(torch.tensor(lengths)),
        advantages=torch.tensor([1.2, -0.7, 0.4]),
        lengths=torch.tensor(lengths),
    )
    theirs = policy_loss(new, old, outputs, CONFIG, size=batch_size(lengths, CONFIG, None))
    assert theirs.clipped > 0
    mine = loop.dapo(new, old, outputs.advantages[outputs.output])
    assert mine.item() == pytest.approx(theirs.loss.item())
    (gradient,) = torch.autograd.grad(mine, new)
    assert torch.allclose(gradient, torch.autograd.grad(theirs.loss, new)[0])


def test_an_update_is_the_trainers(tiny_policy):
    torch.manual_seed(0)
    policy = loop.Policy(tiny_policy)
    groups = policy.sample(["3", "1 2", "4 4 4"], 4)
    batch = [output for group in groups for output in group]
    for output, advantage in zip(batch, torch.randn(len(batch)).tolist(), strict=True):
        output.advantage = advantage
    logprobs = policy.logprobs(batch).detach().split([len(output.tokens) for output in batch])
    rows = [
        TrainingRow(output.prompt, output.tokens, sampled.tolist(), output.advantage)
        for output, sampled in zip(batch, logprobs, strict=True)
    ]
    twin = copy.deepcopy(policy.model)
    updater = Updater(twin, optimizer(twin), CONFIG)
    found = updater.update([rows[i : i + 4] for i in range(0, len(rows), 4)])
    loss = loop.update(policy, optimizer(policy.model), batch)
    assert loss == pytest.approx(found["loss"], abs=1e-6)
    for mine, theirs in zip(policy.model.parameters(), twin.parameters(), strict=True):
        assert torch.allclose(mine, theirs, atol=1e-5)


def optimizer(model) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=0.1)  # Adam makes much of tiny differences
