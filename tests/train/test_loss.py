"""The losses and the advantages against a slow, obvious implementation."""

import math
from itertools import product
from operator import mul
from statistics import fmean

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlve.gym import has_signal
from rlve.train.advantages import NORMALISATIONS, group_advantages
from rlve.train.config import UpdateConfig
from rlve.train.loss import LOSSES, Outputs, batch_size, policy_loss

LIMIT = 9  # tokens of an output

rewards = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=16)


@given(rewards)
def test_advantages_are_group_normalised(values):
    assert has_signal(values) == (len(set(values)) > 1)
    if not has_signal(values):
        return
    advantages = group_advantages(values)
    assert fmean(advantages) == pytest.approx(0, abs=1e-9)
    assert fmean(a * a for a in advantages) == pytest.approx(1, abs=1e-4)
    order = sorted(range(len(values)), key=lambda i: values[i])
    assert sorted(advantages) == pytest.approx([advantages[i] for i in order])


SLOW_SCALES = {
    "deviation": lambda values, mean: math.sqrt(sum((v - mean) ** 2 for v in values) / len(values)),
    "nothing": lambda values, mean: 1,
    "mean": lambda values, mean: mean,
}


@pytest.mark.parametrize("name", NORMALISATIONS)
@given(values=rewards)
def test_advantages_agree_with_the_slow_ones(name, values):
    if NORMALISATIONS[name].binary:
        values = [float(value == 1) for value in values]
    if not has_signal(values):
        return
    mean = sum(values) / len(values)
    expected = [(value - mean) / SLOW_SCALES[name](values, mean) for value in values]
    assert group_advantages(values, name) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("outputs", [2, 5, 12])
@given(chance=st.floats(0.01, 0.99))
def test_divided_by_the_mean_the_gradient_is_that_of_the_likelihood_of_success(outputs, chance):
    """Of all groups that a policy can sample which succeeds with the chance sigmoid(x).

    d log(chance) / dx = 1 - chance. What is missing are the groups without a success, which have no
    signal: the smaller, the larger the groups.
    """
    found = 0.0
    for marks in product((1.0, 0.0), repeat=outputs):
        likely = math.prod(chance if mark else 1 - chance for mark in marks)
        if has_signal(marks):
            gradients = [1 - chance if mark else -chance for mark in marks]
            advantages = group_advantages(marks, "mean")
            found += likely * fmean(map(mul, advantages, gradients))
    assert found == pytest.approx(1 - chance - (1 - chance) ** outputs)


def slow_clipped(ratio, advantage, low, high):
    clipped = min(max(ratio, 1 - low), 1 + high)
    return min(ratio * advantage, clipped * advantage)


def slow_dapo(ratio, advantage, new, config):
    return slow_clipped(ratio, advantage, config.clip_low, config.clip_high)


def slow_gspo(ratio, advantage, new, config):
    return slow_clipped(ratio, advantage, config.gspo_clip_low, config.gspo_clip_high)


def slow_cispo(ratio, advantage, new, config):
    return min(ratio, config.cispo_highest) * advantage * new


SLOW_OBJECTIVES = {
    "dapo": slow_dapo,
    "dr-grpo": slow_dapo,
    "gspo": slow_gspo,
    "cispo": slow_cispo,
}


def slow_loss(rows, config):
    """Token by token, in plain Python; rows are lists of (new, old, sampled, start), advantage."""
    total = 0.0
    tokens = sum(len(row) for row, _ in rows)
    for row, advantage in rows:
        row_loss, row_kl = 0.0, 0.0
        for new, old, sampled, start in row:
            ratio = math.exp(new - old)
            weight = math.exp(old - sampled)
            if config.loss == "gspo":
                ratio = math.exp(fmean(new - old for new, old, _, _ in row))
                weight = math.exp(fmean(old - sampled for _, old, sampled, _ in row))
            weight = min(weight, config.truncation)
            row_loss -= weight * SLOW_OBJECTIVES[config.loss](ratio, advantage, new, config)
            row_kl += math.exp(start - new) - (start - new) - 1
        if config.kl:
            row_loss += config.kl * row_kl
        if config.loss == "dr-grpo":
            total += row_loss / (len(rows) * LIMIT)
        elif config.loss == "gspo" or config.aggregation == "sample":
            total += row_loss / len(row) / len(rows)
        else:
            total += row_loss / tokens
    return total


def tensor_loss(rows, config, size):
    values = torch.tensor([token for row, _ in rows for token in row], dtype=torch.float64)
    new, old, sampled, start = values.unbind(-1)
    new = new.clone().requires_grad_()
    lengths = torch.tensor([len(row) for row, _ in rows])
    outputs = Outputs(
        sampled=sampled,
        output=torch.repeat_interleave(lengths),
        advantages=torch.tensor([advantage for _, advantage in rows], dtype=torch.float64),
        lengths=lengths,
    )
    start = start if config.kl else None
    return new, policy_loss(new, old, outputs, config, size=size, start=start)


logprob = st.floats(-3, 0)
row = st.tuples(
    st.lists(st.tuples(logprob, logprob, logprob, logprob), min_size=1, max_size=6),
    st.floats(-2, 2),
)
configs = st.builds(
    UpdateConfig,
    loss=st.sampled_from([*LOSSES]),
    aggregation=st.sampled_from(["token", "sample"]),
    kl=st.sampled_from([0.0, 0.1]),
)


@given(rows=st.lists(row, min_size=1, max_size=5), config=configs, cut=st.integers(0, 5))
def test_losses_agree_with_the_slow_ones_however_they_are_cut(rows, config, cut):
    size = batch_size([len(row) for row, _ in rows], config, LIMIT)
    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    found = sum(float(tensor_loss(part, config, size)[1].loss.detach()) for part in parts)
    assert found == pytest.approx(slow_loss(rows, config), abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@given(rows=st.lists(row, min_size=1, max_size=3))
def test_gradients_are_those_of_the_slow_losses(loss, rows):
    """By small differences of each token; in cispo, of the log-probability alone."""
    config = UpdateConfig(
        loss=loss, kl=0.1, truncation=1e9, gspo_clip_low=0.4, gspo_clip_high=1e9, clip_high=1e9
    )
    size = batch_size([len(row) for row, _ in rows], config, LIMIT)
    new, parts = tensor_loss(rows, config, size)
    parts.loss.backward()
    step, index = 1e-6, 0
    for i, (row, advantage) in enumerate(rows):
        for j, (token, old, sampled, start) in enumerate(row):
            index += 1
            kink = 0.6 if loss == "gspo" else 0.8
            ratio = math.exp(fmean(t[0] - t[1] for t in row) if loss == "gspo" else token - old)
            if abs(ratio - kink) < 1e-3:
                continue

            def moved(by, i=i, j=j, row=row, advantage=advantage):
                token, old, sampled, start = row[j]
                changed = [*row[:j], (token + by, old, sampled, start), *row[j + 1 :]]
                return slow_loss([*rows[:i], (changed, advantage), *rows[i + 1 :]], config)

            expected = (moved(step) - moved(-step)) / (2 * step)
            if loss == "cispo":
                held = min(ratio, config.cispo_highest) * math.exp(old - sampled)
                kl = 1 - math.exp(start - token)
                expected = (config.kl * kl - held * advantage) / size
            assert float(new.grad[index - 1]) == pytest.approx(expected, rel=1e-3, abs=1e-5)


def loss_of(new, sampled, advantages, lengths, **settings):
    lengths = torch.tensor(lengths)
    outputs = Outputs(sampled, torch.repeat_interleave(lengths), torch.tensor(advantages), lengths)
    return policy_loss(new, torch.zeros_like(new), outputs, UpdateConfig(**settings), size=len(new))


@pytest.mark.parametrize("loss", LOSSES)
def test_gradient_raises_what_was_better_and_lowers_what_was_worse(loss):
    new = torch.zeros(6, requires_grad=True)
    loss_of(new, torch.zeros(6), [1.0, -1.0], [3, 3], loss=loss).loss.backward()
    assert (new.grad[:3] < 0).all()
    assert (new.grad[3:] > 0).all()


def test_clipped_tokens_have_no_gradient_and_the_range_is_wider_above():
    new = torch.tensor([0.75, 0.85, 1.25, 1.3]).log().requires_grad_()
    up = loss_of(new, torch.zeros(4), [1.0], [4])
    up.loss.backward()
    assert (new.grad != 0).tolist() == [True, True, True, False]
    assert up.clipped == 1
    new.grad = None
    loss_of(new, torch.zeros(4), [-1.0], [4]).loss.backward()
    assert (new.grad != 0).tolist() == [False, True, True, True]


def test_gspo_clips_whole_outputs():
    new = torch.tensor([2.0, -1.999, 2.0, 1.0]).requires_grad_()
    parts = loss_of(new, torch.zeros(4), [1.0, 1.0], [2, 2], loss="gspo")
    parts.loss.backward()
    assert (new.grad != 0).tolist() == [False, False, False, False]
    assert parts.clipped == 4
    near = torch.tensor([2.0, -1.9995, 2.0, 1.0]).requires_grad_()
    parts = loss_of(near, torch.zeros(4), [1.0, 1.0], [2, 2], loss="gspo")
    parts.loss.backward()
    assert (near.grad != 0).tolist() == [True, True, False, False]
    assert parts.clipped == 2


def test_in_cispo_clipped_tokens_go_on_learning():
    new = torch.tensor([0.0, 3.0]).requires_grad_()
    parts = loss_of(new, torch.zeros(2), [1.0], [2], loss="cispo")
    parts.loss.backward()
    assert new.grad.tolist() == pytest.approx([-0.5, -2.5])  # of the weights 1 and 5
    assert parts.clipped == 1


def test_importance_weights_are_truncated_and_carry_no_gradient():
    new = torch.zeros(2, requires_grad=True)
    parts = loss_of(new, torch.tensor([-3.0, 0.5]), [1.0], [2])
    parts.loss.backward()
    assert new.grad.tolist() == pytest.approx([-1.0, -math.exp(-0.5) / 2])
    assert parts.truncated == 1


def test_the_kl_term_leads_back_to_the_start():
    new = torch.tensor([-1.0, -2.0], requires_grad=True)
    lengths = torch.tensor([2])
    outputs = Outputs(new.detach(), torch.tensor([0, 0]), torch.tensor([0.0]), lengths)
    start = torch.tensor([-2.0, -1.0])
    parts = policy_loss(new, new.detach(), outputs, UpdateConfig(kl=0.5), size=2, start=start)
    parts.loss.backward()
    assert new.grad[0] > 0 > new.grad[1]  # less of what has grown, and more of what has shrunk
    assert float(parts.kl) == pytest.approx(math.exp(-1) + math.exp(1) - 2)
    assert float(parts.loss.detach()) == pytest.approx(0.25 * float(parts.kl))


def test_dr_grpo_needs_the_limit_that_it_divides_by():
    config = UpdateConfig(loss="dr-grpo")
    assert batch_size([3, 4], config, 100) == 200
    with pytest.raises(ValueError, match="limit"):
        batch_size([3, 4], config, None)
