"""Two-way control: the level goes up when problems are too easy, and down when they are too hard.

Algorithm 1 only goes up. A policy that slips, because the learning rate was too high or because
other environments pull its weights elsewhere, stays at a level it can no longer solve, where very
few of its groups have signal. Here the accuracy at `high` is kept near a target: above target +
margin `high` rises by one, below target - margin it falls by one, and `low` follows both ways.

This is the staircase of psychophysics (Levitt, "Transformed up-down methods in psychoacoustics",
1971), which finds the level at which a subject is right with a given probability. AdaRFT (Shi et
al., "Efficient reinforcement finetuning via adaptive curriculum learning", 2025) controls the
difficulty of a data set in the same way. With a target of one half, groups have the most signal.
"""

from collections.abc import Iterable, Sequence

import msgspec

from rlve.curricula.protocol import Change
from rlve.curricula.ranges import RangeCurriculum
from rlve.errors import UserError
from rlve.foundation.limits import AtLeastOne, AtLeastZero, Positive, UpToOne, check_limit


class _Stair(msgspec.Struct):
    high: AtLeastZero = 0
    correct: AtLeastZero = 0  # of the rollouts at `high` since the last decision
    total: AtLeastZero = 0


class TwoWayCurriculum(RangeCurriculum[_Stair]):
    """Keeps the accuracy at the highest level near a target, going up and down.

    target   the accuracy to aim for at `high`
    margin   how far from it accuracy may be before `high` moves
    tau_num  the rollouts at `high` before that is decided
    window   the most levels in a range
    """

    kind = "two-way"
    record = _Stair

    def __init__(
        self,
        names: Iterable[str],
        *,
        target: float = 0.5,
        margin: float = 0.2,
        tau_num: int = 128,
        window: int = 4,
    ) -> None:
        check_limit("target", target, UpToOne)
        check_limit("margin", margin, Positive)
        if not margin <= target <= 1 - margin:
            raise UserError(
                "target - margin and target + margin must be accuracies, not "
                f"{target!r} - {margin!r} and {target!r} + {margin!r}"
            )
        check_limit("tau_num", tau_num, AtLeastOne)
        check_limit("window", window, AtLeastOne)
        super().__init__(names)
        self.target = target
        self.margin = margin
        self.tau_num = tau_num
        self.window = window

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        stair = self._of(name)
        if difficulty == stair.high:
            stair.total += len(correct)
            stair.correct += sum(map(bool, correct))

    def step(self) -> list[Change]:
        changes: list[Change] = []
        for name, stair in self._variables.items():
            if stair.total < self.tau_num:
                continue
            accuracy = stair.correct / stair.total
            stair.correct = stair.total = 0
            if accuracy >= self.target + self.margin and stair.high != self._highest[name]:
                stair.high += 1
            elif accuracy <= self.target - self.margin and stair.high > 0:
                stair.high -= 1
            else:
                continue
            changes.append(Change(name, *self.bounds(name), accuracy))
        return changes

    def bounds(self, name: str) -> tuple[int, int]:
        high = self._of(name).high
        return max(0, high - self.window + 1), high
