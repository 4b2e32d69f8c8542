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
exp(start - new) - (start - new) - 1, which is never negative.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rlve.errors import UserError
from rlve.foundation.tables import either
from rlve.targets import load_object
from rlve.train.advantages import Normalisation

if TYPE_CHECKING:  # settings and pages read the table, and need no torch
    from torch import Tensor

    from rlve.train.config import UpdateConfig


class Tokens(NamedTuple):
    """What an objective is made of, token by token."""

    new: "Tensor"  # the log-probability under the present weights
    ratio: "Tensor"
    advantage: "Tensor"


Objective: TypeAlias = "Callable[[Tokens, UpdateConfig], tuple[Tensor, Tensor]]"
"""What to maximise, before weighing, and whether the ratio was clipped, token by token."""


@dataclass(frozen=True)
class PolicyLoss:
    """A row of the table of losses."""

    title: str
    """As papers write it."""
    meaning: str
    objective: Objective
    ratio: Literal["token", "output"] = "token"
    """What has a ratio and a weight of its own; of an output, they are geometric means."""
    normalisation: str | Normalisation = "deviation"
    """What advantages are divided by, unless update.normalisation says otherwise."""
    divisor: Literal["aggregation", "outputs", "limit"] = "aggregation"
    """What the loss of a batch is divided by: what update.aggregation says, its outputs (after the
    mean over each), or its outputs x response limit."""


def clip_ratio(tokens: Tokens, low: float, high: float) -> "tuple[Tensor, Tensor]":
    """PPO's objective, with the ratio clipped to [1 - low, 1 + high]."""
    free = tokens.ratio * tokens.advantage
    inside = tokens.ratio.clamp(1 - low, 1 + high) * tokens.advantage
    return free.minimum(inside), free > inside


def _dapo(tokens: Tokens, config: "UpdateConfig") -> "tuple[Tensor, Tensor]":
    return clip_ratio(tokens, config.clip_low, config.clip_high)


def _gspo(tokens: Tokens, config: "UpdateConfig") -> "tuple[Tensor, Tensor]":
    return clip_ratio(tokens, config.gspo_clip_low, config.gspo_clip_high)


def _cispo(tokens: Tokens, config: "UpdateConfig") -> "tuple[Tensor, Tensor]":
    highest = config.cispo_highest
    objective = tokens.ratio.detach().clamp(max=highest) * tokens.advantage * tokens.new
    return objective, tokens.ratio > highest


LOSSES: dict[str, PolicyLoss] = {
    "dapo": PolicyLoss("DAPO", "the paper's loss", _dapo),
    "dr-grpo": PolicyLoss(
        "Dr. GRPO",
        "advantages are centred but not scaled, and the loss is divided by outputs x response "
        "limit",
        _dapo,
        normalisation="nothing",
        divisor="limit",
    ),
    "gspo": PolicyLoss(
        "GSPO", "one policy ratio per output", _gspo, ratio="output", divisor="outputs"
    ),
    "cispo": PolicyLoss("CISPO", "clips the policy ratio, not the gradient", _cispo),
}
"""The losses by name: settings, the update, model cards and pages read this table."""


def find_loss(name: str) -> PolicyLoss:
    """The row with that name, or the user's own PolicyLoss at MODULE:NAME or FILE.py:NAME."""
    if name in LOSSES:
        return LOSSES[name]
    if ":" not in name:
        raise UserError(
            f"update.loss must be {either((*LOSSES, 'MODULE:NAME for your own'))}, not {name!r}"
        )
    row = load_object(name)
    if not isinstance(row, PolicyLoss):
        raise UserError(f"{name} is not a rlve.train.loss.PolicyLoss")
    return row


@dataclass(frozen=True)
class Outputs:
    """Sampled tokens of some outputs, one output after another."""

    sampled: "Tensor"  # the log-probability that each token was sampled with
    output: "Tensor"  # which output each token belongs to, counted from 0
    advantages: "Tensor"  # of the outputs
    lengths: "Tensor"  # of the outputs, in tokens

    def mean(self, values: "Tensor") -> "Tensor":
        """The mean over each output of a value per token."""
        sums = values.new_zeros(self.lengths.shape)
        return sums.index_add(0, self.output, values) / self.lengths


class Loss(NamedTuple):
    """The loss of some outputs of a batch, and what to monitor; all are sums, to be added up."""

    loss: "Tensor"  # already divided by the size of the whole batch
    clipped: "Tensor"  # tokens whose ratio was clipped
    truncated: "Tensor"  # tokens whose importance weight was truncated
    kl: "Tensor"  # to the initial policy, before its coefficient


def policy_loss(
    new: "Tensor",
    old: "Tensor",
    outputs: Outputs,
    config: "UpdateConfig",
    *,
    size: float,
    start: "Tensor | None" = None,
) -> Loss:
    """The loss of some outputs, from the log-probabilities of their tokens.

    `size` is the divisor of the whole batch, not of these outputs, so that the update does not
    depend on how the batch is split into micro-batches. `start` holds the log-probabilities under
    the initial policy.
    """
    row = find_loss(config.loss)
    log_ratio, log_weight = new - old, (old - outputs.sampled).detach()
    if row.ratio == "output":
        log_ratio = outputs.mean(log_ratio)[outputs.output]
        log_weight = outputs.mean(log_weight)[outputs.output]
    weight = log_weight.exp()
    tokens = Tokens(new, log_ratio.exp(), outputs.advantages[outputs.output])
    objective, clipped = row.objective(tokens, config)
    per_token = -weight.clamp(max=config.truncation) * objective
    kl = new.new_zeros(new.shape)
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


def batch_size(lengths: Sequence[int], config: "UpdateConfig", max_tokens: int | None) -> float:
    """The divisor of a batch's loss, from the lengths of its outputs and their limit."""
    if find_loss(config.loss).divisor == "limit":
        if max_tokens is None:
            raise ValueError(
                f"{config.loss} divides by the response limit, so max_tokens must be given"
            )
        return float(len(lengths) * max_tokens)
    return float(len(lengths) if _by_output(config) else sum(lengths))


def _by_output(config: "UpdateConfig") -> bool:
    """Whether all outputs, rather than all tokens, count equally."""
    divisor = find_loss(config.loss).divisor
    return divisor == "outputs" or (divisor == "aggregation" and config.aggregation == "sample")
