"""The reward of a rollout that could not be judged, for libraries that need one for every rollout.

A judging failure is not a wrong answer: it says nothing about the policy, and nothing must be
learnt from it. It counts as a failure (`Gym.count`), and the curriculum ignores it.
"""

from collections.abc import Sequence
from statistics import fmean

from rlve.contract import Verdict
from rlve.gym import Signal, reward
from rlve.pool import Failure
from rlve.rewards import UNPARSEABLE


def group_rewards(judged: Sequence[Verdict | Failure], signal: Signal) -> list[float]:
    """The rewards of a group; a rollout that could not be judged gets the mean of the others.

    It is then neither better nor worse than its group, so its advantage is zero. If nothing could
    be judged, all get the lowest reward: a group without signal.
    """
    known = [reward(result, signal) for result in judged if isinstance(result, Verdict)]
    # The bounds keep rounding from making equal rewards differ.
    mean = min(max(fmean(known), min(known)), max(known)) if known else lowest(signal)
    return [reward(result, signal) if isinstance(result, Verdict) else mean for result in judged]


def lowest(signal: Signal) -> float:
    """The reward to give while the rewards of the rest of the group are not yet known."""
    return UNPARSEABLE if signal == "reward" else 0.0
