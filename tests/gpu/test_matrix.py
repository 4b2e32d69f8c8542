"""A slice of the matrix on the CPU, so that it works where there is a GPU."""

import sys
from dataclasses import replace

import pytest

pytest.importorskip("peft", reason="adapters need rlve[lora]")

import torch

import rlve
from gpu import matrix
from rlve.gym import group_rewards
from rlve.models import logprobs, policy
from rlve.models.engines import attention, sampling, weights
from rlve.models.engines.paged.engine import PagedEngine
from rlve.train import groups, trainer
from rlve.train.update import Updater
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
        ("out of memory", 1e-3),
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


def not_merged(monkeypatch):
    """The sampler gets the weights below adapters alone."""

    def plain(model, *, twice=False):
        for name, weight in weights.base_of(model).state_dict().items():
            if ".lora_" not in name:
                yield name.replace(".base_layer", ""), weight

    monkeypatch.setattr(weights, "whole_weights", plain)


def told_once(monkeypatch):
    """The sampler keeps the weights of the first step."""
    right, told = PagedEngine.update, []

    def stale(self, model):
        told.append(model)
        if len(told) == 1:
            right(self, model)
        else:
            self._waiting.extendleft(reversed(self._forget()))

    monkeypatch.setattr(PagedEngine, "update", stale)


def first_matrices_stay(monkeypatch):
    """Those of adapters get no gradient in the run; the plain computation has padding."""
    right = Updater._gradient

    def without(self, *args):
        found = right(self, *args)
        for name, weight in self.model.named_parameters():
            if "lora_A" in name and self.score.flat:
                weight.grad.zero_()
        return found

    monkeypatch.setattr(Updater, "_gradient", without)


def away_from_the_start(monkeypatch):
    """The KL term has the other sign in the run."""
    right = Updater._gradient

    def away(self, *args):
        if self.score.flat:
            self.config = replace(self.config, kl=-abs(self.config.kl))
        return right(self, *args)

    monkeypatch.setattr(Updater, "_gradient", away)


def padded(monkeypatch):
    monkeypatch.setattr(logprobs, "has_kernel_for_spans", lambda device, dtype: False)


def nothing_cut_off(monkeypatch):
    monkeypatch.setattr(sampling, "nucleus", lambda scores, top_p: scores)


@pytest.mark.parametrize(
    ("name", "fault", "complaint"),
    [
        ("lora", not_merged, "gap"),
        ("lora", told_once, "gap"),
        ("lora", first_matrices_stay, "angle"),
        ("kl", away_from_the_start, "angle"),
        ("lora x kl", away_from_the_start, "angle"),
        ("as it is", padded, "rows are padded"),
        ("lora x teach", padded, "rows are padded"),
        ("measured with top-p", nothing_cut_off, "top-p has kept a token"),
    ],
)
def test_faults_show_in_half_precision(bench, name, fault, complaint, monkeypatch):
    """With what a GPU is allowed, by the matrix and by the trainer."""
    monkeypatch.setattr(matrix.Bench, "limits", lambda self, config: matrix.HALF)
    monkeypatch.setitem(trainer.WIDEST_GAP, "float32", 1.0)
    fault(monkeypatch)
    [(_, _, found, _)] = matrix.run_all(bench, [name])
    assert complaint in found


def test_single_precision_is_held_to_it_on_a_gpu(bench, monkeypatch):
    single, half, usual = (
        matrix.PolicyConfig(dtype=kind) for kind in ("float32", "bfloat16", "auto")
    )
    assert bench.limits(single) == bench.limits(usual) == matrix.EXACT
    assert bench.limits(half) == matrix.HALF
    bench.device = "cuda"
    assert bench.limits(single) == matrix.EXACT._replace(gap=0.02)
    assert bench.limits(half) == bench.limits(usual) == matrix.HALF


def test_other_rewards_than_those_of_the_texts_show(bench, monkeypatch):
    monkeypatch.setattr(groups, "group_rewards", lambda judged, _: group_rewards(judged, "reward"))
    [(_, found, fault, _)] = matrix.run_all(bench, ["form"])
    assert found is None
    assert "rewards are not those of the texts" in fault


@pytest.mark.usefixtures("bench")
def test_a_name_that_no_case_has_is_told_of(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", "matrix --device cpu --only nosuchcase".split())
    with pytest.raises(SystemExit) as ended:
        matrix.main()
    assert ended.value.code == 2
    assert "no case has 'nosuchcase' in its name" in capsys.readouterr().err


def test_without_a_gpu_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(sys, "argv", ["matrix"])
    assert matrix.main() == 0
    assert "There is no GPU here" in capsys.readouterr().out
