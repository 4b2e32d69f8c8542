"""A bandit whose arms are pairs of environment and level, and whose reward is what they teach.

An arm pays the mean absolute advantage of the groups drawn from it: how strongly they move the
weights. It is 0 if all the rewards in a group are the same, and 1 if half of them have one value
and half another. Unlike learnability.py, this also sees shaped rewards, with which a group can have
signal even if nothing in it is correct. The value of an arm follows what it pays. Arms are drawn
with a softmax over their values, so poor ones are still tried now and then, in case they have
improved.

Source: Chen et al., "Self-evolving curriculum for LLM reasoning" (2025), for a data set with fixed
categories. Here levels open as the policy reaches them (pairs.py), and a new arm has the highest
value, so that it is tried.
"""

import math
from collections.abc import Iterable, Sequence

import msgspec

from rlve.curricula.pairs import MASTERED, PairCurriculum
from rlve.curricula.protocol import check_number
from rlve.curricula.states import Natural, NonNegative, Share, check_counts

UNIT = 10**6  # advantages are added up in millionths, since sums of floats depend on the order


class Arm(msgspec.Struct):
    """The value of an arm, and what it has paid in this step."""

    value: NonNegative = 1.0
    accuracy: Share = 0.0
    paid: Natural = 0  # millionths, summed over the groups of the step
    groups: Natural = 0
    correct: Natural = 0
    total: Natural = 0


class BanditCurriculum(PairCurriculum[Arm]):
    """Draws pairs of environment and level by a softmax of their mean absolute advantage.

    rate         how far a step moves the value of an arm towards what it paid
    temperature  of the softmax: the lower it is, the more draws go to the best arms
    """

    kind = "bandit"
    record = Arm

    def __init__(
        self,
        names: Iterable[str],
        *,
        rate: float = 0.3,
        temperature: float = 0.25,
        opening: float = 0.5,
        tau_num: int = 128,
    ) -> None:
        check_number("rate", rate, 0, 1)
        check_number("temperature", temperature, 0, 1e9)
        super().__init__(names, opening=opening, tau_num=tau_num)
        self.rate = rate
        self.temperature = temperature

    def worth(self, pair: Arm) -> float:
        return math.exp((pair.value - 1) / self.temperature)

    def mastered(self, pair: Arm) -> bool:
        return pair.accuracy >= MASTERED

    def count(self, pair: Arm, correct: Sequence[bool], rewards: Sequence[float]) -> None:
        pair.paid += round(UNIT * mean_absolute_advantage(rewards))
        pair.groups += 1
        pair.correct += sum(map(bool, correct))
        pair.total += len(correct)

    def learn(self, pair: Arm) -> None:
        if pair.groups == 0:
            return
        pair.value += self.rate * (pair.paid / (UNIT * pair.groups) - pair.value)
        pair.accuracy += self.rate * (pair.correct / pair.total - pair.accuracy)
        pair.paid = pair.groups = pair.correct = pair.total = 0

    def check(self, name: str, pair: Arm) -> None:
        check_counts(name, pair.correct, pair.total)


def mean_absolute_advantage(rewards: Sequence[float]) -> float:
    """The mean distance of a group's rewards from their mean, in standard deviations: 0 to 1."""
    if min(rewards) == max(rewards):
        return 0.0
    mean = math.fsum(rewards) / len(rewards)  # fsum gives the same result in any order
    distances = [abs(reward - mean) for reward in rewards]
    deviation = math.sqrt(math.fsum(d * d for d in distances) / len(distances))
    return min(1.0, math.fsum(distances) / len(distances) / deviation)
