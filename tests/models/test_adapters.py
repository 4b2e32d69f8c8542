"""Low-rank adapters as a GPU trains them: fused, on weights that are held in half precision."""

import copy
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import AutoModelForCausalLM

pytest.importorskip("peft", reason="adapters need rlve[lora]")

import peft

import rlve
from rlve.foundation.run_folders import latest_checkpoint
from rlve.models import policy
from rlve.models.config import PolicyConfig
from rlve.models.engines.paged import PagedEngine
from rlve.models.engines.weights import whole_weights
from rlve.models.fusion import fuse_adapters
from rlve.models.memory import Sampler, plan_memory
from rlve.models.policy import computing_in, hold_half, load_policy
from rlve.train.history import read_steps
from rlve.train.trained_models import export_model, find_trained
from rlve.train.trainer import train
from support.families import tiny
from support.run_tiny import tiny_config
from support.sampling import gaps, sampled

HALF = torch.bfloat16
IDS = torch.arange(2, 40).unsqueeze(0) % 23


def hold_on_a_cpu(monkeypatch):
    """As on a GPU, where half precision is asked for."""

    def holds_half(config, device):
        return config.lora_rank > 0 and config.dtype == "bfloat16"

    monkeypatch.setattr(policy, "holds_half", holds_half)


@pytest.fixture
def held(monkeypatch):
    hold_on_a_cpu(monkeypatch)


@pytest.fixture(scope="module")
def stored_in_half(tiny_policy, tmp_path_factory):
    """The tiny policy with weights that half precision does not round, as most models have them."""
    folder = tmp_path_factory.mktemp("half")
    for file in Path(tiny_policy).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    weights = load_file(folder / "model.safetensors")
    rounded = {name: weight.to(HALF).float() for name, weight in weights.items()}
    save_file(rounded, folder / "model.safetensors", {"format": "pt"})
    return folder


def with_adapters(model, *, rank=3, alpha=5, targets="all-linear"):
    """Random ones, always the same."""
    settings = peft.LoraConfig(r=rank, lora_alpha=alpha, target_modules=targets)
    adapted = peft.get_peft_model(model, settings)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_" in name:
                weight.copy_(0.1 * torch.randn(weight.shape, generator=generator))
    return adapted


def adapted_run(model, folder, **settings):
    config = tiny_config(model, folder, steps=3)
    settings = {"lora_rank": 4, "dtype": "bfloat16", **settings}
    return replace(config, policy=replace(config.policy, **settings))


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 5, bias=False)

    def forward(self, x):
        return self.second(self.first(x).tanh())


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("shape", [(7,), (3, 7)])
def test_fused_adapters_compute_what_is_written_out(shape, half):
    torch.manual_seed(1)
    model = with_adapters(Layers(), targets=["first", "second"])
    if half:
        hold_half(model)
    plain = copy.deepcopy(model)
    fuse_adapters(model)
    assert {type(model.first).__name__, type(model.second).__name__} == {"FusedLinear"}
    given = torch.randn(*shape, 6)
    weights = torch.randn(*shape, 5)

    def written_out(x):
        for layer in (plain.first, plain.second):
            base, a, b = layer.base_layer, layer.lora_A["default"], layer.lora_B["default"]
            added = x @ a.weight.T @ b.weight.T
            x = x @ base.weight.float().T + (0 if base.bias is None else base.bias.float())
            x = x + 5 / 3 * added
            x = x.tanh() if layer is plain.first else x
        return x

    def learnt(compute, owner):
        x = given.clone().requires_grad_()
        out = compute(x).float()
        (out * weights).sum().backward()
        return out, x.grad, *(w.grad for w in owner.parameters() if w.requires_grad)

    with torch.autocast("cpu", HALF, enabled=half):
        found = learnt(model, model)
    expected = learnt(written_out, plain)
    assert len(found) == len(expected) == 6
    for one, other in zip(found, expected, strict=True):
        near = (0.02 if half else 1e-5) * float(other.detach().abs().max())
        assert torch.allclose(one, other, rtol=0, atol=near)


@pytest.mark.parametrize("checkpointing", [False, True])
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("family", ["llama", "qwen2", "gemma3", "gpt2", "gpt-oss", "qwen3_moe"])
def test_holding_weights_in_half_precision_changes_no_bit(family, fused, checkpointing):
    """gemma3 has tied embeddings, gpt2 layers of another kind, gpt-oss and qwen3_moe experts."""

    def learnt(*, half):
        model = tiny(family)
        if half:
            hold_half(model.requires_grad_(requires_grad=False))
        kinds = {weight.dtype for weight in model.parameters()}
        assert kinds == ({torch.float32, HALF} if half else {torch.float32})
        model = with_adapters(model).train()
        if fused:
            fuse_adapters(model)
        if checkpointing:
            model.gradient_checkpointing_enable()
            model.enable_input_require_grads()
        with torch.autocast("cpu", HALF):
            output = model(input_ids=IDS, labels=IDS, use_cache=False)
            output.loss.backward()
        trained = {name: w for name, w in model.named_parameters() if w.requires_grad}
        assert all("lora_" in name and w.dtype == torch.float32 for name, w in trained.items())
        return {name: w.grad for name, w in trained.items()} | {"": output.logits.detach()}

    plain, found = learnt(half=False), learnt(half=True)
    assert len(plain) > 10
    for name, expected in plain.items():
        assert (found[name] is None) == (expected is None), name  # of experts that nobody chose
        assert expected is None or torch.equal(found[name], expected), name


def test_what_is_held_in_half_precision(held, tiny_policy):
    """The layers that autocast casts; not what an embedding gives, nor anything that is trained."""

    def types(model, **settings):
        config = PolicyConfig(model=model, device="cpu", format="plain", **settings)
        named = load_policy(config, context=0).model.named_parameters()
        return {name: weight.dtype for name, weight in named}

    found = types(str(tiny_policy), lora_rank=2, dtype="bfloat16")
    half = {name for name, dtype in found.items() if dtype == HALF}
    assert {name.removesuffix(".weight").split(".")[-1] for name in half} == {
        "base_layer",
        "lm_head",
    }
    assert sum("base_layer" in name for name in found) == len(half) - 1
    for same in (
        types(str(tiny_policy), lora_rank=2),
        types(str(tiny_policy), dtype="bfloat16"),
    ):
        assert set(same.values()) == {torch.float32}
    tied = types("nano", lora_rank=2, dtype="bfloat16")
    assert HALF in tied.values()
    assert all(tied[name] == torch.float32 for name in tied if "embed_tokens" in name)


@pytest.mark.parametrize(
    ("settings", "device", "half"),
    [
        ({"lora_rank": 4}, "cuda", True),
        ({"lora_rank": 4, "dtype": "bfloat16"}, "cuda", True),
        ({"lora_rank": 4, "dtype": "float32"}, "cuda", False),
        ({}, "cuda", False),
        ({"lora_rank": 4, "dtype": "bfloat16"}, "cpu", False),
    ],
)
def test_where_weights_are_held_in_half_precision(settings, device, half):
    assert policy.holds_half(PolicyConfig(**settings), device) == half


def test_weights_are_merged_in_single_precision():
    """A small change of a weight would be rounded away before it is added."""
    model = tiny("llama")
    hold_half(model.requires_grad_(requires_grad=False))
    adapted = with_adapters(model, alpha=0.05)
    layers = {
        name.removeprefix("base_model.model."): layer
        for name, layer in adapted.named_modules()
        if hasattr(layer, "lora_A")
    }
    merged = dict(whole_weights(adapted))
    rounded = 0
    for name, layer in layers.items():
        delta = layer.lora_B["default"].weight @ layer.lora_A["default"].weight * (0.05 / 3)
        exact = layer.base_layer.weight.double() + delta.double()
        assert torch.allclose(merged[f"{name}.weight"].double(), exact, rtol=1e-6, atol=1e-8)
        rounded += int((merged[f"{name}.weight"].to(HALF) == layer.base_layer.weight).sum())
    assert rounded > 1000  # that is what half precision would make of them


def test_engines_sample_from_the_merged_weights(held, tiny_policy):
    """The copy in half precision is rounded once, and agrees with the model."""
    config = PolicyConfig(
        model=str(tiny_policy), device="cpu", format="plain", lora_rank=2, dtype="bfloat16"
    )
    loaded = load_policy(config, context=64).model.eval()
    with torch.no_grad():
        for name, weight in loaded.named_parameters():
            if "lora_" in name:
                weight.normal_(0, 0.1)
    engine = PagedEngine(loaded, stop_tokens=[1], max_tokens=6, dtype=HALF)  # compares itself
    copied = engine._copy.state_dict()
    for name, weight in whole_weights(loaded):
        assert torch.equal(copied[name], weight.to(copied[name].dtype))
    rollouts = sampled(engine)
    with computing_in(config, torch.device("cpu")):
        assert gaps(loaded, rollouts).max() < 0.02


def test_a_run_goes_on_from_one_that_held_single_precision(stored_in_half, tmp_path, monkeypatch):
    """To the bit, since the weights of this model lose nothing."""
    whole, parted = (adapted_run(stored_in_half, tmp_path / name) for name in ("whole", "parted"))
    train(whole)
    train(replace(parted, run=replace(parted.run, steps=2)))
    hold_on_a_cpu(monkeypatch)
    train(parted, resume=True)
    mine, theirs = (
        [msgspec.structs.replace(step, seconds={}) for step in read_steps(config.run.folder)]
        for config in (parted, whole)
    )
    assert mine == theirs
    assert_same_adapters(parted.run.folder, whole.run.folder)


def assert_same_adapters(folder, other):
    found, expected = (
        load_file(latest_checkpoint(each) / "model" / "adapter_model.safetensors")
        for each in (folder, other)
    )
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_what_is_exported_has_the_models_own_weights(tiny_policy, tmp_path, monkeypatch):
    """In single precision if the model had that: only the training rounds them."""
    config = adapted_run(tiny_policy, tmp_path / "run", lora_targets=("q_proj", "lm_head"))
    with monkeypatch.context() as patched:
        hold_on_a_cpu(patched)
        train(config)
    trained = find_trained(tmp_path / "run")
    stored = load_file(trained.checkpoint / "model" / "adapter_model.safetensors")
    assert all("lora_" in name for name in stored)  # and no layer below them
    export_model(trained, tmp_path / "exported", card="")
    found = AutoModelForCausalLM.from_pretrained(tmp_path / "exported", dtype=torch.float32)
    start = AutoModelForCausalLM.from_pretrained(tiny_policy, dtype=torch.float32).state_dict()
    for name, weight in found.state_dict().items():
        place = f"base_model.model.{name.removesuffix('.weight')}"
        expected = start[name]
        if f"{place}.lora_A.weight" in stored:
            expected = (
                expected + 2 * stored[f"{place}.lora_B.weight"] @ (stored[f"{place}.lora_A.weight"])
            )
            assert not torch.equal(weight, start[name])
        assert torch.allclose(weight, expected, rtol=0, atol=1e-7)


def test_adapters_that_are_damaged(tiny_policy, tmp_path):
    config = PolicyConfig(model=str(tiny_policy), lora_rank=2, device="cpu")
    loaded = load_policy(config, context=8)
    loaded.model.save_pretrained(tmp_path)
    file = tmp_path / policy.ADAPTERS
    content = file.read_bytes()
    for damaged in (b"", b"\xff" * 500, content[: len(content) // 2], content[:-1]):
        file.write_bytes(damaged)
        with pytest.raises(rlve.UserError, match=r"^cannot load the weights in [^\n]+$"):
            loaded.load_weights(tmp_path)


def test_less_memory_is_planned_for_them(tiny_policy):
    config = PolicyConfig(model=str(tiny_policy), gradient_checkpointing=True, lora_rank=2)
    model = load_policy(replace(config, device="cpu"), context=8).model
    layers = sum(
        layer.weight.numel()
        for name, layer in model.named_modules()
        if isinstance(layer, nn.Linear) and "lora_" not in name
    )
    total = sum(weight.numel() for weight in model.parameters())

    def plan(**changes):
        changed = replace(config, **changes)
        return plan_memory(changed, Sampler("in-process"), tokens=0, anchored=False, gpu=0)

    single, half = plan(dtype="float32"), plan()
    assert single.model == 4 * total
    assert half.model == 4 * total - 2 * layers
    assert half.update == single.update + 2 * (total - layers)  # what is still cast
    assert half.optimiser == single.optimiser
