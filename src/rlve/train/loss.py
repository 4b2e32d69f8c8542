"""The policy losses on one page: DAPO, and those it is often compared with.

For a token sampled with log-probability `sampled`, whose log-probability is `old` under the weights
at the beginning of the step and `new` under the present weights:

    ratio   = exp(new - old)                          the policy ratio of PPO
    weight  = min(exp(old - sampled), truncation)     truncated importance sampling

    dapo      -weight * min(ratio * A, clip(ratio, 1 - low, 1 + high) * A)
    dr-grpo   the same, with advantages that are only centred, and divided by a constant
    gspo      the same, with one ratio and one weight per output: the geometric means
    cispo     -weight * min(ratio, highest) * A * new, where only `new` has a gradient

DAPO's clip range is wider above than below ("clip higher"), so that unlikely tokens can still grow.
CISPO clips the ratio and not the gradient, so every token keeps learning. The weight corrects for
the difference between the engine that sampled and the model that is trained: other kernels and, for
partial rollouts, older weights. With one update per step the ratio is 1, and `dapo` and `cispo` are
the same.

An optional KL term keeps the policy close to the initial one. Its estimator, k3, is
exp(start - new) - (start - new) - 1, which is never negative. There is no entropy bonus.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from rlve.train.config import UpdateConfig


@dataclass(frozen=True)
class Outputs:
    """Sampled tokens of some outputs, one output after another."""

    sampled: Tensor  # the log-probability that each token was sampled with
    output: Tensor  # which output each token belongs to, counted from 0
    advantages: Tensor  # of the outputs
    lengths: Tensor  # of the outputs, in tokens

    def mean(self, values: Tensor) -> Tensor:
        """The mean over each output of a value per token."""
        sums = torch.zeros_like(self.lengths, dtype=values.dtype)
        return sums.index_add(0, self.output, values) / self.lengths


class Loss(NamedTuple):
    """The loss of some outputs of a batch, and what to monitor; all are sums, to be added up."""

    loss: Tensor  # already divided by the size of the whole batch
    clipped: Tensor  # tokens whose ratio was clipped
    truncated: Tensor  # tokens whose importance weight was truncated
    kl: Tensor  # to the initial policy, before its coefficient


def policy_loss(
    new: Tensor,
    old: Tensor,
    outputs: Outputs,
    config: UpdateConfig,
    *,
    size: float,
    start: Tensor | None = None,
) -> Loss:
    """The loss of some outputs, from the log-probabilities of their tokens.

    `size` is the divisor of the whole batch, not of these outputs, so that the update does not
    depend on how the batch is split into micro-batches. `start` holds the log-probabilities under
    the initial policy.
    """
    log_ratio, log_weight = new - old, (old - outputs.sampled).detach()
    if config.loss == "gspo":
        log_ratio = outputs.mean(log_ratio)[outputs.output]
        log_weight = outputs.mean(log_weight)[outputs.output]
    ratio, weight = log_ratio.exp(), log_weight.exp()
    advantages = outputs.advantages[outputs.output]
    if config.loss == "cispo":
        clipped = ratio > config.cispo_highest
        objective = ratio.detach().clamp(max=config.cispo_highest) * advantages * new
    else:
        low, high = config.clip_low, config.clip_high
        if config.loss == "gspo":
            low, high = config.gspo_clip_low, config.gspo_clip_high
        inside = ratio.clamp(1 - low, 1 + high) * advantages
        clipped = ratio * advantages > inside
        objective = torch.minimum(ratio * advantages, inside)
    per_token = -weight.clamp(max=config.truncation) * objective
    kl = torch.zeros_like(new)
    if start is not None:
        kl = (start - new).exp() - (start - new) - 1
        per_token = per_token + config.kl * kl
    if _by_output(config):
        per_token = per_token / outputs.lengths[outputs.output]
    return Loss(
        per_token.sum() / size,
        clipped.sum(),
        (weight > config.truncation).sum(),
        kl.detach().sum(),
    )


def batch_size(lengths: Sequence[int], config: UpdateConfig, max_tokens: int | None) -> float:
    """The divisor of a batch's loss, from the lengths of its outputs and their limit."""
    if config.loss == "dr-grpo":
        if max_tokens is None:
            raise ValueError("dr-grpo divides by the response limit, so max_tokens must be given")
        return float(len(lengths) * max_tokens)
    return float(len(lengths) if _by_output(config) else sum(lengths))


def _by_output(config: UpdateConfig) -> bool:
    """Whether all outputs, rather than all tokens, count equally."""
    return config.loss == "gspo" or (config.loss != "dr-grpo" and config.aggregation == "sample")
