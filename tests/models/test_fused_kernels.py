"""The Triton kernels that replace many small ones, against plain torch."""

import copy
from random import Random

import pytest
import torch

pytest.importorskip("triton", reason="Triton comes with torch for a GPU")

from transformers.models.llama.modeling_llama import LlamaRMSNorm, apply_rotary_pos_emb

from rlve.models import fused_kernels
from rlve.models.engines.paged import PagedEngine
from rlve.models.engines.paged.copies import copy_of
from rlve.models.engines.sampling import nucleus, sample
from rlve.models.fused_kernels import (
    ChosenLogprobs,
    Rotated,
    gated,
    gated_pair,
    masses,
    most_likely,
    norm,
    rotated,
)
from rlve.models.fusion import fuse_adapters, fuse_for_training
from rlve.models.logprobs import ChosenLogprobs as PlainLogprobs
from rlve.models.policy import hold_half
from rlve.models.rollouts import Rollout
from support.families import FAMILIES, VOCABULARY, tiny
from support.interpreter import DEVICE, elsewhere, needs_triton, passes_by_the_interpreter
from support.sampling import complete

TYPES = [torch.float32, torch.bfloat16]


def assert_near(found, expected, dtype):
    # The interpreter cuts numbers off where a GPU rounds them.
    near = 1e-5 if dtype == torch.float32 else 2e-2
    assert found.dtype == dtype
    assert found.shape == expected.shape
    assert torch.allclose(found.float(), expected.float(), rtol=near, atol=near / 10)


def randn(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator).to(DEVICE)


@elsewhere
def test_by_the_interpreter():
    passes_by_the_interpreter(__file__)


@needs_triton
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [16, 40, 576])
def test_a_norm_is_the_models_own(dtype, size):
    model = LlamaRMSNorm(size, eps=1e-5).to(DEVICE)
    model.weight.data += randn(size, seed=1)
    states = 3 * randn(2, 3, size)
    with torch.no_grad():
        expected = model(states).to(dtype)
    assert_near(norm(states, model.weight.data, 1e-5, dtype), expected, dtype)


@needs_triton
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [24, 1024, 1500])
def test_a_gate_is_the_models_own(dtype, size):
    states = randn(3, 2, 2 * size).to(dtype)
    gate, up = states.chunk(2, -1)
    expected = torch.nn.functional.silu(gate) * up
    assert_near(gated(states), expected, dtype)


@needs_triton
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("own_angles", [True, False])
@pytest.mark.parametrize(("heads", "keys", "size"), [(9, 3, 64), (4, 2, 24), (1, 1, 16)])
def test_a_rotation_is_the_models_own(dtype, own_angles, heads, keys, size):
    rows, tokens = 3, 5
    joined = randn(rows, tokens, (heads + 2 * keys) * size).to(dtype)
    query, key, _ = joined.split([heads * size, keys * size, keys * size], -1)
    query, key = (each.view(rows, tokens, -1, size).transpose(1, 2) for each in (query, key))
    angles = randn(rows if own_angles else 1, tokens, size, seed=1)
    expected = apply_rotary_pos_emb(query, key, angles.cos(), angles.sin())
    found = rotated(query, key, angles.cos(), angles.sin())
    for new, old in zip(found, expected, strict=True):
        assert_near(new, old, dtype)


@needs_triton
def test_gradients_of_rotations_and_gates_are_those_of_plain_torch():
    query, key = randn(2, 4, 5, 16).requires_grad_(), randn(2, 2, 5, 16, seed=1).requires_grad_()
    angles = randn(2, 5, 16, seed=2)  # the halves turn by different angles
    turn = (angles.cos(), angles.sin())
    outside = randn(2, 4, 5, 16, seed=3), randn(2, 2, 5, 16, seed=4)
    expected = torch.autograd.grad(apply_rotary_pos_emb(query, key, *turn), (query, key), outside)
    found = torch.autograd.grad(Rotated.apply(query, key, *turn), (query, key), outside)
    for new, old in zip(found, expected, strict=True):
        assert_near(new, old, torch.float32)
    gate, up = randn(3, 50).requires_grad_(), randn(3, 50, seed=1).requires_grad_()
    outside = randn(3, 50, seed=2)
    expected = torch.autograd.grad(torch.nn.functional.silu(gate) * up, (gate, up), outside)
    found = torch.autograd.grad(gated_pair(gate, up), (gate, up), outside)
    for new, old in zip(found, expected, strict=True):
        assert_near(new, old, torch.float32)


@needs_triton
@pytest.mark.parametrize("size", [100, 128, 2048, 5000])
def test_masses_are_sums_over_blocks(size):
    scores = 5 * randn(3, size)
    scores[1, size // 2 :] = -torch.inf
    peak = scores.amax(-1, keepdim=True)
    padded = torch.nn.functional.pad((scores - peak).exp(), (0, -size % 128))
    expected = padded.view(3, -1, 128).sum(-1)
    assert torch.allclose(masses(scores, peak, 128), expected, rtol=1e-5)


@needs_triton
@pytest.mark.parametrize("top_p", [1e-6, 0.3, 0.95, 0.9999])
@pytest.mark.parametrize("size", [61, 1000])
def test_the_most_likely_are_those_of_a_sorted_vocabulary(size, top_p, monkeypatch):
    monkeypatch.setattr(fused_kernels, "CHUNK", 256)
    scores = 3 * randn(4, size)
    scores[1] = 0.5  # all alike
    scores[2, 1:] = -torch.inf
    scores[3, size // 3 :] -= 60
    chances = scores.double().softmax(-1)
    more_likely = torch.where(chances[:, None] > chances[:, :, None], chances[:, None], 0).sum(-1)
    for found in (
        most_likely(scores, scores.amax(-1, keepdim=True), top_p),
        nucleus(scores, top_p),
    ):
        kept = found > -torch.inf
        assert torch.equal(found[kept], scores[kept])
        assert (more_likely[kept] < top_p + 1e-5).all()
        assert (more_likely[~kept & (scores > -torch.inf)] > top_p - 1e-5).all()


@needs_triton
@pytest.mark.parametrize("settings", [(1.0, 1.0), (0.6, 1.0), (0.6, 0.95)])
@pytest.mark.parametrize("size", [61, 1000])
def test_the_same_tokens_are_drawn(size, settings):
    temperature, top_p = settings
    logits = 3 * randn(32, size)
    numbers = torch.rand(32, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    given = {"temperature": temperature, "top_p": top_p}
    tokens, logprobs = sample(logits, numbers.to(DEVICE), **given)
    found, chances = sample(logits, numbers.to(DEVICE), **given, kernels=True)
    assert found.tolist() == tokens.tolist()
    assert torch.allclose(chances, logprobs, atol=1e-5)


@needs_triton
@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_with_them_samples_as_it_would_without(family):
    rng = Random(0)
    prompts = [[rng.randrange(2, VOCABULARY) for _ in range(n)] for n in (1, 9, 70)]

    def sampled(attention):
        rollouts = [Rollout(prompt) for prompt in prompts for _ in range(2)]
        engine = PagedEngine(
            tiny(family).to(DEVICE),
            stop_tokens=[1],
            max_tokens=5,
            slots=6,
            group=2,
            seed=1,
            dtype=torch.float32,
            attention=attention,
        )
        complete(engine, rollouts)
        engine.close()
        return rollouts

    for ours, plain in zip(sampled("triton"), sampled("torch"), strict=True):
        assert ours.tokens == plain.tokens
        assert torch.allclose(torch.tensor(ours.logprobs), torch.tensor(plain.logprobs), atol=1e-4)


@needs_triton
def test_nothing_in_a_llama_is_left_as_it_was():
    copied = copy_of(tiny("llama").to(DEVICE), torch.float32, kernels=True)
    for module in copied.modules():
        if type(module).__name__.endswith(("RMSNorm", "Attention", "MLP")):
            assert "forward" in vars(module), type(module).__name__


SHARING = ["llama", "qwen2", "qwen3", "gemma3", "mistral, window", "gpt-oss", "gpt2"]


@needs_triton
@pytest.mark.parametrize("family", SHARING)
def test_a_model_with_them_learns_as_it_would_without(family):
    torch.manual_seed(0)
    ids = torch.randint(2, VOCABULARY, (2, 11), device=DEVICE)

    def learnt(*, fused):
        model = tiny(family).to(DEVICE)
        if fused:
            fuse_for_training(model)
        loss = model(input_ids=ids, labels=ids, use_cache=False).loss
        loss.backward()
        return loss, {name: weight.grad for name, weight in model.named_parameters()}

    loss, gradient = learnt(fused=False)
    new_loss, new_gradient = learnt(fused=True)
    assert torch.allclose(new_loss, loss, atol=1e-5)
    for name, expected in gradient.items():
        near = 1e-4 * expected.abs().max().item() + 1e-6
        assert torch.allclose(new_gradient[name], expected, atol=near), name


@needs_triton
def test_everything_in_a_llama_that_is_trained_is_fused_also_in_a_copy_of_it():
    model = tiny("llama").to(DEVICE)
    fuse_for_training(model)
    copied = copy.deepcopy(model)
    kinds = {type(module).__name__ for module in copied.modules()}
    assert {"FusedLlamaRMSNorm", "FusedLlamaAttention", "FusedLlamaMLP"} <= kinds
    ids = torch.arange(2, 12, device=DEVICE).unsqueeze(0)
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
        assert copied(ids).logits.abs().max() > 0  # the copy has weights of its own


@needs_triton
def test_adapters_are_trained_through_them():
    """The same, bit by bit, if the weights below them are held in half precision."""
    peft = pytest.importorskip("peft")
    ids = torch.arange(2, 12, device=DEVICE).unsqueeze(0)

    def learnt(*, half):
        model = tiny("llama")
        for weight in model.parameters():
            weight.data = weight.data.to(torch.bfloat16).float()
        if half:
            hold_half(model.requires_grad_(requires_grad=False))
        fuse_for_training(model.to(DEVICE))
        kinds = {type(module).__name__ for module in model.modules()}
        assert {"FusedLlamaRMSNorm", "FusedLlamaAttention", "FusedLlamaMLP"} <= kinds
        settings = peft.LoraConfig(r=2, target_modules="all-linear")
        model = peft.get_peft_model(model, settings)
        fuse_adapters(model)
        for name, weight in model.named_parameters():
            if "lora_" in name:
                weight.data = 0.1 * randn(*weight.shape, seed=2)
        with torch.autocast(DEVICE.type, torch.bfloat16):
            model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
        return [weight.grad for weight in model.parameters() if weight.requires_grad]

    expected, found = learnt(half=False), learnt(half=True)
    assert len(expected) == 2 * 3 * 7
    for one, other in zip(expected, found, strict=True):
        assert torch.equal(one, other)


@needs_triton
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("size", "temperature"), [(61, 1.0), (4096, 0.7), (9001, 1.3)])
def test_log_probabilities_of_chosen_tokens_are_torchs(dtype, size, temperature):
    rows = 5
    logits = (4 * randn(rows, size)).to(dtype)
    tokens = torch.tensor([0, size - 1, 7, 31, size // 2], device=DEVICE)
    weights = randn(rows, seed=1)

    def scores(function):
        given = logits.clone().requires_grad_()
        found, entropy = function.apply(given, tokens, temperature)
        assert not entropy.requires_grad
        (weights * found).sum().backward()
        return found.detach(), entropy.detach(), given.grad

    mine, theirs = scores(ChosenLogprobs), scores(PlainLogprobs)
    assert_near(mine[0], theirs[0], torch.float32)
    assert_near(mine[1], theirs[1], torch.float32)
    assert_near(mine[2], theirs[2], dtype)


@needs_triton
def test_a_token_that_cannot_be_leaves_the_entropy_a_number():
    logits = torch.tensor([[1.0, 2.0, float("-inf")]], device=DEVICE, requires_grad=True)
    tokens = torch.tensor([1], device=DEVICE)
    found, entropy = ChosenLogprobs.apply(logits, tokens, 1.0)
    certain = torch.tensor([1.0, 2.0], device=DEVICE).log_softmax(-1)
    assert torch.allclose(found, certain[1])
    assert torch.allclose(entropy, -(certain.exp() * certain).sum())
    found.sum().backward()
    assert logits.grad.isfinite().all()
