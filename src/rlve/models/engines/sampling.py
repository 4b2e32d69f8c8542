"""Tokens from logits: the one way in which all our own engines draw them."""

import torch
from torch import Tensor
from torch.nn import functional

BLOCK = 128  # tokens of the vocabulary: first a block is drawn, then a token in it
BELOW_1 = 1 - 1e-12  # multiplied by this, a sum becomes smaller, whatever the rounding


def sample(
    logits: Tensor, numbers: Tensor, *, temperature: float, top_p: float
) -> tuple[Tensor, Tensor]:
    """A token for each row, and its log-probability under the distribution it was drawn from.

    numbers       one in [0, 1) per row, in double precision, which picks the token
    temperature   0 takes the most likely token, with its log-probability at temperature 1
    top_p         draw from the smallest set of most likely tokens with this much probability
    """
    scores = logits.float()
    if temperature == 0:
        tokens = scores.argmax(-1, keepdim=True)
        return tokens.squeeze(1), (scores.gather(1, tokens).squeeze(1) - scores.logsumexp(-1))
    if temperature != 1:
        scores = scores / temperature
    if top_p < 1:
        scores = nucleus(scores.log_softmax(-1), top_p)
    peak = scores.amax(-1, keepdim=True)
    tokens, total = _pick((scores - peak).exp_(), numbers)
    logprobs = (scores.gather(1, tokens) - peak).double() - total.log()
    return tokens.squeeze(1), logprobs.squeeze(1).float()


def nucleus(logprobs: Tensor, top_p: float) -> Tensor:
    """The distribution cut down to its most likely tokens, whose total probability is top_p."""
    ordered, index = logprobs.sort(dim=-1, descending=True)
    before = ordered.exp().cumsum(-1) - ordered.exp()
    cut = (before >= top_p).scatter(1, index, before >= top_p)
    return logprobs.masked_fill(cut, -torch.inf).log_softmax(-1)


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


def _pick(weights: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
    """The token into whose share of [0, 1) each row's number falls, and the sum of weights.

    This is much cheaper than a random number for each token of the vocabulary. The long sums are in
    double precision, so as not to lose unlikely tokens; a token without weight is never picked.
    """
    rows, size = weights.shape
    if size % BLOCK:
        weights = functional.pad(weights, (0, -size % BLOCK))
    blocks = weights.view(rows, -1, BLOCK)
    masses = blocks.sum(-1).double()
    ends = masses.cumsum(-1)
    total = ends[:, -1:]
    target = numbers.unsqueeze(1).clamp(max=BELOW_1) * total
    # The first end beyond the target; clamped in case weights are not numbers.
    block = (ends <= target).sum(-1, keepdim=True).clamp(max=ends.shape[1] - 1)
    mass = masses.gather(1, block)
    share = (target - (ends.gather(1, block) - mass)) / mass
    inside = blocks.gather(1, block.unsqueeze(2).expand(-1, 1, BLOCK)).squeeze(1).double()
    inside = inside.cumsum(-1)
    offset = (inside <= share.clamp(0, BELOW_1) * inside[:, -1:]).sum(-1, keepdim=True)
    return (block * BLOCK + offset).clamp(max=size - 1), total
