import json
from dataclasses import replace

import pytest
import torch

import rlve
from rlve.envs.arrays.sorting import Sorting
from rlve.models.config import PolicyConfig
from rlve.models.policy import NANO, computing_in, load_policy
from rlve.train.checkpoint import latest_checkpoint
from rlve.train.trainer import train
from support.run_tiny import tiny_config


@pytest.fixture(scope="module")
def nano():
    return load_policy(PolicyConfig(model="nano", format="plain", device="cpu"), context=700)


def test_nano_is_small_and_reads_our_prompts_in_few_tokens(nano):
    assert sum(path.stat().st_size for path in NANO.iterdir()) < 10_000_000
    problem = Sorting.generate(difficulty=2, seed=1)
    tokens = nano.encode(problem)
    assert len(tokens) < 60
    assert nano.tokenizer.decode(tokens) == nano.form.wrap(problem.prompt())


def test_nano_writes_digits_one_by_one(nano):
    tokens = nano.tokenizer("12 345")["input_ids"]
    assert [nano.tokenizer.decode([token]) for token in tokens] == ["1", "2", " ", "3", "4", "5"]


def test_nano_has_a_chat_template(nano):
    chat = load_policy(PolicyConfig(model="nano", format="chat", device="cpu"), context=700)
    text = chat.tokenizer.decode(chat.encode(Sorting.generate(difficulty=0, seed=0)))
    assert text.startswith("Sort these 3 integers")
    assert "\\boxed{}" in text


def test_what_a_policy_must_have(tiny_policy, tmp_path):
    with pytest.raises(rlve.UserError, match="has no chat template"):
        load_policy(PolicyConfig(model=str(tiny_policy), format="chat"), context=64)
    with pytest.raises(rlve.UserError, match="do not fit the context"):
        load_policy(PolicyConfig(model=str(tiny_policy), format="plain"), context=129)
    with pytest.raises(rlve.UserError, match="cannot load the model"):
        load_policy(PolicyConfig(model=str(tmp_path)), context=64)


def test_weights_stay_in_single_precision(tiny_policy):
    config = PolicyConfig(model=str(tiny_policy), format="plain", dtype="bfloat16", device="cpu")
    policy = load_policy(config, context=64)
    assert {parameter.dtype for parameter in policy.model.parameters()} == {torch.float32}
    with computing_in(config, torch.device("cpu")), torch.no_grad():
        assert policy.model(torch.tensor([[3, 4]])).logits.dtype == torch.bfloat16


def test_adapters_are_trained_checkpointed_and_resumed(tiny_policy, tmp_path):
    pytest.importorskip("peft")
    config = tiny_config(tiny_policy, tmp_path / "run", steps=3)
    config = replace(config, policy=replace(config.policy, lora_rank=4))
    train(config)
    place = latest_checkpoint(tmp_path / "run" / "checkpoints")
    assert (place / "model" / "adapter_model.safetensors").exists()
    longer = replace(config, run=replace(config.run, steps=4))
    assert train(longer, resume=True).step == 4
    whole = replace(longer, run=replace(longer.run, folder=tmp_path / "whole"))
    train(whole)

    def last(folder):
        line = (folder / "metrics.jsonl").read_text().splitlines()[-1]
        return {**json.loads(line), "seconds": None}

    assert last(tmp_path / "run") == last(tmp_path / "whole")


def test_gradient_checkpointing_changes_nothing_but_memory(tiny_policy, tmp_path):
    plain = tiny_config(tiny_policy, tmp_path / "plain", steps=2)
    policy = replace(plain.policy, gradient_checkpointing=True)
    saving = replace(plain, policy=policy, run=replace(plain.run, folder=tmp_path / "saving"))
    losses = []
    for config in (plain, saving):
        train(config)
        line = (config.run.folder / "metrics.jsonl").read_text().splitlines()[-1]
        losses.append(json.loads(line)["loss"])
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)
