"""Group-normalised advantages: how much better an output is than the others for its problem."""

from collections.abc import Sequence
from statistics import fmean, pstdev

EPSILON = 1e-6  # keeps the division defined; groups without spread are never trained on


def has_signal(rewards: Sequence[float]) -> bool:
    """Whether a group can teach anything: a group with identical rewards has no better half."""
    return any(reward != rewards[0] for reward in rewards)


def group_advantages(rewards: Sequence[float]) -> list[float]:
    """(reward - mean) / standard deviation, over the outputs for one problem."""
    if not has_signal(rewards):
        return [0.0] * len(rewards)
    mean, deviation = fmean(rewards), pstdev(rewards)
    return [(reward - mean) / (deviation + EPSILON) for reward in rewards]
