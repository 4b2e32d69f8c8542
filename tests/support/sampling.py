"""Rollouts that an engine samples, and what the model itself says of them."""

from random import Random

import torch

from rlve.models.rollouts import Rollout


def prompts(count):
    """Of digits, as the tiny policy knows them."""
    rng = Random(0)
    return [[rng.randrange(3, 13) for _ in range(rng.randint(1, 12))] for _ in range(count)]


def finish(engine):
    """All that has ended, in the order in which it did."""
    ended = []
    while found := engine.collect():
        ended += found
    return ended


def complete(engine, rollouts):
    """The rollouts, when all have ended."""
    engine.submit(rollouts)
    assert sorted(map(id, finish(engine))) == sorted(map(id, rollouts))
    return rollouts


def sampled(engine, count=6, group=4):
    """A group of finished rollouts for each of so many prompts."""
    return complete(engine, [Rollout(prompt) for prompt in prompts(count) for _ in range(group)])


def logprobs_of(model, rollout, temperature=1.0):
    """By a plain forward pass."""
    ids = torch.tensor([rollout.context], device=model.device)
    with torch.no_grad():
        logits = model(ids).logits[0, len(rollout.prompt) - 1 : -1].float() / temperature
    chosen = ids[0, len(rollout.prompt) :, None]
    return logits.log_softmax(-1).gather(1, chosen).squeeze(1).cpu()


def gaps(model, rollouts, temperature=1.0):
    """By how much each log-probability differs from the model's own."""
    return torch.cat(
        [
            (torch.tensor(rollout.logprobs) - logprobs_of(model, rollout, temperature)).abs()
            for rollout in rollouts
        ]
    )
