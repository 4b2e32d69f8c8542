from dataclasses import replace
from importlib import metadata
from struct import Struct

import pytest

pytest.importorskip("gguf", reason="GGUF files need rlve[gguf]")

import gguf
import torch

import rlve
from rlve.foundation.run_folders import latest_checkpoint
from rlve.models.config import PolicyConfig
from rlve.models.policy import load_policy, load_reader
from rlve.train.trainer import train
from support.gguf_files import END, TEMPLATE, tiny_llama, write_gguf
from support.run_tiny import tiny_config
from support.successor import Successor

Kind = gguf.GGMLQuantizationType
HEADER = Struct("<4sIQQ")  # magic, version, tensors, settings
TOKENS = torch.tensor([[1, 5, 9, 100, 258, 3]])


def load(path, **settings):
    return load_policy(PolicyConfig(model=str(path), device="cpu", **settings), context=64)


@torch.no_grad()
def logits(model):
    return model.eval()(TOKENS).logits


@pytest.mark.parametrize("tied", [False, True])
def test_a_model_is_read_from_its_file(tmp_path, tied):
    model = tiny_llama(tied=tied)
    policy = load(write_gguf(tmp_path / "tiny.gguf", model))
    torch.testing.assert_close(logits(policy.model), logits(model))
    assert {parameter.dtype for parameter in policy.model.parameters()} == {torch.float32}
    assert all(parameter.requires_grad for parameter in policy.model.parameters())
    assert policy.model.config.tie_word_embeddings is tied
    assert policy.stop_tokens == (258,)


@pytest.mark.parametrize("kind", [Kind.Q4_0, Kind.Q5_0, Kind.Q8_0])
@pytest.mark.parametrize("head", [Kind.Q4_0, Kind.Q8_0, Kind.F16])
def test_a_tied_head_that_is_written_twice_stays_tied(tmp_path, kind, head):
    model = tiny_llama(tied=True)
    read = load(write_gguf(tmp_path / "tiny.gguf", model, kind=kind, head=head)).model
    assert read.config.tie_word_embeddings
    assert read.lm_head.weight is read.model.embed_tokens.weight
    weight = model.lm_head.weight.detach().numpy()
    expected = gguf.quants.dequantize(gguf.quants.quantize(weight, head), head)
    assert torch.equal(read.lm_head.weight, torch.tensor(expected))


def test_a_head_of_its_own_stays_one_however_coarse(tmp_path):
    model = tiny_llama()
    read = load(write_gguf(tmp_path / "tiny.gguf", model, kind=Kind.Q4_0, head=Kind.Q8_0)).model
    assert not read.config.tie_word_embeddings
    assert not torch.equal(read.lm_head.weight, read.model.embed_tokens.weight)


def test_its_tokenizer_is_in_the_file(tmp_path):
    policy = load(write_gguf(tmp_path / "tiny.gguf", tiny_llama()))
    tokens = policy.tokenizer(f"hello 12{END}")["input_ids"]
    assert len(tokens) == 7  # "hel" is one, and so is the end
    assert tokens[-1] == 258
    assert policy.decode(tokens) == "hello 12"
    assert policy.format.name == "base"


def test_its_chat_template_is_in_the_file(tmp_path):
    policy = load(write_gguf(tmp_path / "tiny.gguf", tiny_llama(), template=TEMPLATE))
    assert policy.format.name == "chat"
    problem = Successor.generate(difficulty=0, seed=1)
    text = policy.tokenizer.decode(policy.encode(problem))
    assert text.startswith(f"<user>{problem.prompt()}")
    assert text.endswith("<assistant>")


def test_quantised_weights_are_those_that_are_trained(tmp_path):
    model = tiny_llama()
    policy = load(write_gguf(tmp_path / "tiny.gguf", model, kind=Kind.Q8_0))
    found = policy.model.state_dict()
    for name, weight in model.state_dict().items():
        expected = weight.numpy()
        if weight.ndim == 2:
            expected = gguf.quants.dequantize(gguf.quants.quantize(expected, Kind.Q8_0), Kind.Q8_0)
            assert not torch.equal(found[name], weight)  # something was lost
        torch.testing.assert_close(found[name], torch.tensor(expected))
    assert {weight.dtype for weight in found.values()} == {torch.float32}


@pytest.mark.parametrize("kind", [Kind.F32, Kind.Q8_0])
def test_it_is_saved_as_an_ordinary_model(tmp_path, kind):
    policy = load(write_gguf(tmp_path / "tiny.gguf", tiny_llama(), template=TEMPLATE, kind=kind))
    policy.model.save_pretrained(tmp_path / "saved")
    policy.tokenizer.save_pretrained(tmp_path / "saved")
    again = load(tmp_path / "saved")
    assert torch.equal(logits(again.model), logits(policy.model))
    assert (again.format, again.stop_tokens) == (policy.format, policy.stop_tokens)
    problem = Successor.generate(difficulty=0, seed=1)
    assert again.encode(problem) == policy.encode(problem)


def test_it_is_trained_and_resumed(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf", tiny_llama(), template=TEMPLATE, kind=Kind.Q8_0)
    config = tiny_config(path, tmp_path / "run", steps=1)
    config = replace(
        config,
        policy=PolicyConfig(model=str(path), device="cpu"),
        data=replace(config.data, max_prompt_tokens=300),
        rollout=replace(config.rollout, problems=2, oversample=2, group=2, max_tokens=4, rounds=1),
    )
    assert train(config).step == 1
    saved = latest_checkpoint(tmp_path / "run") / "model"
    assert load(saved).format.name == "chat"
    longer = replace(config, run=replace(config.run, steps=2))
    assert train(longer, resume=True).step == 2


def test_the_implementation_of_attention_can_be_chosen(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf", tiny_llama())
    eager, sdpa = load(path, attention="eager").model, load(path, attention="sdpa").model
    assert eager.config._attn_implementation == "eager"
    assert sdpa.config._attn_implementation == "sdpa"
    torch.testing.assert_close(logits(eager), logits(sdpa))


def test_counting_tokens_needs_no_weights(tmp_path, monkeypatch):
    path = write_gguf(tmp_path / "tiny.gguf", tiny_llama())
    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", None)
    reader = load_reader(PolicyConfig(model=str(path)))
    assert reader.model is None
    assert len(reader.tokens_of("hello")) > 5


def test_what_cannot_be_read_is_said(tmp_path, monkeypatch):
    with pytest.raises(rlve.UserError, match=r"there is no file .*none\.gguf"):
        load(tmp_path / "none.gguf")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(rlve.UserError, match=r"cannot load the model '.*broken\.gguf'"):
        load(broken)
    broken.write_text("no such thing")
    with pytest.raises(rlve.UserError, match=r"broken\.gguf does not start with the GGUF magic"):
        load(broken)

    def missing(name):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(rlve.UserError, match=r"needs gguf .* pip install 'rlve\[gguf\]'"):
        load(broken)


@pytest.mark.parametrize(
    "content",
    [HEADER.pack(b"GGUF", 3, 10**15, 1), HEADER.pack(b"GGUF", 3, 0, 2**63), b"GGUF"],
    ids=["tensors", "settings", "no header"],
)
def test_a_file_too_short_for_what_it_counts_is_refused(content, tmp_path):
    (tmp_path / "bad.gguf").write_bytes(content)
    with pytest.raises(rlve.UserError, match=r"cannot load the model '.*bad\.gguf': \S"):
        load(tmp_path / "bad.gguf")
