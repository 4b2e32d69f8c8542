"""A control for what rewards teach: DAPO with the rewards of every group permuted.

    rlve train --update.loss experiments/permuted.py:PERMUTED

Every output gets the reward of some output of its group. So the rewards are the same, and so are
the groups with signal and the size of the updates, but which output was better is not in them.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from rlve.train.advantages import NORMALISATIONS, Normalisation
from rlve.train.loss import LOSSES


def permute(rewards: Sequence[float]) -> list[float]:
    """DAPO's advantages, given to outputs at random; the same rewards are permuted alike.

    Outputs of a group come in no order, so an order that depends on nothing else says nothing.
    """
    advantages = NORMALISATIONS["deviation"].advantages(rewards)
    Random(repr([*rewards])).shuffle(advantages)
    return advantages


PERMUTED = replace(
    LOSSES["dapo"],
    title="DAPO, permuted",
    meaning="a control",
    normalisation=Normalisation("as in the paper, but permuted", permute),
)
