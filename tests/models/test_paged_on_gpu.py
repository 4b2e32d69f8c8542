"""What only a GPU can show: recorded steps, and compiled kernels."""

from random import Random

import pytest
import torch

if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

from rlve.models.engines.paged import PagedEngine
from rlve.models.rollouts import Rollout
from support.families import FAMILIES, VOCABULARY, tiny
from support.sampling import gaps


@pytest.fixture
def engine_of():
    made = []

    def make(model, **settings):
        made.append(PagedEngine(model, stop_tokens=[1], seed=1, **settings))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


def sampled(engine, group=5):
    rng = Random(0)
    prompts = [[rng.randrange(2, VOCABULARY) for _ in range(n)] for n in (1, 2, 12, 30, 70, 130)]
    rollouts = [Rollout(prompt) for prompt in prompts for _ in range(group)]
    engine.submit(rollouts)
    while engine.collect():
        engine.submit(engine.stop())
    return rollouts


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("attention", ["torch", "triton"])
def test_single_precision_agrees_with_a_plain_forward_pass(engine_of, family, attention):
    model = tiny(family).cuda()
    engine = engine_of(
        model, max_tokens=80, slots=20, group=4, dtype=torch.float32, attention=attention
    )
    assert engine._passes.graphs
    assert gaps(model, sampled(engine)).mean() < 1e-5


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("attention", ["torch", "triton"])
def test_half_precision_stays_near(engine_of, family, attention):
    model = tiny(family, spread=0.03).cuda()
    engine = engine_of(model, max_tokens=80, slots=20, group=4, attention=attention)
    assert engine.dtype == torch.bfloat16
    assert gaps(model, sampled(engine)).mean() < 5e-3


def test_recorded_steps_give_what_others_give(engine_of):
    model = tiny("qwen3").cuda()

    def tokens(**settings):
        engine = engine_of(model, max_tokens=40, slots=64, dtype=torch.float32, **settings)
        return [rollout.tokens for rollout in sampled(engine)]

    assert tokens(attention="triton") == tokens(attention="torch", graphs=False)


def test_new_weights_reach_what_was_recorded(engine_of):
    model = tiny("llama").cuda()
    engine = engine_of(model, max_tokens=12, dtype=torch.float32)
    sampled(engine)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.1)
    engine.update(model)
    assert gaps(model, sampled(engine)).mean() < 1e-5


def test_temperature_and_top_p_are_recorded_anew(engine_of):
    model = tiny("llama").cuda()
    engine = engine_of(model, max_tokens=12, dtype=torch.float32)
    hot = sampled(engine)
    engine.top_p = 1e-6
    cold = sampled(engine)
    engine.top_p, engine.temperature = 1.0, 0.0
    assert [each.tokens for each in sampled(engine)] == [each.tokens for each in cold]
    assert [each.tokens for each in hot] != [each.tokens for each in cold]
