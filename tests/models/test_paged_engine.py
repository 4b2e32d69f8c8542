import copy
from dataclasses import dataclass

import pytest
import torch
from transformers import AutoModelForCausalLM

from rlve.errors import UserError
from rlve.models.engines.paged import PagedEngine
from rlve.models.engines.paged.pages import PAGE
from rlve.models.rollouts import Rollout
from support.families import tiny
from support.sampling import complete, finish, gaps, logprobs_of, sampled


@pytest.fixture
def model(tiny_policy):
    return AutoModelForCausalLM.from_pretrained(tiny_policy).eval()


def test_tokens_do_not_depend_on_what_is_sampled_beside_them(model):
    def tokens(**settings):
        engine = PagedEngine(model, stop_tokens=[1], max_tokens=20, seed=1, **settings)
        return [rollout.tokens for rollout in sampled(engine)]

    expected = tokens()
    assert tokens(slots=1) == expected
    assert tokens(slots=5, group=3) == expected
    assert tokens(group=1, ticks=1) == expected
    assert tokens(group=64, ticks=50) == expected


def test_rollouts_make_way_for_others_when_pages_run_out_and_lose_nothing(model, monkeypatch):
    settings = {"stop_tokens": [], "max_tokens": 100, "seed": 1, "context": 128, "slots": 8}
    expected = sampled(PagedEngine(model, **settings), count=2, group=4)
    # A prompt has at most one page, and an output two: five pages are too few for eight.
    engine = PagedEngine(model, **settings, cache_tokens=5 * PAGE)
    made_way = []
    drop = engine._pool.give
    monkeypatch.setattr(engine._pool, "give", lambda pages: made_way.append(pages) or drop(pages))
    found = sampled(engine, count=2, group=4)
    assert len(made_way) > 10  # eight that ended, two prompts, and those that made way
    assert engine._pool.free == engine._pool.size == 5
    for one, other in zip(found, expected, strict=True):
        assert one.tokens == other.tokens
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)


def test_a_rollout_that_can_never_fit_is_refused(model):
    engine = PagedEngine(model, stop_tokens=[1], max_tokens=100, cache_tokens=2 * PAGE)
    engine.submit([Rollout([3])])
    with pytest.raises(UserError, match="sample fewer outputs at a time, or limit the length"):
        engine.submit([Rollout([3, 4, 5])])


def short_of_memory(engine, monkeypatch, name, fails):
    """An engine whose passes of this name run out of memory in these calls, when all is done."""
    right, calls = getattr(engine._passes, name), []

    def exhausted(*args, **more):
        calls.append(name)
        found = right(*args, **more)
        if fails(len(calls)):
            raise torch.OutOfMemoryError
        return found

    monkeypatch.setattr(engine._passes, name, exhausted)
    freed = []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: freed.append(len(calls)))
    return freed


@pytest.mark.parametrize("name", ["prefill", "decode"])
def test_what_ran_out_of_memory_is_tried_again_when_the_cache_is_free(model, name, monkeypatch):
    settings = {"stop_tokens": [1], "max_tokens": 20, "seed": 1, "slots": 8}
    expected = sampled(PagedEngine(model, **settings))
    engine = PagedEngine(model, **settings)
    freed = short_of_memory(engine, monkeypatch, name, lambda call: call in (1, 3))
    for found, rollout in zip(sampled(engine), expected, strict=True):
        assert found.tokens == rollout.tokens
        assert found.logprobs == pytest.approx(rollout.logprobs, abs=1e-5)
    assert freed == [1, 3]


def test_memory_that_stays_out_ends_sampling(model, monkeypatch):
    engine = PagedEngine(model, stop_tokens=[1], max_tokens=20)
    freed = short_of_memory(engine, monkeypatch, "decode", lambda call: True)
    engine.submit([Rollout([3])])
    with pytest.raises(UserError) as told:
        engine.collect()
    assert freed == [1]
    for setting in ("rollout.memory", "rollout.slots", "update.micro-batch-tokens"):
        assert setting in str(told.value)


def test_a_rollout_ends_where_the_context_does(model):
    engine = PagedEngine(model, stop_tokens=[], max_tokens=100, context=20)
    rollouts = complete(engine, [Rollout([3] * length) for length in (1, 10, 19, 20)])
    assert [len(rollout.tokens) for rollout in rollouts] == [19, 10, 1, 1]
    assert {rollout.ending for rollout in rollouts} == {"length"}


def test_temperature_and_top_p_can_change_while_nothing_is_sampled(model):
    engine = PagedEngine(model, stop_tokens=[], max_tokens=4, seed=3)
    hot = sampled(engine)
    engine.temperature = 0
    cold = sampled(engine)
    assert len({tuple(rollout.tokens) for rollout in cold}) == 6
    assert len({tuple(rollout.tokens) for rollout in hot}) > 6
    engine.temperature, engine.top_p = 1.0, 1e-6  # all but the likeliest are cut off
    assert [rollout.tokens for rollout in sampled(engine)] == [r.tokens for r in cold]


def test_what_has_ended_when_it_is_submitted_ends_at_once(model):
    engine = PagedEngine(model, stop_tokens=[1], max_tokens=3)
    over = [Rollout([4], [5, 1], [-1.0, -1.0]), Rollout([4], [5, 6, 7], [-1.0] * 3)]
    engine.submit(over)
    assert engine.collect() == over
    assert [rollout.ending for rollout in over] == ["stop", "length"]
    assert [len(rollout.tokens) for rollout in over] == [2, 3]


def test_new_weights_are_sampled_from_also_in_the_middle_of_a_rollout(model):
    engine = PagedEngine(model, stop_tokens=[], max_tokens=20, seed=1)
    rollouts = [Rollout([4, 5, 6]) for _ in range(4)]
    engine.submit([Rollout([4, 5, 6], [7] * 18, [-1.0] * 18), *rollouts])
    engine.collect()
    at = len(rollouts[0].tokens)
    assert 0 < at < 20
    old = [logprobs_of(model, rollout) for rollout in rollouts]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.5)
    engine.update(model)
    finish(engine)
    for rollout, before in zip(rollouts, old, strict=True):
        new = logprobs_of(model, rollout)
        found = torch.tensor(rollout.logprobs)
        assert torch.allclose(found[:at], before, atol=1e-5)
        assert torch.allclose(found[at:], new[at:], atol=1e-5)
        assert not torch.allclose(new[:at], before, atol=1e-3)


def test_adapters_are_added_to_the_weights(model):
    peft = pytest.importorskip("peft", reason="adapters need rlve[lora]")
    settings = peft.LoraConfig(r=2, target_modules="all-linear")
    adapted = peft.get_peft_model(model, settings).eval()
    torch.manual_seed(0)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                parameter.normal_(std=0.3)
    engine = PagedEngine(adapted, stop_tokens=[1], max_tokens=6)
    assert gaps(adapted, sampled(engine)).max() < 1e-5


def test_what_is_stored_keeps_to_a_share_of_the_gpu(model, monkeypatch):
    engine = PagedEngine(model, stop_tokens=[1], max_tokens=6)
    copied = sum(weight.nbytes for weight in engine._copy.state_dict().values())
    engine.device = torch.device("cuda")  # a stand-in: 600 of 1,000 million bytes are free
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (500 * 10**6, 10**9))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 300 * 10**6)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 200 * 10**6)
    assert engine._room(0.4, reserve=10**9) == 400 * 10**6 - copied
    assert engine._room(0.99, reserve=0) == 540 * 10**6  # no more than is free
    assert engine._room(None, reserve=0) == 300 * 10**6
    assert engine._room(None, reserve=400 * 10**6) == 100 * 10**6  # half of what the update leaves
    assert engine._room(None, reserve=10**9) == 0


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen3_moe", "gpt-oss"])
def test_the_copy_has_the_merged_weights(family):
    """After an update, too; compared with what peft itself merges."""
    peft = pytest.importorskip("peft", reason="adapters need rlve[lora]")
    model = tiny(family)
    settings = peft.LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False)
    adapted = peft.get_peft_model(model, settings).eval()
    engine = PagedEngine(adapted, stop_tokens=[1], max_tokens=6)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                parameter.mul_(2)
    engine.update(adapted)
    merged = copy.deepcopy(adapted).merge_and_unload().state_dict()
    copied = engine._copy.state_dict()
    assert merged.keys() == copied.keys()
    for name, weight in merged.items():
        assert torch.allclose(copied[name], weight, atol=1e-6), name


def test_the_model_itself_is_left_alone(model):
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    model.train()
    engine = PagedEngine(model, stop_tokens=[1], max_tokens=6, dtype=torch.bfloat16)
    sampled(engine)
    engine.close()
    assert model.training
    assert model.config._attn_implementation == "sdpa"
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_rollouts_can_have_seeds_of_their_own(model):
    @dataclass(eq=False)
    class Seeded(Rollout):
        seed: int = 0

    def tokens(order, **settings):
        engine = PagedEngine(
            model, stop_tokens=[1], max_tokens=8, seeds=lambda rollout: rollout.seed, **settings
        )
        rollouts = complete(engine, [Seeded([4, 5], seed=seed) for seed in order])
        return {rollout.seed: rollout.tokens for rollout in rollouts}

    found = tokens(range(30))
    assert tokens(reversed(range(30)), seed=1, slots=3) == found
    assert len({tuple(each) for each in found.values()}) > 15
