"""A slice of the matrix on the CPU, so that it works where there is a GPU."""

import sys

import pytest

pytest.importorskip("peft", reason="adapters need rlve[lora]")

import torch

import rlve
from gpu import matrix
from rlve.models import logprobs, policy
from rlve.models.engines import attention
from rlve.train import groups
from support.successor import Successor


@pytest.fixture
def bench(tmp_path, monkeypatch):
    rlve.register(Successor)
    rlve.tries(matrix.COUNTING, 2)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setattr(logprobs, "has_kernel_for_spans", lambda device, dtype: True)
    monkeypatch.setattr(policy, "holds_half", matrix.holds_half_on_a_cpu)
    yield matrix.Bench(tmp_path, "cpu")
    torch.set_num_threads(threads)


@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("lora x checkpointing", 1e-3),
        ("lora in bfloat16", 0.02),
        ("gemma3", 1e-3),
        ("divided by the mean", 1e-3),
        ("lora x resume", 1e-3),
        ("lora x export and eval", 1e-3),
    ],
)
def test_cases_hold(bench, name, gap):
    [(_, found, fault, _)] = matrix.run_all(bench, [name])
    assert not fault
    assert found.gap < gap
    if found.angle is not None:
        assert found.note == "packed"  # the path that a GPU takes


def test_a_fault_shows(bench, monkeypatch):
    """The one for which this was written: layers with adapters taken for their wrapper."""

    def faulty(model):
        return model.get_base_model() if hasattr(model, "peft_config") else model

    monkeypatch.setattr(attention, "base_of", faulty)
    [(_, found, fault, _)] = matrix.run_all(bench, ["lora"])
    assert found is None
    assert "get_base_model" in fault


def test_other_rewards_than_those_of_the_texts_show(bench, monkeypatch):
    monkeypatch.setattr(groups, "reward", lambda verdict, signal: verdict.reward)
    [(_, found, fault, _)] = matrix.run_all(bench, ["form"])
    assert found is None
    assert "rewards are not those of the texts" in fault


def test_without_a_gpu_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(sys, "argv", ["matrix"])
    assert matrix.main() == 0
    assert "There is no GPU here" in capsys.readouterr().out
