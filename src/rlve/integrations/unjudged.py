"""What a rollout that could not be judged is worth, where a library wants a number for each.

That judging failed says nothing about the policy, so nothing must be learnt from it: it is not a
wrong answer. It is counted as a failure (`Gym.count`) and the curriculum does not hear of it.
"""

from collections.abc import Sequence
from statistics import fmean

from rlve.contract import Verdict
from rlve.gym import Signal, reward
from rlve.pool import Failure
from rlve.rewards import UNPARSEABLE


def group_rewards(judged: Sequence[Verdict | Failure], signal: Signal) -> list[float]:
    """The rewards of a group, in which one that could not be judged gets the mean of the others.

    It is then neither better nor worse than its group, so its advantage is zero. Where nothing
    could be judged all get the lowest reward: a group without signal.
    """
    known = [reward(each, signal) for each in judged if isinstance(each, Verdict)]
    # The bounds keep rounding from making a difference between equal rewards.
    mean = min(max(fmean(known), min(known)), max(known)) if known else lowest(signal)
    return [reward(each, signal) if isinstance(each, Verdict) else mean for each in judged]


def lowest(signal: Signal) -> float:
    """The reward where one is wanted before those of the others in the group are known."""
    return 0.0 if signal == "correct" else UNPARSEABLE
