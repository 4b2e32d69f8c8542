from dataclasses import replace

import pytest
from transformers import Qwen2Config

from rlve.errors import UserError
from rlve.models import memory
from rlve.models.blueprints import blueprint
from rlve.models.config import PolicyConfig
from rlve.models.memory import GIB, Sampler, check_memory, plan_memory
from rlve.models.policy import load_policy
from rlve.train.trainer import train
from support.run_tiny import tiny_config
from support.tiny import WORDS

TOKENS = 16_384


@pytest.fixture(scope="module")
def seven_billion(tmp_path_factory):
    """The settings of a model of 7.6 billion parameters, and no weights."""
    folder = tmp_path_factory.mktemp("seven")
    Qwen2Config(
        vocab_size=152_064,
        hidden_size=3584,
        intermediate_size=18_944,
        num_hidden_layers=28,
        num_attention_heads=28,
        num_key_value_heads=4,
        tie_word_embeddings=False,
    ).save_pretrained(folder)
    return PolicyConfig(model=str(folder), gradient_checkpointing=True)


def on_a_gpu_of(monkeypatch, gib):
    monkeypatch.setattr(memory, "gpu_memory", lambda config: round(gib * GIB))


def test_a_model_that_cannot_fit_is_refused_before_it_is_loaded(seven_billion, monkeypatch):
    on_a_gpu_of(monkeypatch, 80)
    with pytest.raises(
        UserError, match=r"needs about 1[3-5]\d GiB, but the GPU has 80 GiB"
    ) as told:
        check_memory(seven_billion, Sampler(), tokens=TOKENS)
    assert "set policy.lora-rank, or train a smaller model; rlve verl" in str(told.value)
    assert "gradient-checkpointing" not in str(told.value)
    on_a_gpu_of(monkeypatch, 180)
    check_memory(seven_billion, Sampler(), tokens=TOKENS)


def test_what_is_said_depends_on_what_is_set(seven_billion, monkeypatch):
    pytest.importorskip("peft", reason="adapters need rlve[lora]")
    on_a_gpu_of(monkeypatch, 8)
    config = replace(seven_billion, lora_rank=8, gradient_checkpointing=False)
    with pytest.raises(UserError) as told:
        check_memory(config, Sampler("vllm"), tokens=TOKENS)
    assert str(told.value).endswith(
        "the GPU has 8 GiB: train a smaller model, or set policy.gradient-checkpointing, or lower "
        "rollout.memory; rlve verl trains on several GPUs"
    )


def test_adapters_need_little_beside_the_weights(seven_billion, monkeypatch):
    pytest.importorskip("peft", reason="adapters need rlve[lora]")
    on_a_gpu_of(monkeypatch, 80)
    check_memory(replace(seven_billion, lora_rank=16), Sampler(), tokens=TOKENS)


def test_all_that_training_keeps_is_counted(tiny_policy):
    config = PolicyConfig(model=str(tiny_policy), device="cpu", gradient_checkpointing=True)
    count = sum(p.numel() for p in load_policy(config, context=8).model.parameters())

    def need(sampler, *, tokens=0, anchored=False, gpu=0, **changes):
        changed = replace(config, **changes)
        plan = plan_memory(changed, sampler, tokens=tokens, anchored=anchored, gpu=gpu)
        return plan.peak

    alone = need(Sampler("in-process"), dtype="float32")
    assert alone == 16 * count  # weights, gradients, and two moments
    assert need(Sampler("in-process")) == 18 * count
    assert need(Sampler("auto")) == need(Sampler("paged")) == 20 * count
    assert need(Sampler("in-process"), anchored=True) == 22 * count
    awake = need(Sampler("vllm", 0.5, sleeps=False), gpu=10 * count)
    assert awake == 23 * count
    asleep = need(Sampler("vllm", 0.5, sleeps=True), gpu=10 * count)
    assert asleep == 18 * count
    assert need(Sampler("vllm", 0.5), gpu=40 * count) == 32 * count  # while it samples
    small = need(Sampler("auto"), tokens=100) - need(Sampler("auto"))
    large = need(Sampler("auto"), tokens=100, gradient_checkpointing=False) - need(Sampler("auto"))
    assert 100 * (2 * 32 * 4 + 4 * len(WORDS)) == small < large  # and logits


def test_the_blueprint_has_no_weights(tiny_policy):
    model = blueprint(PolicyConfig(model=str(tiny_policy)))
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}


def test_without_a_gpu_nothing_is_checked(monkeypatch):
    monkeypatch.setattr(memory.torch.cuda, "is_available", lambda: False)
    check_memory(PolicyConfig(model="no/such/model"), Sampler(), tokens=TOKENS)
    monkeypatch.setattr(memory.torch.cuda, "is_available", lambda: True)
    check_memory(PolicyConfig(model="no/such/model", device="cpu"), Sampler(), tokens=TOKENS)


def test_a_run_is_refused_and_leaves_nothing_behind(tiny_policy, tmp_path, monkeypatch):
    on_a_gpu_of(monkeypatch, 1e-4)
    with pytest.raises(UserError, match="GiB, but the GPU has 0 GiB"):
        train(tiny_config(tiny_policy, tmp_path / "run"))
    assert not (tmp_path / "run").exists()
