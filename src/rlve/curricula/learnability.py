"""Learnability: draw a level in proportion to p (1 - p), where p is the chance of solving it.

A group teaches through contrast. If everything is solved, or nothing, there is none; if one rollout
in two is correct, there is most. p (1 - p) is the variance of being correct and, to first order,
what a policy-gradient step can gain at that level. So rollouts go where there is most to learn:
neither to mastered levels nor to hopeless environments.

p is estimated from the rollouts so far. The policy changes, so estimates age: rollouts from
`half_life` steps ago count half. With nothing left to go by, p is one half. A pair that has not
been drawn for a long time is therefore tried again.

Sources: Florensa et al., "Automatic goal generation for reinforcement learning agents" (2018);
Tzannetos et al., "Proximal curriculum for reinforcement learning agents" (2023); Foster et al.,
"Learning to reason at the frontier of learnability" (2025).
"""

from collections.abc import Iterable, Sequence

import msgspec

from rlve.curricula.pairs import MASTERED, PairCurriculum
from rlve.curricula.protocol import check_number
from rlve.curricula.states import Natural, NonNegative, check_counts

PRIOR = 1.0  # every estimate starts with this many rollouts of each outcome


class Estimate(msgspec.Struct):
    """A pair's aged counts, and those of the current step."""

    correct: NonNegative = 0.0
    total: NonNegative = 0.0
    new_correct: Natural = 0
    new_total: Natural = 0

    @property
    def p(self) -> float:
        """The chance that a rollout is correct."""
        return (self.correct + PRIOR) / (self.total + 2 * PRIOR)


class LearnabilityCurriculum(PairCurriculum[Estimate]):
    """Draws pairs of environment and level in proportion to p (1 - p).

    half_life  the number of steps after which a rollout counts half in the estimate of p
    """

    kind = "learnability"
    record = Estimate

    def __init__(
        self,
        names: Iterable[str],
        *,
        half_life: float = 50,
        opening: float = 0.5,
        tau_num: int = 128,
    ) -> None:
        check_number("half_life", half_life, 0, 1e9)
        super().__init__(names, opening=opening, tau_num=tau_num)
        self.half_life = half_life

    def worth(self, pair: Estimate) -> float:
        return pair.p * (1 - pair.p)

    def mastered(self, pair: Estimate) -> bool:
        return pair.p >= MASTERED

    def count(self, pair: Estimate, correct: Sequence[bool], rewards: Sequence[float]) -> None:
        pair.new_correct += sum(map(bool, correct))
        pair.new_total += len(correct)

    def learn(self, pair: Estimate) -> None:
        kept = 0.5 ** (1 / self.half_life)
        pair.correct = kept * pair.correct + pair.new_correct
        pair.total = kept * pair.total + pair.new_total
        pair.new_correct = pair.new_total = 0

    def check(self, name: str, pair: Estimate) -> None:
        check_counts(name, pair.correct, pair.total)
        check_counts(name, pair.new_correct, pair.new_total)
