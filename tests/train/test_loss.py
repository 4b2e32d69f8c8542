"""The loss, the advantages and the masks against a slow, obvious implementation."""

import math
from statistics import fmean

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlve.train.advantages import group_advantages, has_signal
from rlve.train.loss import dapo_loss, normaliser

rewards = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=16)


@given(rewards)
def test_advantages_are_group_normalised(values):
    advantages = group_advantages(values)
    if len(set(values)) == 1:
        assert not has_signal(values)
        assert advantages == [0.0] * len(values)
        return
    assert has_signal(values)
    assert fmean(advantages) == pytest.approx(0, abs=1e-9)
    assert fmean(a * a for a in advantages) == pytest.approx(1, abs=1e-4)
    order = sorted(range(len(values)), key=lambda i: values[i])
    assert sorted(advantages) == pytest.approx([advantages[i] for i in order])


def slow_loss(rows, *, aggregation, low, high, truncation):
    """Token by token, in plain Python; rows are lists of (new, old, sampled) and an advantage."""
    total = 0.0
    tokens = sum(len(row) for row, _ in rows)
    for row, advantage in rows:
        row_loss = 0.0
        for new, old, sampled in row:
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - low), 1 + high)
            weight = min(math.exp(old - sampled), truncation)
            row_loss -= weight * min(ratio * advantage, clipped * advantage)
        total += row_loss / tokens if aggregation == "token" else row_loss / len(row) / len(rows)
    return total


logprob = st.floats(-3, 0)
row = st.tuples(
    st.lists(st.tuples(logprob, logprob, logprob), min_size=1, max_size=6), st.floats(-2, 2)
)


@given(
    rows=st.lists(row, min_size=1, max_size=5),
    aggregation=st.sampled_from(["token", "sample"]),
    cut=st.integers(0, 5),
)
def test_loss_agrees_with_the_slow_one_however_it_is_cut(rows, aggregation, cut):
    expected = slow_loss(rows, aggregation=aggregation, low=0.2, high=0.28, truncation=2.0)
    size = normaliser([len(row) for row, _ in rows], aggregation)
    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    found = sum(float(tensor_loss(part, size, aggregation).loss) for part in parts)
    assert found == pytest.approx(expected, abs=1e-9)


def tensor_loss(rows, size, aggregation):
    width = max(len(row) for row, _ in rows)
    values = torch.full((len(rows), width, 3), -7.0, dtype=torch.float64)
    mask = torch.zeros(len(rows), width, dtype=torch.float64)
    for i, (row, _) in enumerate(rows):
        values[i, width - len(row) :] = torch.tensor(row, dtype=torch.float64)
        mask[i, width - len(row) :] = 1
    advantages = torch.tensor([a for _, a in rows], dtype=torch.float64)
    new, old, sampled = values.unbind(-1)
    return dapo_loss(new, old, sampled, advantages, mask, normaliser=size, aggregation=aggregation)


def test_gradient_raises_what_was_better_and_lowers_what_was_worse():
    new = torch.zeros(2, 3, requires_grad=True)
    zeros = torch.zeros(2, 3)
    parts = dapo_loss(new, zeros, zeros, torch.tensor([1.0, -1.0]), torch.ones(2, 3), normaliser=6)
    parts.loss.backward()
    assert (new.grad[0] < 0).all()
    assert (new.grad[1] > 0).all()


def test_clipped_tokens_have_no_gradient_and_the_range_is_wider_above():
    ratios = torch.tensor([[0.75, 0.85, 1.25, 1.3]])
    new = ratios.log().requires_grad_()
    zeros, ones = torch.zeros(1, 4), torch.ones(1, 4)
    up = dapo_loss(new, zeros, zeros, torch.tensor([1.0]), ones, normaliser=4)
    up.loss.backward()
    assert (new.grad != 0).tolist() == [[True, True, True, False]]
    assert up.clipped == 1
    new.grad = None
    down = dapo_loss(new, zeros, zeros, torch.tensor([-1.0]), ones, normaliser=4)
    down.loss.backward()
    assert (new.grad != 0).tolist() == [[False, True, True, True]]


def test_importance_weights_are_truncated_and_carry_no_gradient():
    new = torch.zeros(1, 2, requires_grad=True)
    sampled = torch.tensor([[-3.0, 0.5]])
    parts = dapo_loss(
        new, torch.zeros(1, 2), sampled, torch.tensor([1.0]), torch.ones(1, 2), normaliser=1
    )
    parts.loss.backward()
    assert new.grad.tolist()[0] == pytest.approx([-2.0, -math.exp(-0.5)])
    assert parts.truncated == 1
    assert float(parts.gap) == pytest.approx(3.5)
