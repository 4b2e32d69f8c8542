"""What can be trained can be saved, resumed and exported, in every family of models."""

from dataclasses import replace

import pytest
import torch

from rlve.foundation.run_folders import MODEL, write_settings
from rlve.models.config import PolicyConfig
from rlve.models.policy import Policy, load_policy
from rlve.train.checkpoint import RunState, load_tensors, save_checkpoint
from rlve.train.config import UpdateConfig
from rlve.train.trained_models import export_model, find_trained
from rlve.train.update import make_optimizer
from support.families import FAMILIES, OTHERS, tiny
from support.run_tiny import tiny_config
from support.tiny import tiny_tokenizer

ADAPTED = ["llama", "gpt-oss", "gpt2", "gemma3", "gpt_neox", "qwen3_moe", "mixtral", "deepseek_v3"]
UPDATE = UpdateConfig(learning_rate=1e-2)


def policy_of(family, folder, rank=0) -> tuple[PolicyConfig, Policy]:
    if not folder.exists():
        tiny(family).save_pretrained(folder)
        tiny_tokenizer().save_pretrained(folder)
    config = PolicyConfig(model=str(folder), format="plain", device="cpu", lora_rank=rank)
    return config, load_policy(config, context=0)


def take_step(policy, optimizer, seed):
    torch.manual_seed(seed)
    for parameter in policy.model.parameters():
        if parameter.requires_grad:
            parameter.grad = torch.randn_like(parameter)
    optimizer.step()


def assert_same(one, other):
    mine, theirs = one.state_dict(), other.state_dict()
    assert mine.keys() == theirs.keys()
    assert [name for name in mine if not torch.equal(mine[name], theirs[name])] == []


@pytest.mark.parametrize(
    ("family", "rank"),
    [*((family, 0) for family in [*FAMILIES, *OTHERS]), *((family, 2) for family in ADAPTED)],
)
def test_a_run_is_resumed_and_exported_with_its_own_weights(family, rank, tmp_path):
    settings, policy = policy_of(family, tmp_path / "start", rank)
    optimizer = make_optimizer(policy.model, UPDATE)
    take_step(policy, optimizer, seed=1)
    run = tmp_path / "run"
    run.mkdir()
    write_settings(run, "train", replace(tiny_config(tmp_path, run), policy=settings))
    state = RunState(step=1, seconds=0.0, parts={}, seen={}, version="")
    place = save_checkpoint(run, policy, optimizer, {}, state, keep=1)

    _, resumed = policy_of(family, tmp_path / "start", rank)
    continued = make_optimizer(resumed.model, UPDATE)
    resumed.load_weights(place / MODEL)
    continued.load_state_dict(load_tensors(place)["optimizer"])
    assert_same(resumed.model, policy.model)
    take_step(policy, optimizer, seed=2)
    take_step(resumed, continued, seed=2)
    assert_same(resumed.model, policy.model)  # the optimiser goes on with them, and as before

    export_model(find_trained(run), tmp_path / "exported", card="")
    _, exported = policy_of(family, tmp_path / "exported")
    resumed.load_weights(place / MODEL)
    merged = resumed.model.merge_and_unload() if rank else resumed.model
    assert_same(exported.model, merged)
