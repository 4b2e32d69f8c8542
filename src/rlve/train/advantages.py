"""Advantages: how much better an output is than the others for its problem."""

from collections.abc import Sequence
from statistics import fmean, pstdev

from rlve.gym import has_signal

EPSILON = 1e-6  # keeps the division defined; groups without spread are never trained on


def group_advantages(rewards: Sequence[float], *, normalised: bool = True) -> list[float]:
    """(reward - mean) / standard deviation, over the outputs for one problem.

    Without the division (Dr. GRPO) a problem that is nearly always or hardly ever solved counts for
    no more than the spread of its rewards.
    """
    if not has_signal(rewards):
        return [0.0] * len(rewards)
    mean = fmean(rewards)
    scale = pstdev(rewards) + EPSILON if normalised else 1.0
    return [(reward - mean) / scale for reward in rewards]
