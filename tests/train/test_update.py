import copy
from dataclasses import replace
from random import Random

import pytest
import torch
from transformers import AutoModelForCausalLM

from rlve.train.config import UpdateConfig
from rlve.train.update import DivergedError, Row, Updater, learning_rate, micro_batches, pad


@pytest.fixture
def model(tiny_policy):
    return AutoModelForCausalLM.from_pretrained(tiny_policy)


def random_rows(seed, count=12):
    rng = Random(seed)
    rows = []
    for _ in range(count):
        prompt = [rng.randrange(23) for _ in range(rng.randint(1, 9))]
        tokens = [rng.randrange(23) for _ in range(rng.randint(1, 7))]
        logprobs = [rng.uniform(-4, -2) for _ in tokens]
        rows.append(Row(prompt, tokens, logprobs, rng.uniform(-1, 1)))
    return rows


def updated(model, rows, **settings):
    model = copy.deepcopy(model)
    config = UpdateConfig(learning_rate=1e-2, **settings)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    metrics = Updater(model, optimizer, config).update(rows)
    return model, metrics


@pytest.mark.parametrize("aggregation", ["token", "sample"])
def test_micro_batch_size_does_not_change_the_update(model, aggregation):
    rows = random_rows(1)
    whole, metrics = updated(model, rows, aggregation=aggregation)
    pieces, again = updated(model, rows, aggregation=aggregation, micro_batch_tokens=20)
    for a, b in zip(whole.parameters(), pieces.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)
    assert metrics == pytest.approx(again, abs=1e-5)


def test_the_gradient_is_that_of_one_row_at_a_time(model):
    """No padding, no batch: each output alone, with the loss written out."""
    rows = random_rows(2, count=5)
    found, _ = updated(model, rows, max_grad_norm=1e9)
    slow = copy.deepcopy(model)
    optimizer = torch.optim.SGD(slow.parameters(), lr=1e-2)
    total = sum(len(row.tokens) for row in rows)
    for row in rows:
        logits = slow(torch.tensor([row.prompt + row.tokens])).logits[0]
        for i, token in enumerate(row.tokens):
            logprob = logits[len(row.prompt) - 1 + i].log_softmax(-1)[token]
            weight = min(float((logprob.detach() - row.logprobs[i]).exp()), 2.0)
            ratio = (logprob - logprob.detach()).exp()
            (-weight * ratio * row.advantage / total).backward(retain_graph=True)
    optimizer.step()
    for a, b in zip(found.parameters(), slow.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)


def test_several_updates_use_the_log_probabilities_of_the_steps_beginning(model):
    rows = random_rows(3, count=8)
    config = UpdateConfig(learning_rate=1e-1, updates_per_step=2)
    model = copy.deepcopy(model)
    updater = Updater(model, torch.optim.SGD(model.parameters(), lr=0.5), config)
    beginning = updater._logprobs(rows[4:])
    seen = []
    forward = updater._forward

    def spy(padded):
        result = forward(padded)
        seen.append((padded, result.detach()))
        return result

    updater._forward = spy
    updater.update(rows)
    # The last forward pass is of the second half, whose weights have moved since the beginning.
    padded, last = seen[-1]
    assert any(
        not torch.allclose(beginning[i], last[j][padded.mask[j].bool()], atol=1e-4)
        for j, i in enumerate(next(micro_batches([len(row) for row in rows[4:]], 10**6)))
    )


def test_zero_advantages_change_nothing(model):
    rows = [replace(row, advantage=0.0) for row in random_rows(4)]
    after, _ = updated(model, rows)
    for a, b in zip(model.parameters(), after.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_loss_that_is_no_number_stops_before_the_weights_change(model):
    rows = random_rows(5)
    rows[3] = replace(rows[3], advantage=float("nan"))
    model = copy.deepcopy(model)
    before = copy.deepcopy(model.state_dict())
    updater = Updater(model, torch.optim.SGD(model.parameters(), lr=1), UpdateConfig())
    with pytest.raises(DivergedError, match="nan"):
        updater.update(rows)
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())


def test_the_learning_rate_rises_and_is_constant_then():
    config = UpdateConfig(learning_rate=0.8, warmup_steps=4)
    rates = [learning_rate(config, step) for step in range(1, 8)]
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.8, 0.8, 0.8])
    assert learning_rate(replace(config, warmup_steps=0), 1) == 0.8


def test_micro_batches_keep_to_the_budget():
    lengths = [5, 9, 2, 7, 30, 1]
    batches = list(micro_batches(lengths, 16))
    assert sorted(i for batch in batches for i in batch) == list(range(6))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= 16


def test_padding_is_masked():
    rows = [Row([1, 2], [3], [-1.0], 0.5), Row([4], [5, 6, 7], [-1.0, -2.0, -3.0], -0.5)]
    padded = pad(rows, torch.device("cpu"))
    assert padded.input_ids.tolist() == [[1, 2, 3, 0], [4, 5, 6, 7]]
    assert padded.tokens.tolist() == [[2, 3, 0], [5, 6, 7]]
    assert padded.mask.tolist() == [[0, 1, 0], [1, 1, 1]]
    assert padded.sampled.tolist() == [[0, -1, 0], [-1, -2, -3]]
