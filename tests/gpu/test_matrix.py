"""A slice of the matrix on the CPU, so that it works where there is a GPU."""

import sys

import pytest

pytest.importorskip("peft", reason="adapters need rlve[lora]")

import torch

import rlve
from gpu import matrix
from rlve.models import logprobs
from rlve.models.engines import attention
from support.successor import Successor


@pytest.fixture
def bench(tmp_path, monkeypatch):
    rlve.register(Successor)
    rlve.tries(matrix.COUNTING, 2)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setattr(logprobs, "has_kernel_for_spans", lambda device, dtype: True)
    yield matrix.Bench(tmp_path, "cpu")
    torch.set_num_threads(threads)


@pytest.mark.parametrize(
    "name", ["lora x checkpointing", "gemma3", "lora x resume", "lora x export and eval"]
)
def test_cases_hold(bench, name):
    [(_, found, fault, _)] = matrix.run_all(bench, [name])
    assert not fault
    assert found.gap < 1e-3
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


def test_without_a_gpu_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(sys, "argv", ["matrix"])
    assert matrix.main() == 0
    assert "There is no GPU here" in capsys.readouterr().out
