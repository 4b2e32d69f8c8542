"""Algorithm 1 of the paper: adaptive difficulty.

Every environment has a range [low, high] of difficulties, [0, 0] at first. Problems are drawn
uniformly from it. Once enough rollouts at `high` have been counted and enough of them were
correct, `high` rises by one, and `low` follows so that the range spans at most `window` levels.
"""

from collections.abc import Iterable, Sequence

import msgspec

from rlve.curricula.protocol import Change, check_drawn
from rlve.curricula.ranges import RangeCurriculum
from rlve.foundation.limits import AtLeastOne, AtLeastZero, UpToOne, check_limit


class _Progress(msgspec.Struct):
    """The variables of Algorithm 1 for one environment."""

    low: AtLeastZero = 0  # l
    high: AtLeastZero = 0  # h
    correct: AtLeastZero = 0  # a: correct rollouts at h since the last decision
    total: AtLeastZero = 0  # b: all rollouts at h since the last decision


class AdaptiveCurriculum(RangeCurriculum[_Progress]):
    """Algorithm 1: keep every environment at the edge of what the policy can do.

    tau_acc  the accuracy at `high` at which the level counts as mastered
    tau_num  the rollouts at `high` before that is decided; 8 x group size in the paper
    window   the most levels in a range (d_delta in the paper)

    `high` never passes an environment's max_difficulty.
    """

    kind = "adaptive"
    record = _Progress

    def __init__(
        self, names: Iterable[str], *, tau_acc: float = 0.9, tau_num: int = 128, window: int = 4
    ) -> None:
        check_limit("tau_acc", tau_acc, UpToOne)
        check_limit("tau_num", tau_num, AtLeastOne)
        check_limit("window", window, AtLeastOne)
        super().__init__(names)
        self.tau_acc = tau_acc
        self.tau_num = tau_num
        self.window = window

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        progress = self._of(name)
        check_drawn(name, difficulty, progress.high)
        # A late rollout, drawn before `high` rose, says nothing about the level to master now.
        if difficulty == progress.high:
            progress.total += len(correct)
            progress.correct += sum(map(bool, correct))

    def step(self) -> list[Change]:
        changes: list[Change] = []
        for name, progress in self._variables.items():
            if progress.total < self.tau_num:
                continue
            accuracy = progress.correct / progress.total
            if accuracy >= self.tau_acc and progress.high != self._highest[name]:
                progress.high += 1
                progress.low = max(progress.low, progress.high - self.window + 1)
                changes.append(Change(name, progress.low, progress.high, accuracy))
            progress.correct = progress.total = 0  # whether or not the level was mastered
        return changes

    def bounds(self, name: str) -> tuple[int, int]:
        progress = self._of(name)
        return progress.low, progress.high

    def counts(self, name: str) -> tuple[int, int]:
        """The number of correct rollouts and of all rollouts at `high` since the last decision."""
        progress = self._of(name)
        return progress.correct, progress.total
