"""Advantages: how much better an output is than the others for its problem.

An advantage is (reward - mean) / scale, over the outputs of a group with signal, and the scale is
a choice:

    deviation   the standard deviation of the rewards: DAPO and GRPO
    nothing     1. A problem that is nearly always or hardly ever solved counts for no more than the
                spread of its rewards: Dr. GRPO
    mean        the mean reward, for rewards of 0 and 1: MaxRL (maximum likelihood reinforcement
                learning). The rarer a success, the more it counts, so that in large groups the
                gradient is that of the log of the chance of success, not of the chance itself
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from rlve.errors import UserError

EPSILON = 1e-6  # keeps the division defined; groups without signal are never trained on


def centre(rewards: Sequence[float], scale: float) -> list[float]:
    """How far each reward is above the mean, divided by the scale."""
    mean = fmean(rewards)
    return [(reward - mean) / scale for reward in rewards]


@dataclass(frozen=True)
class Normalisation:
    """A row of the table of normalisations."""

    meaning: str
    advantages: Callable[[Sequence[float]], list[float]]
    """Those of the outputs of a group with signal, from their rewards."""
    binary: bool = False
    """Whether rewards must be 0 or 1."""


NORMALISATIONS: dict[str, Normalisation] = {
    "deviation": Normalisation(
        "the standard deviation of the rewards, as in the paper",
        lambda rewards: centre(rewards, pstdev(rewards) + EPSILON),
    ),
    "nothing": Normalisation(
        "they are only centred, as in Dr. GRPO", lambda rewards: centre(rewards, 1.0)
    ),
    "mean": Normalisation(
        "the mean reward, for rewards of 0 and 1 (MaxRL)",
        lambda rewards: centre(rewards, fmean(rewards)),
        binary=True,
    ),
}
"""What advantages can be divided by, by name."""


def group_advantages(
    rewards: Sequence[float], normalisation: str | Normalisation = "deviation"
) -> list[float]:
    """The advantages of the outputs of a group with signal."""
    return _row(normalisation).advantages(rewards)


def check_rewards(normalisation: str | Normalisation, *, binary: bool) -> None:
    """Raise a UserError if this normalisation is for other rewards."""
    if _row(normalisation).binary and not binary:
        name = normalisation if isinstance(normalisation, str) else "of this loss"
        raise UserError(
            f"update.normalisation {name} is for rewards of 0 and 1: set rollout.signal "
            "to correct, and rollout.overlong to train or mask"
        )


def _row(normalisation: str | Normalisation) -> Normalisation:
    """The row with that name; a loss of one's own can bring its own."""
    return NORMALISATIONS[normalisation] if isinstance(normalisation, str) else normalisation
