"""Tokens from logits: the one way in which all our own engines draw them."""

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

BLOCK = 128  # tokens of the vocabulary: first a block is drawn, then a token in it
BELOW_1 = 1 - 1e-12  # multiplied by this, a sum becomes smaller, whatever the rounding


WeightsIn: TypeAlias = Callable[[Tensor], Tensor]
"""Given a block for each row (rows x 1), the weights of its tokens: rows x BLOCK."""


def sample(
    logits: Tensor, numbers: Tensor, *, temperature: float, top_p: float, kernels: bool = False
) -> tuple[Tensor, Tensor]:
    """A token for each row, and its log-probability under the distribution it was drawn from.

    numbers       one in [0, 1) per row, in double precision, which picks the token
    temperature   0 takes the most likely token, with its log-probability at temperature 1
    top_p         draw from the smallest set of most likely tokens with this much probability
    kernels       whether to use our Triton kernels
    """
    scores = logits.float()
    if temperature == 0:
        tokens = scores.argmax(-1, keepdim=True)
        return tokens.squeeze(1), (scores.gather(1, tokens).squeeze(1) - scores.logsumexp(-1))
    if temperature != 1:
        scores = scores / temperature
    peak = scores.amax(-1, keepdim=True)
    if top_p < 1 and kernels:
        from rlve.models.fused_kernels import most_likely

        scores = most_likely(scores.contiguous(), peak, top_p)  # without sorting the vocabulary
    elif top_p < 1:
        scores = nucleus(scores, top_p)
    masses, weights_in = (_fast_weights if kernels else _weights)(scores, peak)
    tokens, total = _pick(masses.double(), weights_in, numbers)
    tokens = tokens.clamp(max=scores.shape[1] - 1)
    logprobs = (scores.gather(1, tokens) - peak).double() - total.log()
    return tokens.squeeze(1), logprobs.squeeze(1).float()


def nucleus(scores: Tensor, top_p: float) -> Tensor:
    """The scores of the most likely tokens, whose total probability is top_p; of others, -inf.

    Tokens that are equally likely stay or go together.
    """
    chances = scores.softmax(-1)
    ordered = chances.sort(dim=-1, descending=True).values
    before = ordered.cumsum(-1) - ordered
    last = ordered.masked_fill(before >= top_p, torch.inf).amin(-1, keepdim=True)
    return scores.masked_fill(chances < last, -torch.inf)


def uniform(counters: Tensor) -> Tensor:
    """A number in [0, 1) for each 64-bit counter: the finaliser of SplitMix64, on any device.

    A row's number depends only on its own counter, not on other rows, and no generator has to be
    kept on the device. Nothing here waits for the device either.
    """
    value = counters + _signed(0x9E3779B97F4A7C15)
    value = (value ^ _shifted(value, 30)) * _signed(0xBF58476D1CE4E5B9)
    value = (value ^ _shifted(value, 27)) * _signed(0x94D049BB133111EB)
    return _shifted(value ^ _shifted(value, 31), 11).double() / 2**53


def stream(seed: int) -> int:
    """The first counter of the numbers that belong to a 32-bit seed."""
    return _signed(seed << 32 & (1 << 64) - 1)


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


def _shifted(value: Tensor, by: int) -> Tensor:
    """Shifted to the right, with zeros coming in."""
    return value >> by & (1 << 64 - by) - 1


def _weights(scores: Tensor, peak: Tensor) -> tuple[Tensor, WeightsIn]:
    """The weight of each block of the vocabulary, and a function for those within blocks."""
    rows, size = scores.shape
    weights = (scores - peak).exp_()
    if size % BLOCK:
        weights = functional.pad(weights, (0, -size % BLOCK))
    blocks = weights.view(rows, -1, BLOCK)

    def weights_in(block: Tensor) -> Tensor:
        return blocks.gather(1, block.unsqueeze(2).expand(-1, 1, BLOCK)).squeeze(1)

    return blocks.sum(-1), weights_in


def _fast_weights(scores: Tensor, peak: Tensor) -> tuple[Tensor, WeightsIn]:
    """The same, without writing down a weight for each token."""
    from rlve.models.fused_kernels import masses

    size = scores.shape[1]
    places = torch.arange(BLOCK, device=scores.device)

    def weights_in(block: Tensor) -> Tensor:
        tokens = block * BLOCK + places
        found = (scores.gather(1, tokens.clamp(max=size - 1)) - peak).exp()
        return found.masked_fill(tokens >= size, 0)

    return masses(scores.contiguous(), peak, BLOCK), weights_in


def _pick(masses: Tensor, weights_in: WeightsIn, numbers: Tensor) -> tuple[Tensor, Tensor]:
    """The token into whose share of [0, 1) each row's number falls, and the sum of weights.

    This is much cheaper than a random number for each token of the vocabulary. The long sums are in
    double precision, so as not to lose unlikely tokens; a token without weight is never picked.
    """
    ends = masses.cumsum(-1)
    total = ends[:, -1:]
    target = numbers.unsqueeze(1).clamp(max=BELOW_1) * total
    # The first end beyond the target; clamped in case weights are not numbers.
    block = (ends <= target).sum(-1, keepdim=True).clamp(max=ends.shape[1] - 1)
    mass = masses.gather(1, block)
    share = (target - (ends.gather(1, block) - mass)) / mass
    inside = weights_in(block).double().cumsum(-1)
    offset = (inside <= share.clamp(0, BELOW_1) * inside[:, -1:]).sum(-1, keepdim=True)
    return block * BLOCK + offset, total
