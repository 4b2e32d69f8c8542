from random import Random

import pytest
import torch
from transformers import AutoModelForCausalLM

from rlve.models.engines.in_process import InProcessEngine
from rlve.models.rollouts import Rollout


@pytest.fixture
def model(tiny_policy):
    return AutoModelForCausalLM.from_pretrained(tiny_policy).eval()


def prompts(count, seed=0):
    rng = Random(seed)
    return [[rng.randrange(3, 13) for _ in range(rng.randint(1, 12))] for _ in range(count)]


def finish(engine):
    ended = []
    while found := engine.collect():
        ended += found
    return ended


def logprobs_of(model, rollout, temperature=1.0):
    with torch.no_grad():
        logits = model(torch.tensor([rollout.context])).logits[0] / temperature
    rows = logits[len(rollout.prompt) - 1 : -1].log_softmax(-1)
    return rows.gather(1, torch.tensor(rollout.tokens).unsqueeze(1)).squeeze(1)


@pytest.mark.parametrize("slots", [1, 3, 64])
@pytest.mark.parametrize("temperature", [0.7, 1.0])
def test_log_probabilities_are_the_models_own(model, slots, temperature):
    engine = InProcessEngine(
        model, stop_tokens=[1], max_tokens=12, slots=slots, temperature=temperature, seed=1
    )
    rollouts = [Rollout(prompt) for prompt in prompts(6) for _ in range(4)]
    engine.submit(rollouts)
    ended = finish(engine)
    assert sorted(map(id, ended)) == sorted(map(id, rollouts))
    for rollout in rollouts:
        expected = logprobs_of(model, rollout, temperature)
        assert torch.allclose(torch.tensor(rollout.logprobs), expected, atol=1e-4)
        assert (rollout.ending == "stop") == (rollout.tokens[-1] == 1)
        assert 1 not in rollout.tokens[:-1]
        assert len(rollout.tokens) <= 12


def test_half_precision_by_autocast_is_what_a_gpu_computes_in(model):
    engine = InProcessEngine(
        model,
        stop_tokens=[1],
        max_tokens=12,
        slots=5,
        seed=1,
        computing=torch.autocast("cpu", torch.bfloat16),
    )
    rollouts = [Rollout(prompt) for prompt in prompts(6) for _ in range(4)]
    engine.submit(rollouts)
    assert len(finish(engine)) == len(rollouts)
    for rollout in rollouts:
        expected = logprobs_of(model, rollout)
        assert torch.allclose(torch.tensor(rollout.logprobs), expected, atol=0.1)


def test_greedy_tokens_are_those_of_generate(model):
    engine = InProcessEngine(model, stop_tokens=[1], max_tokens=10, slots=5, temperature=0)
    rollouts = [Rollout(prompt) for prompt in prompts(7)]
    engine.submit(rollouts)
    finish(engine)
    for rollout in rollouts:
        output = model.generate(
            torch.tensor([rollout.prompt]), max_new_tokens=10, do_sample=False, eos_token_id=1
        )
        assert output[0].tolist() == rollout.context


def test_tokens_follow_the_models_distribution(model):
    engine = InProcessEngine(model, stop_tokens=range(23), max_tokens=1, slots=512, seed=3)
    rollouts = [Rollout([4, 5]) for _ in range(6000)]
    engine.submit(rollouts)
    finish(engine)
    with torch.no_grad():
        expected = model(torch.tensor([[4, 5]])).logits[0, -1].softmax(-1)
    counts = torch.bincount(torch.tensor([r.tokens[0] for r in rollouts]), minlength=23)
    assert torch.allclose(counts / 6000, expected, atol=0.02)


def test_top_p_cuts_the_tail(model):
    with torch.no_grad():
        chances = model(torch.tensor([[4, 5]])).logits[0, -1].softmax(-1)
    ordered = chances.sort(descending=True)
    allowed = set(ordered.indices[: int((ordered.values.cumsum(0) < 0.5).sum()) + 1].tolist())
    engine = InProcessEngine(model, stop_tokens=range(23), max_tokens=1, top_p=0.5, seed=3)
    rollouts = [Rollout([4, 5]) for _ in range(500)]
    engine.submit(rollouts)
    finish(engine)
    assert {r.tokens[0] for r in rollouts} == allowed


def test_an_aborted_rollout_keeps_its_tokens_and_goes_on_from_them(model):
    engine = InProcessEngine(model, stop_tokens=[], max_tokens=40, slots=4, seed=5)
    rollouts = [Rollout(prompt) for prompt in prompts(6)]
    # One is nearly over, so that collect() returns while the others are on their way.
    engine.submit([Rollout([3], tokens=[4] * 30, logprobs=[-1.0] * 30), *rollouts])
    assert len(engine.collect()) == 1
    unfinished = engine.stop()
    assert len(unfinished) == 6
    before = [(list(r.tokens), list(r.logprobs)) for r in unfinished]
    assert any(tokens for tokens, _ in before)
    assert engine.collect() == []
    engine.submit(unfinished)
    finish(engine)
    for rollout, (tokens, logprobs) in zip(unfinished, before, strict=True):
        assert rollout.tokens[: len(tokens)] == tokens
        assert rollout.logprobs[: len(tokens)] == logprobs
        assert torch.allclose(
            torch.tensor(rollout.logprobs), logprobs_of(model, rollout), atol=1e-4
        )


def test_the_random_numbers_can_be_saved_and_restored(model):
    def sampled(engine):
        rollouts = [Rollout(prompt) for prompt in prompts(4)]
        engine.submit(rollouts)
        finish(engine)
        return [r.tokens for r in rollouts]

    engine = InProcessEngine(model, stop_tokens=[1], max_tokens=8, seed=9)
    first = sampled(engine)
    state = engine.state_dict()
    second = sampled(engine)
    fresh = InProcessEngine(model, stop_tokens=[1], max_tokens=8, seed=0)
    fresh.load_state_dict(state)
    assert first != second
    assert sampled(fresh) == second
