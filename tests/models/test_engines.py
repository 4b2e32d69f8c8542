"""What both engines of our own promise: they sample as the model would, and lose nothing."""

import pytest
import torch
from transformers import AutoModelForCausalLM

from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.paged import PagedEngine
from rlve.models.rollouts import Rollout
from support.sampling import complete, gaps, prompts, sampled

NEAR = {InProcessEngine: 1e-4, PagedEngine: 1e-5}
pytestmark = pytest.mark.parametrize("kind", NEAR)


@pytest.fixture
def model(tiny_policy):
    return AutoModelForCausalLM.from_pretrained(tiny_policy).eval()


@pytest.mark.parametrize(("slots", "temperature"), [(1, 1.0), (3, 0.7), (64, 1.0)])
def test_log_probabilities_are_the_models_own(kind, model, slots, temperature):
    engine = kind(
        model, stop_tokens=[1], max_tokens=12, slots=slots, temperature=temperature, seed=1
    )
    rollouts = sampled(engine)
    assert gaps(model, rollouts, temperature).max() < NEAR[kind]
    for rollout in rollouts:
        assert (rollout.ending == "stop") == (rollout.tokens[-1] == 1)
        assert 1 not in rollout.tokens[:-1]
        assert len(rollout.tokens) <= 12


def test_greedy_tokens_are_those_of_generate(kind, model):
    engine = kind(model, stop_tokens=[1], max_tokens=10, slots=5, temperature=0)
    rollouts = sampled(engine, count=7, group=1)
    for rollout in rollouts:
        output = model.generate(
            torch.tensor([rollout.prompt]), max_new_tokens=10, do_sample=False, eos_token_id=1
        )
        assert output[0].tolist() == rollout.context
    assert gaps(model, rollouts).max() < NEAR[kind]


@pytest.mark.parametrize("top_p", [1.0, 0.5])
def test_tokens_follow_the_models_distribution(kind, model, top_p):
    """Of which top-p leaves the likeliest, in proportion."""
    engine = kind(model, stop_tokens=range(23), max_tokens=1, slots=512, top_p=top_p, seed=3)
    rollouts = complete(engine, [Rollout([4, 5]) for _ in range(6000)])
    with torch.no_grad():
        chances = model(torch.tensor([[4, 5]])).logits[0, -1].softmax(-1)
    ordered = chances.sort(descending=True)
    cut = ordered.indices[int((ordered.values.cumsum(0) < top_p).sum()) + 1 :]
    chances[cut] = 0
    counts = torch.bincount(torch.tensor([r.tokens[0] for r in rollouts]), minlength=23)
    assert torch.allclose(counts / 6000, chances / chances.sum(), atol=0.02)
    assert not counts[cut].any()


def test_a_stopped_rollout_keeps_its_tokens_and_goes_on_from_them(kind, model):
    engine = kind(model, stop_tokens=[], max_tokens=40, slots=4, seed=5)
    [prompt, *others] = prompts(4)
    rollouts = [Rollout(prompt) for _ in range(3)] + [Rollout(each) for each in others]
    # One is nearly over, so that collect() returns while the others are on their way.
    engine.submit([Rollout([3], tokens=[4] * 38, logprobs=[-1.0] * 38), *rollouts])
    assert len(engine.collect()) == 1
    unfinished = engine.stop()
    assert len(unfinished) == 6
    before = [(list(r.tokens), list(r.logprobs)) for r in unfinished]
    assert any(tokens for tokens, _ in before)
    assert engine.collect() == []
    if kind is PagedEngine:
        assert engine._pool.free == engine._pool.size
    complete(engine, unfinished)
    for rollout, (tokens, logprobs) in zip(unfinished, before, strict=True):
        assert rollout.tokens[: len(tokens)] == tokens
        assert rollout.logprobs[: len(tokens)] == logprobs
    assert gaps(model, unfinished).max() < NEAR[kind]


def test_the_random_numbers_can_be_saved_restored_and_begun_anew(kind, model):
    def tokens(engine):
        return [rollout.tokens for rollout in sampled(engine)]

    engine = kind(model, stop_tokens=[1], max_tokens=8, seed=9)
    first = tokens(engine)
    state = engine.state_dict()
    second = tokens(engine)
    fresh = kind(model, stop_tokens=[1], max_tokens=8, seed=0)
    fresh.load_state_dict(state)
    assert first != second
    assert tokens(fresh) == second
    fresh.reseed(9)
    assert tokens(fresh) == first


def test_no_one_elses_random_numbers_are_used_up(kind, model):
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    sampled(kind(model, stop_tokens=[1], max_tokens=4))
    assert torch.equal(torch.rand(3), expected)
