"""What of the vLLM engine can be tested without vLLM."""

import sys

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from rlve.errors import UserError
from rlve.models.engines.vllm import VllmEngine, write_weights
from rlve.train.config import Config, RolloutConfig

TOKENS = torch.arange(3, 15).unsqueeze(0)


def tiny_model(*, tied):
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=24,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            tie_word_embeddings=tied,
        )
    ).eval()


def written(model, folder, dtype=torch.float32):
    model.config.save_pretrained(folder)
    write_weights(model, folder, dtype)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()


def test_without_vllm_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)  # so that importing it fails
    with pytest.raises(UserError, match=r"rlve\[vllm\]"):
        VllmEngine(None, max_tokens=8)


@pytest.mark.parametrize("memory", [0.0, 1.0, -0.5])
def test_the_share_of_memory_is_checked(memory):
    with pytest.raises(UserError, match=r"rollout\.memory"):
        Config(rollout=RolloutConfig(memory=memory)).check()


@torch.no_grad()
@pytest.mark.parametrize("tied", [False, True])
def test_written_weights_are_the_models(tied, tmp_path):
    model = tiny_model(tied=tied)
    assert torch.equal(written(model, tmp_path)(TOKENS).logits, model(TOKENS).logits)
    for weight in model.parameters():
        weight += 0.1
    assert torch.equal(written(model, tmp_path)(TOKENS).logits, model(TOKENS).logits)


def test_weights_are_written_in_the_type_that_vllm_computes_in(tmp_path):
    loaded = written(tiny_model(tied=True), tmp_path, torch.bfloat16)
    assert {weight.dtype for weight in loaded.parameters()} == {torch.bfloat16}


@torch.no_grad()
@pytest.mark.parametrize("tied", [False, True])
def test_adapters_are_added_into_the_weights(tied, tmp_path):
    peft = pytest.importorskip("peft", reason="needs rlve[lora]")
    settings = peft.LoraConfig(r=2, lora_alpha=4, target_modules="all-linear")
    model = peft.get_peft_model(tiny_model(tied=tied), settings).eval()
    plain = model(TOKENS).logits
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            weight += 0.3 * torch.randn_like(weight)
            before[name] = weight.clone()
    logits = model(TOKENS).logits
    assert not torch.allclose(logits, plain, atol=1e-3)
    assert torch.allclose(written(model, tmp_path)(TOKENS).logits, logits, atol=1e-5)
    for name, weight in model.state_dict().items():  # the model itself is as it was
        assert torch.equal(weight, before[name])
