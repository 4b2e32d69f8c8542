"""The DAPO policy loss on one page.

For a token sampled with log-probability `sampled`, whose log-probability under the weights of the
step's beginning is `old` and under the present weights `new`:

    ratio   = exp(new - old)                          the policy ratio of PPO
    weight  = min(exp(old - sampled), truncation)     truncated importance sampling
    loss    = -weight * min(ratio * A, clip(ratio, 1 - low, 1 + high) * A)

The clip range is wider above than below ("clip higher"), so that unlikely tokens can still grow.
There is no KL term and no entropy bonus. The weight corrects for the difference between the engine
that sampled and the model that is trained: other kernels, and, for partial rollouts, older weights.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from rlve.train.config import Aggregation


class Loss(NamedTuple):
    """The loss of some rows of a batch, and what to watch; all are sums, to be added up."""

    loss: Tensor  # already divided by the size of the whole batch
    clipped: Tensor  # tokens whose ratio was clipped
    truncated: Tensor  # tokens whose importance weight was truncated
    gap: Tensor  # sum of |old - sampled|: how far sampler and trained model disagree


def dapo_loss(
    new: Tensor,
    old: Tensor,
    sampled: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    normaliser: float,
    aggregation: Aggregation = "token",
    clip_low: float = 0.2,
    clip_high: float = 0.28,
    truncation: float = 2.0,
) -> Loss:
    """The loss of rows x tokens; `mask` is 1 on sampled tokens, and 0 on padding.

    `normaliser` is the number of tokens (or, for "sample", of rows) of the whole batch, not of
    these rows: so the update does not depend on how the batch is cut into micro-batches.
    """
    ratio = torch.exp(new - old)
    weight = torch.exp(old - sampled).detach()
    per_row = advantages.unsqueeze(1)
    clipped_ratio = ratio.clamp(1 - clip_low, 1 + clip_high)
    surrogate = torch.minimum(ratio * per_row, clipped_ratio * per_row)
    token_loss = -weight.clamp(max=truncation) * surrogate * mask
    if aggregation == "sample":
        token_loss = token_loss / mask.sum(dim=1, keepdim=True).clamp(min=1)
    with torch.no_grad():
        clipped = ((ratio * per_row > clipped_ratio * per_row) * mask).sum()
        truncated = ((weight > truncation) * mask).sum()
        gap = ((old - sampled).abs() * mask).sum()
    return Loss(token_loss.sum() / normaliser, clipped, truncated, gap)


def normaliser(lengths: list[int], aggregation: Aggregation) -> float:
    """What the loss of a batch is divided by, from the numbers of sampled tokens of its rows."""
    return float(sum(lengths) if aggregation == "token" else len(lengths))
